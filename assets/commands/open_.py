"""`rankgate open`: opens the test for the present selection."""

import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from assets.artifacts import stored
from assets.asking import is_terminal
from assets.folder import StudyFolder, study_folder
from assets.freshness import refuse_stale
from assets.other_openings import other_openings
from assets.processes import reproduce
from assets.records import LEDGER
from assets.terminal import say
from pipeline.appending import held
from pipeline.decision.limits import declared_limits
from pipeline.errors import RankgateError
from pipeline.ledger import alpha_at, moment_of_next, opening_line, opening_of, openings_of

SELECTION, PARAMS = Path("data/selection/selection.json"), Path("params.yaml")


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def command(study: Path | None, yes: bool) -> None:
    """Opens the test for the present selection: one line in the ledger, then the rest is run.

    The same test set with the same selection is the same opening, however often it is judged.
    """
    folder = study_folder(study)
    refuse_stale(folder, "evaluation", what="selection")
    selection = _selection(folder)
    _refuse_unjudged(selection)
    _refuse_no_test(folder)
    ledger = stored(folder, "ledger")
    test_set, chosen = selection["hashes"]["test_set"], selection["hashes"]["selection"]
    number = opening_of(ledger, test_set, chosen)
    if number is not None:
        say(f"already open: selection {number} of this test set")
        return
    earlier = openings_of(ledger, test_set)
    say(*_before(folder, selection, earlier))
    if not yes:
        if not _confirmed():
            say("nothing opened")
            return
        refuse_stale(folder, "evaluation", what="selection")  # an answer may take its time
    number = _opened(folder, selection, earlier)
    reproduce(folder.root, started=lambda stage: say(f"running {stage} …", err=True))
    decision = stored(folder, "decision")
    say(f"opened as selection {number} of this test set: {decision['word']}")


def _opened(folder: StudyFolder, selection: dict[str, Any], earlier: Sequence[str]) -> int:
    """Appends the line, unless another process just has, and says which opening it is.

    A run that then fails leaves the test open.

    Args:
        folder: the study, with the parameters that were shown.
        selection: the selection that was shown.
        earlier: the selections opened on its test set before, as was shown.

    Raises:
        RankgateError: any of it is not as it was shown; nothing is written.
    """
    test_set, chosen = selection["hashes"]["test_set"], selection["hashes"]["selection"]
    with held(folder.root / LEDGER) as append:
        ledger = stored(folder, "ledger")
        opened = openings_of(ledger, test_set)
        if chosen in opened:
            return opened.index(chosen) + 1
        _refuse_other("the ledger", LEDGER, opened != list(earlier))
        _refuse_other("the selection", SELECTION, _selection(folder) != selection)
        _refuse_other("a parameter", PARAMS, StudyFolder(folder.root).params != folder.params)
        now = moment_of_next(ledger, test_set, datetime.now(UTC))
        limits = declared_limits(folder.params)
        append([opening_line(selection, opened_at=now, limits=limits)])
    return len(opened) + 1


def _selection(folder: StudyFolder) -> dict[str, Any]:
    content: dict[str, Any] = stored(folder, "selection")
    return content


def _refuse_other(what: str, where: Path, changed: bool) -> None:
    if changed:
        raise RankgateError(
            f"{what} is no longer what was shown, so nothing was opened",
            where=where,
            expected="what it was when the question was put",
            next_command="dvc repro, then rankgate open",
        )


def _refuse_unjudged(selection: dict[str, Any]) -> None:
    if not selection["dev"]["queries"] and selection["mode"] == "search":
        raise RankgateError(
            "nothing was selected: no dev query is judged",
            where=SELECTION,
            expected="a selection made on judged dev queries",
            next_command=(
                "rankgate judge export --assessor NAME, or selection.mode: declared in params.yaml"
            ),
        )


def _refuse_no_test(folder: StudyFolder) -> None:
    if not stored(folder, "evaluation_summary")["test"]["queries"]:
        raise RankgateError(
            "the test has no query",
            where="splits.shares",
            found=dict(folder.params.splits.shares),
            expected="a positive share of test, and queries on that side",
            next_command="edit params.yaml, then dvc repro",
        )


def _confirmed() -> bool:
    if not is_terminal(sys.stdin):
        raise RankgateError(
            "opening the test asks first", found="no terminal", next_command="rankgate open --yes"
        )
    return click.confirm("Open the test?")


def _before(
    folder: StudyFolder, selection: dict[str, Any], earlier: Sequence[str]
) -> Iterator[str]:
    """What a person should know before opening, one line each."""
    test = stored(folder, "evaluation_summary")["test"]
    level = alpha_at(folder.params.evaluation.alpha, len(earlier) + 1)
    seen = f"other selections opened on this test set; this one is judged at {level:.4g}"
    lines = {
        "test set": f"{selection['hashes']['test_set'][:12]}: {test['queries']} queries"
        f" in {test['groups']} groups",
        "selection": selection["configuration"]["description"],
        "earlier": f"{len(earlier)} {seen}",
        "detectable": _figure(test.get("detectable"), "{:.4f} beyond the margin, with 80 % power"),
        "judged": _figure(test.get("judged_share"), "{:.1%} of the pooled pairs"),
    }
    elsewhere = other_openings(folder, selection["hashes"]["test_set"])
    shown = [*lines.items(), *(("elsewhere", line) for line in elsewhere)]
    return (f"{name:<11} {value}" for name, value in shown)


def _figure(value: float | None, words: str) -> str:
    return "not known" if value is None else words.format(value)
