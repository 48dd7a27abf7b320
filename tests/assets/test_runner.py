"""The runner: declared inputs, declared parameters, whole outputs."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from assets.artifacts import ARTIFACTS
from assets.folder import StudyFolder
from assets.runner import load, run_stage, visible, write_outputs
from assets.stages import BY_NAME, STAGES, TRACKING, Stage
from pipeline.errors import MissingError, ParameterError, RankgateError
from pipeline.pool import Pool
from pipeline.storage import read_json
from tests.assets.five_queries import Run, change_params

# Every limit declared, so that every gate and every branch of a stage is reached.
EVERYTHING = {
    "production": "lexical",
    "fusion": {"branches": ["lexical", "semantic"]},
    "decision": {
        "latency": {"milliseconds": 10.0, "ratio": 2.0, "cold": {"milliseconds": 50.0}},
        "zero_hits": {"tolerance": 0.1},
        "cost": {"candidates": {"most": 50, "ratio": 1.0}, "context_tokens": {"most": 500}},
        "degraded": {"floor": 0.5},
        "coverage": {"judged": 0.5, "gap": 0.5},
        "robust": True,
        "equal_work": True,
        "stability": True,
        "pinned": [{"query": "q4", "evidence": "a", "cutoff": 2}],
    },
}


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file under a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory, finished: Path) -> StudyFolder:
    """A finished study whose parameters then declare every limit."""
    root = Path(shutil.copytree(finished, tmp_path_factory.mktemp("everything") / "five"))
    return change_params(root, **EVERYTHING)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_a_stage_looks_only_at_the_sections_it_declares(
    stage: Stage, everything: StudyFolder
) -> None:
    for branch in sorted(everything.params.candidates) if stage.per_branch else [None]:
        run_stage(everything, stage.name, branch)


def test_a_section_that_is_not_declared_is_not_there(founded: Path) -> None:
    params = visible(StudyFolder(founded).params, ["seed", "fusion.duplicates"])
    assert params.seed == 7
    assert params.fusion.duplicates == "reject"
    with pytest.raises(AttributeError):
        _ = params.sweep
    with pytest.raises(AttributeError):
        _ = params.fusion.level


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_the_same_stage_writes_the_same_bytes(stage: Stage, study: Path) -> None:
    folder = StudyFolder(study)
    before = files_of(study / "data" / stage.name)
    for branch in sorted(folder.params.candidates) if stage.per_branch else [None]:
        run_stage(folder, stage.name, branch)
    assert files_of(study / "data" / stage.name) == before


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_everything_a_row_writes_is_there_and_can_be_read(stage: Stage, finished: Path) -> None:
    folder = StudyFolder(finished)
    for branch in sorted(folder.params.candidates) if stage.per_branch else [None]:
        place = finished / "data" / stage.name / (branch or "")
        assert {"columns", "rows"} <= set(read_json(place / "summary.json")["table"])
        for name in stage.writes.values():
            path = finished / "data" / ARTIFACTS[name].path.replace("{branch}", branch or "")
            assert path.exists()
            assert path.is_relative_to(place)
            if name not in {"recorded_runs", "vectors"}:
                ARTIFACTS[name].read(folder, branch)


@pytest.mark.parametrize("stage", [*STAGES, TRACKING], ids=lambda stage: stage.name)
def test_every_compute_can_be_imported(stage: Stage) -> None:
    assert callable(load(stage.compute))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("polish",), "run: no such stage; found polish; expected snapshot, splits, "),
        (("candidates",), "run candidates --branch: no such branch; found none; expected lexical"),
        (("candidates", "--branch", "dense"), "found dense; expected lexical, semantic"),
    ],
)
def test_an_unknown_stage_or_branch_is_refused_with_the_known(
    words: tuple[str, ...], said: str, rankgate: Run, founded: Path
) -> None:
    done = rankgate("run", *words, study=founded)
    assert done.exit_code == 1
    assert said in done.stderr


def test_a_branchs_options_on_the_command_line_are_for_dvc_alone(
    rankgate: Run, study: Path
) -> None:
    words = ("run", "candidates", "--branch", "lexical", "--kind", "recorded", "--depth", "1")
    done = rankgate(*words, study=study)
    assert done.exit_code == 0
    lists = ARTIFACTS["branch_candidates"].read(StudyFolder(study), "lexical")
    assert lists["rank"].max() == 3


def test_another_version_is_refused(rankgate: Run, new_study: Path) -> None:
    change_params(new_study, rankgate="0.0.1")
    done = rankgate("run", "snapshot", study=new_study)
    assert done.exit_code == 1
    assert "the study was made for another version; found 0.0.1, installed is " in done.stderr
    assert not (new_study / "data" / "snapshot").exists()


def test_a_missing_input_names_the_file_and_the_command(founded: Path) -> None:
    with pytest.raises(MissingError, match=r"documents\.parquet.*Next: dvc repro"):
        run_stage(StudyFolder(founded), "pool")


def test_ambiguous_yaml_stops_a_stage_with_its_line(rankgate: Run, new_study: Path) -> None:
    path = new_study / "params.yaml"
    for spelling in ("1e-3", "no", "0012", "12:30:00"):
        text = path.read_text()
        path.write_text(text.replace("seed: 7", f"seed: {spelling}"))
        done = rankgate("run", "snapshot", study=new_study)
        assert done.exit_code == 1
        assert f"found {spelling}" in done.stderr
        assert "params.yaml:" in done.stderr
        path.write_text(text)


@pytest.mark.parametrize("name", ["..", ".", "-x", ".hidden", "a/b"])
def test_a_branch_cannot_be_named_so_that_it_writes_elsewhere(name: str, new_study: Path) -> None:
    with pytest.raises(ParameterError, match="candidates"):
        _ = change_params(
            new_study, candidates={name: {"kind": "recorded", "run": "lexical"}}
        ).params


def test_a_failing_write_leaves_the_earlier_outputs(study: Path) -> None:
    before = files_of(study / "data" / "pool")
    folder = StudyFolder(study)
    pool = ARTIFACTS["pool"].read(folder, None)
    broken = Pool(pool, ARTIFACTS["coverage"].read(folder, None), pool, {})
    with pytest.raises(RankgateError):
        write_outputs(study / "data", BY_NAME["pool"], broken, folder.params)
    assert files_of(study / "data" / "pool") == before
    assert not list((study / "data").glob(".unfinished.*"))


def test_what_a_killed_stage_left_is_cleared_by_the_next_run(study: Path) -> None:
    left = study / "data" / ".unfinished.pool"
    (left / "half").mkdir(parents=True)
    run_stage(StudyFolder(study), "pool")
    assert not left.exists()
    assert not (study / "data" / "pool" / "half").exists()


@pytest.mark.parametrize("there", [True, False])
def test_a_linked_output_is_replaced_and_what_it_led_to_is_left(study: Path, there: bool) -> None:
    before = files_of(study / "data")
    if there:
        (study / "data/pool").rename(study / "elsewhere")
    else:
        shutil.rmtree(study / "data/pool")
    (study / "data/pool").symlink_to(study / "elsewhere")
    run_stage(StudyFolder(study), "pool")
    assert files_of(study / "data") == before
    assert not (study / "data/pool").is_symlink()
    assert (study / "elsewhere").exists() == there


@pytest.mark.parametrize("name", [".unfinished.pool", ".replaced.pool"])
def test_a_file_or_a_link_in_the_way_of_a_stage_is_cleared(name: str, study: Path) -> None:
    before = files_of(study / "data")
    (study / "kept").mkdir()
    (study / "kept/file").touch()
    for make in (Path.touch, lambda path: path.symlink_to(study / "kept")):
        make(study / "data" / name)
        run_stage(StudyFolder(study), "pool")
        assert files_of(study / "data") == before
    assert (study / "kept/file").exists()


KILLED = """
import sys, time
from pathlib import Path
from assets import runner
from assets.folder import StudyFolder

def slow(path, content):
    print("writing", flush=True)
    time.sleep(60)

runner.write_json = slow
runner.run_stage(StudyFolder(Path(sys.argv[1])), "pool")
"""


@pytest.mark.slow
def test_a_stage_killed_while_it_writes_leaves_the_earlier_outputs_whole(study: Path) -> None:
    before = files_of(study / "data" / "pool")
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(study)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=Path(__file__).parents[2],
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "writing\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert files_of(study / "data" / "pool") == before
    run_stage(StudyFolder(study), "pool")
    assert files_of(study / "data" / "pool") == before
    assert not list((study / "data").glob(".unfinished.*"))


def test_a_stage_that_cannot_run_says_so_and_keeps_what_was_there(
    rankgate: Run, study: Path
) -> None:
    before = files_of(study / "data" / "snapshot")
    (study / "data/collections/five/queries.jsonl").write_text("not json\n")
    done = rankgate("run", "snapshot", study=study)
    assert done.exit_code == 1
    assert "queries.jsonl:1" in done.stderr
    assert files_of(study / "data" / "snapshot") == before
