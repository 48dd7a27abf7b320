"""`rankgate time`: what each part costs here, appended to the record, never matched by machine."""

from pathlib import Path

import pytest

from assets.folder import StudyFolder
from assets.orchestration.preparation import prepare
from assets.processes import dvc
from assets.runner import run_stage
from assets.timing import calls_for, lacks_times, times_text
from pipeline.storage import append_lines
from pipeline.times import Timing
from tests.assets.five_queries import Run, change_params, read_lines, run_all

SEARCHED = {
    "words": {"kind": "bm25", "depth": 3, "language": "none"},
    "lsa": {"kind": "dense", "encoder": "lsa", "dimensions": 2, "depth": 3},
}
LIMIT = {"latency": {"percentile": 50, "milliseconds": 10_000.0}}


def timing(*calls: float) -> Timing:
    """A branch's warm calls."""
    return Timing("words", "warm", calls, {"words": "x"}, None, {}, {}, "2026-01-01T00:00:00Z")


@pytest.fixture
def timeable(new_study: Path) -> StudyFolder:
    """The study over branches that have engines, up to its selection."""
    folder = change_params(new_study, candidates=None)
    folder = change_params(new_study, candidates=SEARCHED, decision=LIMIT)
    run_all(folder)
    return folder


def test_the_table_leaves_out_percentiles_that_need_more_calls() -> None:
    shown = times_text([timing(*[1.0] * 19), timing(*map(float, range(1, 201)))]).splitlines()
    assert shown[0].split() == ["system", "mode", "calls", "p50", "ms", "p95", "ms", "p99", "ms"]
    assert shown[1].split() == ["words", "warm", "19", "-", "-", "-"]
    assert shown[2].split() == ["words", "warm", "200", "100.00", "190.00", "-"]


def test_as_many_calls_as_the_limits_percentile_needs(new_study: Path) -> None:
    assert calls_for(StudyFolder(new_study).params) == 200
    limit = {"latency": {"percentile": 99, "milliseconds": 1.0}}
    assert calls_for(change_params(new_study, decision=limit).params) == 1000


@pytest.mark.slow
def test_it_appends_a_line_for_every_branch_and_for_the_selection(
    rankgate: Run, timeable: StudyFolder
) -> None:
    dvc(timeable.root, "commit", "--force")
    assert lacks_times(timeable)
    done = rankgate("time", "--calls", "20", study=timeable.root)
    assert done.exit_code == 0, done.output
    lines = read_lines(timeable.root / "data" / "times.jsonl")
    assert [line["system"] for line in lines] == ["lsa", "words", "selected", "selected:fusion"]
    assert {line["calls"] for line in lines} == {20}
    assert all(str(line["machine"]["cores"]).isdigit() for line in lines)
    assert "4 lines more. Next: dvc repro" in done.output
    assert not lacks_times(StudyFolder(timeable.root))


@pytest.mark.slow
def test_a_stale_selection_is_not_timed(rankgate: Run, timeable: StudyFolder) -> None:
    done = rankgate("time", study=timeable.root)
    assert done.exit_code == 1
    assert "the stored selection is not for the present inputs" in done.stderr
    assert "Next: dvc repro" in done.stderr
    assert (timeable.root / "data" / "times.jsonl").read_bytes() == b"\n"


def test_recorded_branches_cannot_be_timed_here(rankgate: Run, study: Path) -> None:
    done = rankgate("time", study=study)
    assert done.exit_code == 1
    assert "every branch is recorded" in done.stderr


def test_a_limit_on_recorded_branches_asks_for_no_measurement(study: Path) -> None:
    folder = change_params(study, decision=LIMIT)
    assert not lacks_times(folder)


def test_without_a_limit_nothing_is_lacking(study: Path) -> None:
    assert not lacks_times(StudyFolder(study))


@pytest.mark.slow
def test_times_of_other_contracts_are_none(timeable: StudyFolder) -> None:
    line = timing(*[1.0] * 200).line() | {"system": "selected", "configuration": "x"}
    append_lines(timeable.root / "data" / "times.jsonl", [line])
    assert lacks_times(timeable)


@pytest.mark.slow
def test_an_unattended_run_measures_once_where_a_limit_asks_for_it(timeable: StudyFolder) -> None:
    times = timeable.root / "data" / "times.jsonl"
    prepare(timeable)
    measured = times.read_bytes()
    assert len(read_lines(times)) == 4
    prepare(StudyFolder(timeable.root))
    assert times.read_bytes() == measured
    run_stage(timeable, "operations")
    run_stage(timeable, "decision")


def test_an_unattended_run_without_a_limit_only_assigns(study: Path) -> None:
    sides = (study / "data" / "sides.jsonl").read_bytes()
    prepare(StudyFolder(study))
    assert (study / "data" / "sides.jsonl").read_bytes() == sides
    assert (study / "data" / "times.jsonl").read_bytes() == b"\n"
