"""An edit between a stage's end and DVC's note of it is told, by the next stage and by all who ask.

`dvc commit --force` is that note: it takes params.yaml as it is for what the results were made of.
"""

import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from assets.folder import StudyFolder
from assets.lock import Recorded, targets
from assets.made_of import FILE
from assets.misrecorded import made_of_others, refuse_misrecorded
from assets.processes import dvc, environment
from assets.runner import run_stage
from assets.stages import STAGES, TRACKING
from assets.state import State
from assets.upstream import upstream
from pipeline.errors import InputError, RankgateError
from pipeline.storage import read_json, write_text
from tests.assets.five_queries import Run, change_params
from tests.assets.late_edits import repro_edited_after
from tests.assets.test_runner import files_of

LATE = {"rank_constants": [10]}
READING_IT = [stage.name for stage in STAGES if "sweep" in stage.sections]
MEND = f"dvc repro --force --single-item {' '.join(READING_IT)}, then dvc repro"


@pytest.fixture(scope="module")
def noted(tmp_path_factory: pytest.TempPathFactory, finished: Path) -> Path:
    """The finished study after a late edit of the sweep's constants; not to be changed."""
    root = Path(shutil.copytree(finished, tmp_path_factory.mktemp("noted") / "five"))
    change_params(root, sweep=LATE)
    dvc(root, "commit", "--force")
    return root


@pytest.fixture
def late(tmp_path: Path, noted: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(noted, tmp_path / "five"))


def edited(root: Path, **sections: object) -> str:
    """The text that params.yaml would have after an edit."""
    path = root / "params.yaml"
    before = path.read_text("utf-8")
    change_params(root, **sections)
    after = path.read_text("utf-8")
    write_text(path, before)
    return after


def test_a_finished_study_was_made_of_its_parameters(finished: Path) -> None:
    assert made_of_others(StudyFolder(finished), STAGES) == {}


@pytest.mark.parametrize("stage", [*STAGES, TRACKING], ids=lambda stage: stage.name)
def test_every_later_stage_refuses_and_no_other(stage: object, noted: Path) -> None:
    folder = StudyFolder(noted)
    (row,) = [each for each in (*STAGES, TRACKING) if each is stage]
    found = [each.name for each in upstream(row) if each.name in READING_IT]
    if not found:
        refuse_misrecorded(folder, upstream(row))
        return
    named = ", ".join(f"{name} (sweep)" for name in found)
    with pytest.raises(RankgateError) as problem:
        run_stage(folder, row.name)
    assert str(problem.value) == (
        f"{noted / 'dvc.lock'}: results were made of other parameters than it says; "
        f"found {named}; expected the values that each stage used. "
        f"Next: dvc repro --force --single-item {' '.join(found)}, then dvc repro"
    )


def test_status_says_so_and_what_mends_it(rankgate: Run, noted: Path) -> None:
    lines = rankgate("status", study=noted).stdout.splitlines()
    assert lines[1] == "stale     nothing"
    named = ", ".join(f"{name} (sweep)" for name in READING_IT)
    assert lines[2] == f"not used  {named}: what dvc.lock says of these parameters"
    assert lines[3] == "decision  sealed (of earlier inputs)"
    assert lines[-1] == f"next      {MEND}"


@pytest.mark.parametrize(
    "words",
    [
        ("decide",),
        pytest.param(("summary",), marks=pytest.mark.slow),
        pytest.param(("open", "--yes"), marks=pytest.mark.slow),
        pytest.param(("time", "--calls", "1"), marks=pytest.mark.slow),
        pytest.param(("export", "elasticsearch"), marks=pytest.mark.slow),
        pytest.param(("compare", ".", "."), marks=pytest.mark.slow),
    ],
    ids=lambda words: words[0],
)
def test_no_command_gives_such_results_for_the_studys(
    words: tuple[str, ...], rankgate: Run, late: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(late)
    ledger = (late / "data" / "ledger.jsonl").read_bytes()
    done = rankgate(*words)
    assert done.exit_code == 1
    assert done.stdout == ""
    assert "results were made of other parameters than it says" in done.stderr
    assert (late / "data" / "ledger.jsonl").read_bytes() == ledger


def test_earlier_parameters_are_no_such_case(study: Path) -> None:
    """dvc.lock says so: DVC makes these results anew by itself."""
    folder = change_params(study, sweep=LATE)
    assert list(made_of_others(folder, STAGES)) == READING_IT
    refuse_misrecorded(folder, STAGES)


@pytest.mark.parametrize(
    "sections",
    [
        {"sweep": {"target": "any"}},  # as it is by default
        {"tracking": {"children": 7}},  # nothing is made of it
        {"decision": {"primary": {"margin": 0.1, "tolerance": 0.0}}},  # only what comes after
    ],
)
def test_what_a_stage_does_not_look_at_is_none_of_its_parameters(
    sections: dict[str, object], study: Path
) -> None:
    folder = change_params(study, **sections)
    earlier = [stage for stage in STAGES if "decision" not in stage.sections]
    assert not {"snapshot", "splits", "pool", "sweep"} & set(made_of_others(folder, earlier))


def test_results_that_say_nothing_are_taken_as_they_are(late: Path) -> None:
    """As those of an earlier version, or those that are not there."""
    for path in (late / "data").rglob(FILE):
        path.unlink()
    shutil.rmtree(late / "data" / "sweep")
    assert made_of_others(StudyFolder(late), STAGES) == {}


def test_a_branch_that_is_declared_no_longer_is_none_of_the_study(study: Path) -> None:
    content = yaml.safe_load((study / "params.yaml").read_text("utf-8"))
    del content["candidates"]["semantic"]
    write_text(study / "params.yaml", yaml.safe_dump(content))
    assert not [name for name in made_of_others(StudyFolder(study), STAGES) if "semantic" in name]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"kind": "recorded", "run": "lexical", "depth": 2}, False),
        ({"kind": "recorded", "run": "lexical", "depth": 100, "order": "rank"}, False),
        # A false option stands in no command, so that DVC sees no change.
        ({"kind": "recorded", "run": "lexical", "depth": 100, "higher_is_better": False}, True),
    ],
)
def test_a_branchs_options_stand_in_its_command(
    options: dict[str, object], told: bool, study: Path
) -> None:
    folder = change_params(study, candidates={"lexical": options})
    assert next(iter(made_of_others(folder, STAGES))) == "candidates@lexical"
    assert Recorded(folder).is_present(("candidates", "lexical")) is told
    assert Recorded(folder).is_present(("candidates", "semantic"))


