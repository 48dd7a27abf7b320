"""The command line itself: help without imports, exit codes, one line for an error."""

import subprocess
import sys
from pathlib import Path

import pytest

from assets.__main__ import COMMANDS
from assets.folder import StudyFolder
from assets.lock import data_versions
from pipeline.errors import InputError
from tests.assets.five_queries import Run


def test_help_names_every_command(rankgate: Run) -> None:
    shown = rankgate("--help").output
    assert all(f"\n  {name} " in shown for name in COMMANDS)


@pytest.mark.parametrize("name", sorted(set(COMMANDS) - {"summary"}))
def test_every_command_is_there_and_explains_itself(name: str, rankgate: Run) -> None:
    done = rankgate(name, "--help")
    assert done.exit_code == 0
    assert "Usage:" in done.output


def test_an_unknown_command_is_a_usage_error(rankgate: Run) -> None:
    assert rankgate("polish").exit_code == 2


def test_no_study_here_is_one_line_with_the_next_command(rankgate: Run, tmp_path: Path) -> None:
    done = rankgate("status", study=tmp_path)
    assert done.exit_code == 1
    assert done.stdout == ""
    assert done.stderr == (
        f"rankgate: {tmp_path / 'params.yaml'}: no study here."
        " Next: rankgate init DIR --collection PATH, or --study DIR\n"
    )


def test_debug_adds_the_traceback(rankgate: Run, tmp_path: Path) -> None:
    done = rankgate("--debug", "status", study=tmp_path)
    assert done.exit_code == 1
    assert "Traceback" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("rankgate: ")


def test_a_file_that_cannot_be_written_is_one_line(rankgate: Run, tmp_path: Path) -> None:
    run = tmp_path / "a.run"
    run.write_text("q1 Q0 a 1 1.0 t\n")
    (tmp_path / "file").write_text("")
    done = rankgate("fuse", run, run, "-o", tmp_path / "file" / "fused.run")
    assert done.exit_code == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.startswith("rankgate: ")
    assert len(done.stderr.splitlines()) == 1


def test_as_a_module_it_is_the_same_program(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "assets", "--study", str(tmp_path), "run", "snapshot"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("rankgate: ")


def test_what_nobody_foresaw_is_one_line_too_and_debug_shows_where(
    rankgate: Run, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumble(*_: object) -> None:
        raise KeyError("a fault of ours")

    monkeypatch.setattr("assets.commands.run_.run_stage", stumble)
    done = rankgate("run", "evaluation", study=study)
    assert done.exit_code == 1
    assert done.stderr.startswith("rankgate: unexpected KeyError: ")
    assert "rankgate --debug" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    shown = rankgate("--debug", "run", "evaluation", study=study)
    assert shown.exit_code == 1
    assert "Traceback" in shown.stderr


def test_a_lock_that_git_could_not_merge_is_told_with_its_file(study: Path) -> None:
    (study / "dvc.lock").write_text("<<<<<<< HEAD\nschema: '2.0'\n")
    with pytest.raises(InputError, match=r"dvc\.lock: not YAML.*Next: git checkout"):
        data_versions(StudyFolder(study))
