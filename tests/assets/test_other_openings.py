"""A test set that another study of the repository opened: told, and not counted."""

import shutil
from pathlib import Path

import pytest

from assets.checking import check_study
from assets.commands import open_
from assets.folder import StudyFolder
from assets.other_openings import other_openings
from assets.records import LEDGER
from pipeline.storage import read_json
from tests.assets.five_queries import Run, write_lines


def beside(root: Path, name: str) -> Path:
    """A second study in the same repository."""
    other = root / "studies" / name
    (other / "data").mkdir(parents=True)
    for file in ("params.yaml", "dvc.yaml", LEDGER):
        shutil.copy(root / file, other / file)
    return other


def opened(root: Path, test_set: str, *selections: str) -> None:
    """Writes a study's ledger."""
    chosen = {"method": "rrf", "weights": {"lexical": 0.5, "semantic": 0.5}}
    line = {"test_set": test_set, "configuration": chosen, "opened_at": "2026-01-01T00:00:00+00:00"}
    write_lines(root / LEDGER, [line | {"selection": one} for one in selections])


@pytest.fixture
def test_set(study: Path) -> str:
    """The hash of the study's test set."""
    found: str = read_json(study / "data/selection/selection.json")["hashes"]["test_set"]
    return found


def test_opening_tells_it_before_it_asks(
    rankgate: Run, study: Path, test_set: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(open_, "refuse_stale", lambda *_, **__: None)
    monkeypatch.chdir(study)
    opened(beside(study, "mine"), test_set, "first", "second", "first")
    done = rankgate("open")
    assert "Next: rankgate open --yes" in done.stderr  # no terminal: it stopped where it asks
    told = [line for line in done.stdout.splitlines() if line.startswith("elsewhere")]
    assert told == [
        "elsewhere   studies/mine has opened this test set for 2 selection(s), not counted here:"
        " each study counts its own"
    ]
    assert "0 other selections opened on this test set; this one is judged at 0.05" in done.stdout


def test_check_warns_of_it(study: Path, test_set: str) -> None:
    opened(beside(study, "mine"), test_set, "first")
    warnings = [one.text for one in check_study(StudyFolder(study)) if one.kind == "warning"]
    assert [text for text in warnings if "studies/mine has opened this test set for 1 " in text]


def test_it_is_found_from_either_study(
    study: Path, test_set: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, third = beside(study, "mine"), beside(study, "yours")
    opened(study, test_set, "first")
    opened(third, test_set, "first")
    monkeypatch.chdir(other)
    lines = list(other_openings(StudyFolder(Path()), test_set))
    assert [line.split()[0] for line in lines] == ["../..", "../yours"]


def test_another_test_set_and_the_own_ledger_are_not_told(study: Path, test_set: str) -> None:
    opened(study, test_set, "first")
    opened(beside(study, "mine"), "another", "first")
    assert list(other_openings(StudyFolder(study), test_set)) == []


def test_a_study_beyond_the_repository_is_not_looked_at(study: Path, test_set: str) -> None:
    stranger = Path(shutil.move(beside(study, "mine"), study.parent / "mine"))
    opened(stranger, test_set, "first")
    assert list(other_openings(StudyFolder(study), test_set)) == []


@pytest.mark.parametrize("broken", ["{", None])
def test_a_ledger_that_cannot_be_read_is_said_to_be(
    study: Path, test_set: str, broken: str | None
) -> None:
    ledger = beside(study, "mine") / LEDGER
    ledger.unlink()
    if broken is not None:
        ledger.write_text(broken)
    (line,) = other_openings(StudyFolder(study), test_set)
    assert "studies/mine cannot be read" in line