@pytest.mark.parametrize("value", [0.00001, 0.05, 0.25])
def test_numbers_are_read_as_dvc_writes_them(value: float, study: Path) -> None:
    """The smallest without a dot, which PyYAML by itself takes for text."""
    lock = study / "dvc.lock"
    written = f"alpha: {value!r}"
    assert "alpha: 0.05" in lock.read_text("utf-8")
    write_text(lock, lock.read_text("utf-8").replace("alpha: 0.05", written))
    params = study / "params.yaml"
    spelled = f"alpha: {value:.5f}"
    write_text(params, params.read_text("utf-8").replace("alpha: 0.05", spelled))
    assert Recorded(StudyFolder(study)).is_present(("evaluation",))


def test_a_stage_that_dvc_lock_does_not_know_is_stale(new_study: Path) -> None:
    recorded = Recorded(StudyFolder(new_study))
    assert not any(recorded.is_present(key) for key in targets(StudyFolder(new_study)))


def test_an_unreadable_file_is_told(late: Path) -> None:
    write_text(late / "data" / "sweep" / FILE, "[]\n")
    with pytest.raises(InputError, match=r"sweep/parameters\.json.*Next: dvc checkout"):
        made_of_others(StudyFolder(late), STAGES)


def test_what_mends_it_comes_before_what_is_stale() -> None:
    state = State("s", ["report"], "ship", 1, {}, [], others={"sweep": ["seed"]})
    assert state.next_command == "dvc repro --force --single-item sweep, then dvc repro"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("after", "next_stage", "first", "then"),
    [
        (
            "sweep",
            "selection",
            {"sweep": {"rank_constants": [10]}},
            {"sweep": {"rank_constants": [20]}},
        ),
        (
            "candidates@lexical",
            "pool",
            {"candidates": {"lexical": {"kind": "recorded", "run": "lexical", "depth": 2}}},
            {
                "candidates": {
                    "lexical": {
                        "kind": "recorded",
                        "run": "lexical",
                        "depth": 2,
                        "higher_is_better": False,
                    }
                }
            },
        ),
    ],
    ids=["sweep", "candidates"],
)
def test_the_next_stage_refuses_and_the_told_commands_mend_it(
    after: str,
    next_stage: str,
    first: dict[str, object],
    then: dict[str, object],
    tmp_path: Path,
    finished: Path,
) -> None:
    """Under a real `dvc repro`, up to the same bytes as if the edit had been there before."""
    edited_late, undisturbed = (
        Path(shutil.copytree(finished, tmp_path / name / "five")) for name in "ab"
    )
    text = edited(edited_late, **then)
    change_params(edited_late, **first)
    done = repro_edited_after(after, edited_late, text, next_stage)
    assert done.returncode != 0
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("rankgate: ")]
    assert f"found {after} (" in line
    # What makes it worth a word: dvc.lock has the late value, and DVC is content with it.
    assert Recorded(StudyFolder(edited_late)).is_present(tuple(after.split("@")))
    told = line.partition("Next: ")[2].split(", then ")
    assert told == [f"dvc repro --force --single-item {after}", "dvc repro"]
    for command in told[0], f"{told[1]} {next_stage}":
        subprocess.run(command.split(), cwd=edited_late, env=environment(), check=True)
    write_text(undisturbed / "params.yaml", text)
    dvc(undisturbed, "repro", "--force", "--single-item", after)
    dvc(undisturbed, "repro", next_stage)
    assert files_of(edited_late / "data") == files_of(undisturbed / "data")
    assert (edited_late / "dvc.lock").read_bytes() == (undisturbed / "dvc.lock").read_bytes()


@pytest.mark.slow
def test_no_later_stage_is_needed_to_notice(tmp_path: Path, finished: Path, rankgate: Run) -> None:
    root = Path(shutil.copytree(finished, tmp_path / "five"))
    text = edited(root, decision={"robust": True})
    change_params(root, decision={"equal_work": True})
    done = repro_edited_after("decision", root, text, "decision")
    assert done.returncode == 0
    assert read_json(root / "data" / "decision" / FILE)["decision"]
    shown = rankgate("decide", study=root)
    assert shown.exit_code == 1
    assert "found decision (decision); " in shown.stderr
    assert shown.stdout == ""
