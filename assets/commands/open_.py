"""`rankgate open`: opens the test for the present selection."""

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from assets.artifacts import ARTIFACTS
from assets.folder import StudyFolder, study_folder
from assets.freshness import refuse_stale
from assets.processes import dvc
from assets.records import LEDGER
from pipeline.decision.limits import declared_limits
from pipeline.errors import RankgateError
from pipeline.ledger import alpha_at, opening_line, opening_of, openings_of
from pipeline.storage import append_lines


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(study: Path | None, yes: bool) -> None:
    """Opens the test for the present selection: one line in the ledger, then the rest is run.

    The same test set with the same selection is the same opening, however often it is judged.
    """
    folder = study_folder(study)
    refuse_stale(folder, "evaluation", what="selection")
    selection = ARTIFACTS["selection"].read(folder, None)
    _refuse_unjudged(selection)
    _refuse_no_test(folder)
    ledger = ARTIFACTS["ledger"].read(folder, None)
    test_set, chosen = selection["hashes"]["test_set"], selection["hashes"]["selection"]
    number = opening_of(ledger, test_set, chosen)
    if number is not None:
        click.echo(f"already open: selection {number} of this test set")
        return
    earlier = openings_of(ledger, test_set)
    click.echo("\n".join(_before(folder, selection, earlier)))
    if not yes and not _confirmed():
        click.echo("nothing opened")
        return
    _open(folder, selection)
    decision = ARTIFACTS["decision"].read(folder, None)
    click.echo(f"opened as selection {len(earlier) + 1} of this test set: {decision['word']}")


def _open(folder: StudyFolder, selection: dict[str, Any]) -> None:
    """Appends the line and runs the rest; a run that fails leaves the test open."""
    line = opening_line(
        selection,
        opened_at=datetime.now(UTC).isoformat(timespec="seconds"),
        limits=declared_limits(folder.params),
    )
    append_lines(folder.root / LEDGER, [line])
    click.echo(dvc(folder.root, "repro"))


def _refuse_unjudged(selection: dict[str, Any]) -> None:
    if not selection["dev"]["queries"] and selection["mode"] == "search":
        raise RankgateError(
            "nothing was selected: no dev query is judged",
            where="data/selection/selection.json",
            expected="a selection made on judged dev queries",
            next_command=(
                "rankgate judge export --assessor NAME, or selection.mode: declared in params.yaml"
            ),
        )


def _refuse_no_test(folder: StudyFolder) -> None:
    if not ARTIFACTS["evaluation_summary"].read(folder, None)["test"]["queries"]:
        raise RankgateError(
            "the test has no query",
            where="splits.shares",
            found=dict(folder.params.splits.shares),
            expected="a positive share of test, and queries on that side",
            next_command="edit params.yaml, then dvc repro",
        )


def _confirmed() -> bool:
    if not sys.stdin.isatty():
        raise RankgateError(
            "opening the test asks first", found="no terminal", next_command="rankgate open --yes"
        )
    return click.confirm("Open the test?")


def _before(
    folder: StudyFolder, selection: dict[str, Any], earlier: Sequence[str]
) -> Iterator[str]:
    """What a person should know before opening, one line each."""
    test = ARTIFACTS["evaluation_summary"].read(folder, None)["test"]
    level = alpha_at(folder.params.evaluation.alpha, len(earlier) + 1)
    seen = f"other selections opened on this test set; this one is judged at {level:.4g}"
    shown = {
        "test set": f"{selection['hashes']['test_set'][:12]}: {test['queries']} queries"
        f" in {test['groups']} groups",
        "selection": selection["configuration"]["description"],
        "earlier": f"{len(earlier)} {seen}",
        "detectable": _figure(test.get("detectable"), "{:.4f} beyond the margin, with 80 % power"),
        "judged": _figure(test.get("judged_share"), "{:.1%} of the pooled pairs"),
    }
    return (f"{name:<11} {value}" for name, value in shown.items())


def _figure(value: float | None, words: str) -> str:
    return "not known" if value is None else words.format(value)
