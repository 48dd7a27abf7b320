"""`rankgate compare A B`: what differs between two studies, and what came of it."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from assets.comparing.reading import read_study
from assets.comparing.text import differences_lines, plain_lines, replay_lines, trend_lines
from assets.terminal import say
from pipeline.comparing.differences import Differences, differences
from pipeline.comparing.paired import plain
from pipeline.comparing.replay import replay
from pipeline.comparing.trend import trend
from pipeline.comparing.view import StudyView, shared_side


@click.command()
@click.argument("a")
@click.argument("b")
@click.argument("more", nargs=-1)
@click.option(
    "--replay", "replayed", is_flag=True, help="A's configuration on B's candidates and judgments."
)
@click.option(
    "--trend",
    "as_trend",
    is_flag=True,
    help="Two or more, the oldest first, over the queries that none of them changed.",
)
@click.option("--all", "every", is_flag=True, help="Rows that differ on no query too.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@click.pass_obj
def command(
    study: Path | None,
    a: str,
    b: str,
    more: tuple[str, ...],
    replayed: bool,
    as_trend: bool,
    every: bool,
    as_json: bool,
) -> None:
    """Compares two studies: folders, or git revisions of the present study.

    Lists what differs. Where more than one thing does, a change cannot be attributed. Where the
    collection or the judgments differ, means are not comparable: --replay ranks B's candidates
    with A's configuration instead, on B's judgments, paired.
    """
    if replayed and as_trend:
        raise click.UsageError("either --replay or --trend")
    if every and as_trend:
        raise click.UsageError("--all is of rows; --trend shows every version")
    if more and not as_trend:
        raise click.UsageError("more than two go with --trend")
    with ExitStack() as stack:
        if as_trend:
            views = [read_study(named, study, stack) for named in (a, b, *more)]
            found_trend = trend(views)
            if as_json:
                click.echo(json.dumps(found_trend.record(), indent=2))
            else:
                say(*trend_lines(views, found_trend))
            return
        ours, theirs = (read_study(named, study, stack) for named in (a, b))
        found = differences(ours, theirs)
        said = _replayed if replayed else _plain
        if not as_json:
            say(*differences_lines(ours, theirs, found))
        lines, record = said(ours, theirs, found, every)
        if as_json:
            click.echo(json.dumps(found.record() | record, indent=2))
        else:
            say(*lines)


def _plain(
    a: StudyView, b: StudyView, found: Differences, every: bool
) -> tuple[list[str], dict[str, Any]]:
    pairs, side = plain(a, b, found), shared_side(a, b)
    words = [view.read("decision")["word"] for view in (a, b)]
    record = {"side": side, "words": words, "pairs": [one.record() for one in pairs]}
    return plain_lines(a, b, pairs, side, every=every), record


def _replayed(
    a: StudyView, b: StudyView, found: Differences, every: bool
) -> tuple[list[str], dict[str, Any]]:
    done = replay(a, b)
    return replay_lines(a, b, done, every=every), {"replay": done.record()}
