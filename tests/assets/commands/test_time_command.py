"""`rankgate time`: what each part costs here, appended to the record, never matched by machine."""

import shutil
from dataclasses import replace
from functools import partial
from pathlib import Path

import polars as pl
import pytest

from assets.folder import StudyFolder
from assets.orchestration.preparation import prepare
from assets.processes import dvc
from assets.runner import run_stage
from assets.timing import amount_for, lacks_times, measure_times, times_lines, work_lines
from pipeline.appending import append_lines
from pipeline.stopwatch import Amount
from pipeline.storage import read_json
from pipeline.times import Timing, Work, parse_times
from tests.assets.five_queries import Run, change_params, read_lines, run_all

SEARCHED = {
    "words": {"kind": "bm25", "depth": 3, "language": "none"},
    "lsa": {"kind": "dense", "encoder": "lsa", "dimensions": 2, "depth": 3},
}
LIMIT = {"latency": {"percentile": 50, "milliseconds": 10_000.0}}


def timing(*calls: float) -> Timing:
    """A branch's warm calls."""
    return Timing("words", "warm", calls, {"words": "x"}, None, {}, {}, "2026-01-01T00:00:00Z")


@pytest.fixture(scope="module")
def searched(tmp_path_factory: pytest.TempPathFactory, founded: Path) -> Path:
    """The study over branches that have engines, run, its outputs known to DVC."""
    root = Path(shutil.copytree(founded, tmp_path_factory.mktemp("searched") / "five"))
    change_params(root, candidates=None)
    run_all(change_params(root, candidates=SEARCHED, decision=LIMIT))
    dvc(root, "commit", "--force")
    return root


@pytest.fixture
def timeable(tmp_path: Path, searched: Path) -> StudyFolder:
    """A copy of it."""
    return StudyFolder(Path(shutil.copytree(searched, tmp_path / "five")))


def test_the_table_leaves_out_percentiles_that_need_more_calls() -> None:
    shown = times_lines([timing(*[1.0] * 19), timing(*map(float, range(1, 201)))])
    assert shown[0].split()[:5] == ["system", "component", "mode", "callers", "calls"]
    assert shown[1].split() == ["words", "end_to_end", "warm", "1", "19", "-", "-", "-"]
    assert shown[2].split()[-4:] == ["200", "100.00", "190.00", "-"]


def test_work_is_told_in_means() -> None:
    one = replace(timing(1.0, 2.0), work=Work({"words": 2}, 10, 4, 300, 1))
    assert work_lines([one, timing(1.0)]) == [
        "words: 1 requests, 5 candidates, 2 documents, 150 context tokens per query; "
        "1 of 2 answers in part"
    ]


def test_as_many_calls_as_the_limits_percentiles_need(new_study: Path) -> None:
    assert amount_for(StudyFolder(new_study).params) == Amount(1000, 200, (1, 4, 16), 20)

    def amount(**limit: object) -> Amount:
        latency = {"milliseconds": 1.0, **limit}
        return amount_for(change_params(new_study, decision={"latency": latency}).params)

    assert amount(percentile=99).calls == 1000
    assert amount(percentile=99, callers=16).loaded == 1000
    assert amount(cold={"percentile": 90, "milliseconds": 1.0}).cold == 100


@pytest.mark.slow
def test_it_appends_a_line_for_every_branch_and_for_the_selection(
    rankgate: Run, timeable: StudyFolder
) -> None:
    assert lacks_times(timeable)
    few = ("--calls", "20", "--loaded", "20", "--cold", "2")
    done = rankgate("time", *few, study=timeable.root)
    assert done.exit_code == 0, done.output
    lines = read_lines(timeable.root / "data" / "times.jsonl")
    assert {line["system"] for line in lines} == {"lsa", "words", "selected", "selected@3"}
    assert {(line["mode"], line["callers"], line["calls"]) for line in lines} == {
        ("warm", 1, 20),
        ("warm", 4, 20),
        ("warm", 16, 32),
        ("cold", 1, 2),
    }
    assert all(str(line["machine"]["cores"]).isdigit() for line in lines)
    assert all(line["versions"] and line["contracts"] for line in lines)
    assert f"{len(lines)} lines more. Next: dvc repro" in done.output
    assert "2 requests" in done.output
    folder = StudyFolder(timeable.root)
    assert not lacks_times(folder)
    assert len(parse_times(lines)) == len(lines)
    run_stage(folder, "operations")
    run_stage(folder, "decision")
    ratios = pl.read_parquet(folder.data / "operations" / "latency_ratios.parquet")
    assert set(ratios.select("mode", "callers").rows()) == {("warm", 1), ("warm", 4), ("warm", 16)}
    decision = read_json(folder.data / "decision" / "decision.json")
    latency = {one["gate"]: one["status"] for one in decision["gates"]}["latency"]
    assert latency in {"pass", "unresolved"}  # twenty calls may tell no upper bound
    # What was there stays as it was: the record is only appended.
    before = (timeable.root / "data" / "times.jsonl").read_bytes()
    measure_times(folder, amount=Amount(2, 2, (1,), 0))
    assert (timeable.root / "data" / "times.jsonl").read_bytes().startswith(before)


@pytest.mark.slow
def test_a_stale_selection_is_not_timed(rankgate: Run, timeable: StudyFolder) -> None:
    change_params(timeable.root, selection={"stable_share": 0.5})
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
def test_an_unattended_run_measures_once_where_a_limit_asks_for_it(
    timeable: StudyFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = timeable.root / "data" / "times.jsonl"
    monkeypatch.setattr(
        "assets.timing.Amount", partial(Amount, calls=20, loaded=4, cold=0, moments=1)
    )
    prepare(timeable)
    measured = times.read_bytes()
    assert {line["system"] for line in read_lines(times)} >= {"lsa", "words", "selected"}
    prepare(StudyFolder(timeable.root))
    assert times.read_bytes() == measured
    run_stage(timeable, "operations")
    run_stage(timeable, "decision")


def test_an_unattended_run_without_a_limit_only_assigns(study: Path) -> None:
    sides = (study / "data" / "sides.jsonl").read_bytes()
    prepare(StudyFolder(study))
    assert (study / "data" / "sides.jsonl").read_bytes() == sides
    assert (study / "data" / "times.jsonl").read_bytes() == b"\n"
