"""Records that are gone here while git has them are brought back, never begun anew."""

import shutil
import subprocess
from pathlib import Path

import pytest

from assets.checking import check_study
from assets.folder import StudyFolder
from assets.records import LEDGER, RECORDS, SIDES, lost_records
from tests.assets.five_queries import Run

BACK = "git checkout -- data/sides.jsonl data/ledger.jsonl data/times.jsonl"


def git(root: Path, *arguments: str) -> None:
    """Git, as somebody."""
    named = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    subprocess.run(["git", *named, *arguments], cwd=root, check=True, capture_output=True)


def commit(root: Path) -> None:
    """The records, in git."""
    git(root, "add", *map(str, RECORDS))
    git(root, "commit", "-q", "-m", "Records")


def lose(root: Path) -> None:
    """What `rm -rf data; dvc checkout` does to the records."""
    for record in RECORDS:
        (root / record).unlink()


@pytest.fixture
def lost(new_study: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A study whose records were committed, then lost; the user stands in it."""
    commit(new_study)
    lose(new_study)
    monkeypatch.chdir(new_study)
    return new_study


def is_lost(root: Path) -> bool:
    """Whether no record was begun."""
    return not any((root / record).exists() for record in RECORDS)


def test_status_says_so_and_what_brings_them_back(rankgate: Run, lost: Path) -> None:
    lines = rankgate("status").output.splitlines()
    assert lines[-1] == f"next      {BACK}"
    assert lines[-2].startswith("lost      data/sides.jsonl, data/ledger.jsonl, data/times.jsonl: ")


def test_check_neither_begins_records_nor_answers_without_them(rankgate: Run, lost: Path) -> None:
    findings = list(check_study(StudyFolder(Path())))
    (problem,) = (one.text for one in findings if one.kind == "problem")
    assert problem.endswith(f"lost here, and git has it. Next: {BACK}")
    assert not [one.text for one in findings if "at level" in one.text]
    assert rankgate("check").exit_code == 1


@pytest.mark.parametrize("command", [["assign"], ["open", "--yes"], ["time"], ["decide"]])
def test_a_command_that_would_begin_or_read_one_refuses(
    rankgate: Run, lost: Path, command: list[str]
) -> None:
    done = rankgate(*command)
    assert done.exit_code == 1
    assert f"git has it. Next: {BACK}" in done.stderr
    assert is_lost(lost)


def test_a_stage_refuses(rankgate: Run, lost: Path) -> None:
    rankgate("run", "snapshot")
    done = rankgate("run", "splits")
    assert done.exit_code == 1
    assert f"git has it. Next: {BACK}" in done.stderr


def test_the_command_brings_them_back(lost: Path) -> None:
    found = lost_records(StudyFolder(lost))
    assert found is not None
    subprocess.run(found.command.split(), check=True, capture_output=True)
    assert lost_records(StudyFolder(lost)) is None
    assert all((lost / record).is_file() for record in RECORDS)


def test_one_lost_record_is_enough(rankgate: Run, new_study: Path) -> None:
    commit(new_study)
    (new_study / LEDGER).unlink()
    done = rankgate("assign", study=new_study)
    assert done.exit_code == 1
    assert "data/ledger.jsonl: lost here" in done.stderr
    assert "sides.jsonl" not in done.stderr


def test_what_was_added_but_not_committed_is_in_the_index(new_study: Path) -> None:
    git(new_study, "add", str(SIDES))
    lose(new_study)
    found = lost_records(StudyFolder(new_study))
    assert found is not None
    assert list(found.records) == [SIDES]


def test_what_was_removed_from_the_index_is_in_the_last_commit(
    new_study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(new_study)
    git(new_study, "rm", "-q", str(LEDGER))
    (new_study / SIDES).unlink()
    monkeypatch.chdir(new_study)
    found = lost_records(StudyFolder(Path()))
    assert found is not None
    assert found.command == (
        "git checkout -- data/sides.jsonl && git checkout HEAD -- data/ledger.jsonl"
    )


def test_paths_are_from_where_the_user_is(lost: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(lost / "data")
    inside = lost_records(StudyFolder(Path("..")))
    monkeypatch.chdir(lost.parent)  # another repository, or none: git would not know the paths
    outside = lost_records(StudyFolder(Path("five")))
    assert inside is not None
    assert outside is not None
    assert inside.command == "git checkout -- sides.jsonl ledger.jsonl times.jsonl"
    assert outside.command == BACK.replace("git", "git -C five", 1)


@pytest.mark.parametrize("without_git", [False, True])
def test_records_that_git_never_had_are_told_as_before(new_study: Path, without_git: bool) -> None:
    if without_git:
        shutil.rmtree(new_study / ".git")
    lose(new_study)
    assert lost_records(StudyFolder(new_study)) is None
    problems = [one.text for one in check_study(StudyFolder(new_study)) if one.kind == "problem"]
    for record in RECORDS:
        assert any(text.endswith(f"Next: touch {new_study / record}") for text in problems)
    assert any(
        text.endswith("5 queries without a side. Next: rankgate assign") for text in problems
    )


def test_status_says_which_records_git_never_had_and_how_to_begin_them(
    rankgate: Run, new_study: Path
) -> None:
    """Raw `dvc repro` can only say "No such file or directory"."""
    (new_study / SIDES).unlink()
    *_, missing, following = rankgate("status", study=new_study).output.splitlines()
    assert missing == f"missing   {new_study / SIDES}: neither here nor in git"
    assert following == f"next      touch {new_study / SIDES}"
    subprocess.run(following.split()[1:], check=True)
    done = rankgate("run", "snapshot", study=new_study)
    assert done.exit_code == 0, done.output
    done = rankgate("run", "splits", study=new_study)
    assert "Next: rankgate assign" in done.stderr
