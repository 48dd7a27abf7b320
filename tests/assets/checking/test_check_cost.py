"""What `check` expects of a run: counted by hand, and growing with what it is counted from."""

from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assets.artifacts import ARTIFACTS
from assets.checking import cost
from assets.checking.extent import Extent, extent_of
from assets.checking.inputs import read_inputs
from assets.checking.seconds import (
    DVC_STAGE,
    DVC_START,
    REFERENCE,
    STARTS,
    choosing,
    seconds,
    slowness,
)
from assets.folder import StudyFolder
from assets.records import LEDGER
from assets.stages import STAGES, TRACKING
from pipeline.appending import append_lines
from pipeline.ledger import opening_line
from pipeline.params import Params, to_params
from tests.assets.five_queries import Run, change_params

PARAMS: Params = to_params(
    {
        "study": "s",
        "collection": {"path": "."},
        "candidates": {
            "bm25": {"kind": "bm25"},
            "dense": {"kind": "dense", "encoder": "lsa", "dimensions": 10},
        },
    }
)
NOTHING = Extent(*(0 for _ in fields(Extent)))


def test_the_work_of_the_five_queries_by_hand(founded: Path) -> None:
    folder = StudyFolder(founded)
    inputs, _ = read_inputs(folder, folder.params)
    assert inputs.collection is not None
    extent = extent_of(inputs.collection, folder.params, 20, inputs)
    assert extent == Extent(
        letters=8 * len("pump a worda"),
        documents=8,
        queries=5,
        swept=3,  # dev
        entries=5 * (100 + 100),  # declared depths, though the runs are shorter
        recorded=10 + 9,
        points=20,
        measures=1,
        # lexical, semantic, round-robin, RRF, the tuned convex, the selected one; the best branch,
        # round-robin from either, without collapse, equal work, oracle union, each query's best
        listed=5 * 100 * 13,
        slices=0,
        # three groups of dev, four measures, 100 resamples, the selected one against five
        drawn=3 * 4 * 100 * 5,
    )


@pytest.mark.parametrize(("branches", "systems"), [("ab", 13), ("abc", 18)])
def test_the_systems_of_an_evaluation_are_counted(
    founded: Path, branches: str, systems: int
) -> None:
    """Of three branches also the third, its start, and the selected one without each."""
    recorded = {name: {"kind": "recorded", "run": "lexical", "depth": 9} for name in branches}
    params = to_params({"study": "s", "collection": {"path": "."}, "candidates": recorded})
    folder = StudyFolder(founded)
    inputs, _ = read_inputs(folder, folder.params)
    assert inputs.collection is not None
    assert extent_of(inputs.collection, params, 20, inputs).listed == 5 * 100 * systems


def test_evaluation_keeps_as_many_systems_as_are_counted(study: Path) -> None:
    runs = ARTIFACTS["runs"].read(StudyFolder(study), None)
    assert runs["system"].n_unique() == 13


def test_an_opened_test_is_compared_too(study: Path) -> None:
    def drawn() -> int:
        folder = StudyFolder(study)
        inputs, _ = read_inputs(folder, folder.params)
        assert inputs.collection is not None
        return extent_of(inputs.collection, folder.params, 20, inputs).drawn

    sealed = drawn()
    selection = ARTIFACTS["selection"].read(StudyFolder(study), None)
    line = opening_line(selection, opened_at="2026-01-02T03:04:05+00:00")
    append_lines(study / LEDGER, [line])
    assert drawn() == sealed // 3 * 5  # dev's three groups, and the test's two


def test_without_work_it_is_the_processes_and_dvc() -> None:
    processes = sum(STARTS.values()) + 2 * 0.7
    assert seconds(NOTHING, PARAMS) == pytest.approx(processes + DVC_START + DVC_STAGE * 12)
    named = {stage.name for stage in STAGES if not stage.per_branch} | {TRACKING.name}
    assert set(STARTS) == named
    assert cost.memory(NOTHING, PARAMS) >= cost.TRACKING_BYTES
    assert cost.disk(NOTHING, PARAMS) == cost.PAGES_ON_DISK


