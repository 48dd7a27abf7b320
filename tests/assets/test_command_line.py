"""The command line itself: help without imports, exit codes, one line for an error."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assets.__main__ import COMMANDS, NO_MEMORY
from assets.folder import StudyFolder
from assets.freshness import stale_stages
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


@pytest.mark.parametrize("place", ["studies/one", "one"])
def test_no_study_here_names_those_beneath(
    place: str, rankgate: Run, founded: Path, tmp_path: Path
) -> None:
    root = tmp_path / place
    shutil.copytree(founded, root)
    (tmp_path / "params.yaml.d").mkdir()
    for command in ("status", "summary", "check", "decide"):
        done = rankgate(command, study=tmp_path)
        assert done.exit_code == 1
        assert f"found studies in {root}. Next: cd {root}, or --study {root}" in done.stderr


def test_within_a_study_the_folder_above_is_named(
    rankgate: Run, founded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(founded / "data" / "collections")
    done = rankgate("show", "q1")
    assert "Next: cd ../.., or --study ../.." in done.stderr


def test_a_params_file_of_another_tool_is_no_study(rankgate: Run, tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "params.yaml").write_text("lr: 1\n")
    assert "rankgate init DIR" in rankgate("status", study=tmp_path).stderr


@pytest.mark.parametrize(
    "words",
    [
        ("show", "q1"),
        ("judge", "status"),
        pytest.param(("status",), marks=pytest.mark.slow),
        pytest.param(("export",), marks=pytest.mark.slow),
        pytest.param(("check",), marks=pytest.mark.slow),
        pytest.param(("run", "splits"), marks=pytest.mark.slow),
    ],
)
def test_the_study_may_be_named_after_the_command_too(
    words: tuple[str, ...], rankgate: Run, study: Path
) -> None:
    before = rankgate(*words, study=study)
    after = rankgate(*words, "--study", study)
    assert (after.exit_code, before.exit_code) == (0, 0), after.output
    if words[0] not in ("check", "run"):  # which tell how fast the machine is just now
        assert after.output == before.output
    if words[0] == "judge":
        assert rankgate("judge", "--study", study, "status").output == before.output


def test_two_studies_are_a_usage_error(rankgate: Run, study: Path, tmp_path: Path) -> None:
    done = rankgate("status", "--study", tmp_path, study=study)
    assert done.exit_code == 2
    assert "one study" in done.stderr


def test_a_command_that_acts_on_no_study_does_not_take_one(rankgate: Run, tmp_path: Path) -> None:
    assert rankgate("measure", "--study", tmp_path).exit_code == 2


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


def test_a_lack_of_memory_is_told_as_one(
    rankgate: Run, founded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def starve(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr("assets.commands.run_.run_stage", starve)
    done = rankgate("run", "splits", study=founded)
    assert done.exit_code == 1
    assert done.stderr == f"rankgate: {NO_MEMORY}\n"


def test_a_lock_that_git_could_not_merge_is_told_with_its_file(study: Path) -> None:
    (study / "dvc.lock").write_text("<<<<<<< HEAD\nschema: '2.0'\n")
    with pytest.raises(InputError, match=r"dvc\.lock:1: .*conflict\. Next: git checkout --ours"):
        data_versions(StudyFolder(study))
    with pytest.raises(InputError, match=r"dvc\.lock:1: .*conflict\. Next: git checkout --ours"):
        stale_stages(StudyFolder(study))


def test_parameters_that_git_could_not_merge_are_told_before_dvc_tells_them(
    rankgate: Run, study: Path
) -> None:
    path = study / "params.yaml"
    path.write_text(path.read_text() + "<<<<<<< HEAD\nseed: 1\n=======\nseed: 2\n>>>>>>> b\n")
    done = rankgate("status", study=study)
    assert done.exit_code == 1
    assert "params.yaml:" in done.stderr
    assert "found a mark that git left of a conflict; expected one of the two sides" in done.stderr


def test_ctrl_c_is_one_line_and_the_shells_code_for_it(
    rankgate: Run, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("assets.commands.run_.run_stage", interrupt)
    done = rankgate("run", "evaluation", study=study)
    assert (done.exit_code, done.stderr) == (130, "rankgate: interrupted\n")
    shown = rankgate("--debug", "run", "evaluation", study=study)
    assert "Traceback" in shown.stderr
