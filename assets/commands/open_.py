"""`rankgate open`: opens the test for the present selection."""

import sys
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
    ledger = ARTIFACTS["ledger"].read(folder, None)
    test_set, chosen = selection["hashes"]["test_set"], selection["hashes"]["selection"]
    number = opening_of(ledger, test_set, chosen)
    if number is not None:
        click.echo(f"already open: selection {number} of this test set")
        return
    earlier = openings_of(ledger, test_set)
    click.echo(_before(folder, selection, earlier))
    if not yes and not _confirmed():
        click.echo("nothing opened")
        return
    opened_at = datetime.now(UTC).isoformat(timespec="seconds")
    limits = declared_limits(folder.params)
    line = opening_line(selection, opened_at=opened_at, limits=limits)
    append_lines(folder.root / LEDGER, [line])
    click.echo(dvc(folder.root, "repro"))
    decision = ARTIFACTS["decision"].read(folder, None)
    click.echo(f"opened as selection {len(earlier) + 1} of this test set: {decision['word']}")


def _confirmed() -> bool:
    if not sys.stdin.isatty():
        raise RankgateError(
            "opening the test asks first", found="no terminal", next_command="rankgate open --yes"
        )
    return click.confirm("Open the test?")


def _before(folder: StudyFolder, selection: dict[str, Any], earlier: list[str]) -> str:
    """What a person should know before opening."""
    summary = ARTIFACTS["evaluation_summary"].read(folder, None)
    alpha = alpha_at(folder.params.evaluation.alpha, len(earlier) + 1)
    lines = [
        f"test set    {selection['hashes']['test_set'][:12]}",
        f"selection   {selection['configuration']['description']}",
        f"earlier     {len(earlier)} other selection(s) opened on this test set; level {alpha:.4g}",
        *(f"{name:<11} {value}" for name, value in _known(summary)),
    ]
    return "\n".join(lines)


def _known(summary: dict[str, Any]) -> list[tuple[str, str]]:
    test = summary["test"]
    shown = {
        "queries": test.get("queries"),
        "groups": test.get("groups"),
        "detectable": test.get("detectable"),
        "judged": test.get("judged_share"),
    }
    return [(name, f"{value:.4g}") for name, value in shown.items() if value is not None]