def test_selection_by_hand() -> None:
    some = replace(NOTHING, points=10_000, swept=500)
    # 0.3 ms for each configuration, and two and a half million values a second.
    assert choosing(some) == pytest.approx(10_000 * 3e-4 + 10_000 * 500 / 2.5e6)
    # All that grows with them: twice 0.2 ms each in sweep and tracking, 200 runs, and selection.
    grown = seconds(some, PARAMS) - seconds(replace(some, points=0), PARAMS)
    assert grown == pytest.approx(10_000 * 4e-4 + 200 * 0.01 + choosing(some))


# Processor seconds of selection in a process of its own: configurations, queries that they are
# tried on, seconds. The sample, MEDLINE, SciFact and StackFAQ; TREC DL 2019 by three branches and
# by six; made-up studies of `benchmarks.sweep_scale`.
SELECTIONS = [
    (164, 347, 1.03),
    (164, 30, 0.94),
    (164, 150, 1.20),
    (164, 620, 1.04),
    (15_447, 43, 4.41),
    (53_952, 43, 19.0),
    (219, 2_000, 1.34),
    (4_107, 300, 2.48),
    (4_107, 2_000, 6.24),
    (4_107, 10_000, 14.0),
]


@pytest.mark.parametrize(("points", "swept", "found"), SELECTIONS)
def test_selection_is_expected_within_a_factor_of_one_and_a_half(
    points: int, swept: int, found: float
) -> None:
    expected = STARTS["selection"] + choosing(replace(NOTHING, points=points, swept=swept))
    assert found / 1.5 < expected < found * 1.5


def test_memory_is_that_of_the_largest_stage_by_hand() -> None:
    # The start 0.15 GB, three copies of the text 0.018, LSA 0.2 and 65 bytes a word, 0.065.
    assert cost.memory(replace(NOTHING, letters=6_000_000), PARAMS) == pytest.approx(0.433e9)
    # A million rows of lists at 300 bytes, above evaluation's own 0.17 GB.
    assert cost.memory(replace(NOTHING, listed=1_000_000), PARAMS) == pytest.approx(0.47e9)
    # Selection: 0.115 GB, and 12,000 bytes for each of 50,000 configurations.
    assert cost.memory(replace(NOTHING, points=50_000), PARAMS) == pytest.approx(0.715e9)


def test_disk_is_outputs_twice_and_what_is_kept_beside_them_by_hand() -> None:
    some = replace(NOTHING, letters=6_000, entries=1_000, recorded=100, listed=10_000, points=10)
    some = replace(some, swept=5, measures=2)
    outputs = 0.4 * 6_000 + 12 * 1_000 + 15 * 100 + 3.7 * 10_000 + 2.7 * (10 * 5 * 2)
    # Two indexes of a thousand words, 5 bytes each; MLflow's rows; empty databases and the page.
    beside = 2 * 1_000 * 5 + 700 * 10 + 5e6
    assert cost.disk(some, PARAMS) == pytest.approx(2 * outputs + beside)


@given(st.sampled_from([field.name for field in fields(Extent)]), st.integers(1, 10**9))
def test_more_work_never_costs_less(name: str, more: int) -> None:
    some = replace(NOTHING, queries=10, swept=5, entries=1_000, points=20, measures=2, listed=1_300)
    # Queries alone only spread the same entries: they are counted together.
    grown = {name: getattr(some, name) + more}
    if name == "queries":
        grown |= {"swept": some.swept + more, "entries": some.entries + 200 * more}
    larger = replace(some, **grown)
    assert seconds(larger, PARAMS) >= seconds(some, PARAMS)
    assert cost.memory(larger, PARAMS) >= cost.memory(some, PARAMS)
    assert cost.disk(larger, PARAMS) >= cost.disk(some, PARAMS)


def test_the_speed_of_this_machine_is_a_factor() -> None:
    assert 0.01 < slowness() < 1_000
    ticks = iter(range(100))
    assert slowness(lambda: next(ticks) * REFERENCE) == pytest.approx(1)  # each probe one tick


def test_it_says_that_it_is_an_estimate(
    founded: Path, new_study: Path, rankgate: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cost, "slowness", lambda: 2.0)
    said = rankgate("check", study=founded).output
    (line,) = (line for line in said.splitlines() if "a first run takes roughly" in line)
    assert "(an estimate, within a factor of two; work takes 2.0 times as long here" in line
    change_params(new_study, candidates={"lexical": {"kind": "bm25"}})
    assert "a first run takes roughly" in rankgate("check", study=new_study).output
