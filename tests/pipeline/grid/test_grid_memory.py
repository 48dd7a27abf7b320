"""What a grid needs, said before it is tried, and what is left out where it is too much."""

import re
import tracemalloc
from dataclasses import replace

import pytest
import rows

from benchmarks.lists import made_lists, study_of
from pipeline.errors import ParameterError
from pipeline.grid.memory import ENTRY_BYTES, GIGA, Load, refuse_large, tried_points
from pipeline.grid.points import cut_depths, declared_grid, declared_points
from pipeline.ledger import procedure
from pipeline.params import Params
from pipeline.sweep.depths import axis
from pipeline.sweep.measuring import measure_grid
from pipeline.sweep.truth import judge_queries

LARGE = Load(points=4_000, queries=10_000, measures=2, entries=6_000_000)


def study(**sweep: object) -> Params:
    known = {name: {"kind": "recorded", "run": name, "depth": 50} for name in "abc"}
    return rows.params(known, sweep={"weight_step": 0.05, "depths": [50], **sweep})


def load(params: Params, queries: int = 10_000) -> Load:
    return Load(tried_points(params), queries, measures=2, entries=1_000_000)


def test_memory_grows_with_the_lists_and_with_selections_matrix_by_hand() -> None:
    more = Load(points=4_000, queries=10_000, measures=2, entries=7_000_000)
    # 145 bytes for each entry more; 600 entries a query make blocks of 50, 700 of 43
    fewer = 8 * (50 - 300 / 7) * 4_000 * 2 * 8
    assert more.sweep_bytes() - LARGE.sweep_bytes() == pytest.approx(0.145 * GIGA - fewer)
    # start and a piece, 0.355 GB; samples, 0.1 GB; three matrices of 4,000 × 10,000 values, 0.96 GB
    assert LARGE.selection_bytes() == pytest.approx(1.415 * GIGA)
    # and one more for each slice with a veto
    assert replace(LARGE, slices=2).selection_bytes() == pytest.approx((1.415 + 0.64) * GIGA)


def test_values_beyond_what_is_kept_cost_disk_and_not_memory() -> None:
    long, longer = (
        Load(points=4_000, queries=queries, measures=2, entries=6_000_000)
        for queries in (1_000_000, 2_000_000)
    )
    assert longer.sweep_bytes() == long.sweep_bytes()


# Peaks with two threads, in GB: points, queries, list entries, sweep, selection. The last two are
# of TREC DL 2019, three branches and six, the others of `benchmarks.sweep_scale`; those of 5,000
# and 10,000 queries were measured when a table's keys were compared all at once, which took more.
PEAKS = [
    (333, 100, 60_000, 0.16, 0.12),
    (333, 2_000, 1_200_000, 0.38, 0.27),
    (333, 5_000, 3_000_000, 0.702, 0.428),
    (4_107, 300, 180_000, 0.35, 0.38),
    (4_107, 1_000, 600_000, 0.47, 0.40),
    (4_107, 10_000, 6_000_000, 1.251, 1.125),
    (15_447, 43, 12_900, 0.329, 0.301),
    (53_952, 43, 25_800, 0.520, 0.740),
]


@pytest.mark.parametrize(("points", "queries", "entries", "sweep", "selection"), PEAKS)
def test_what_is_told_exceeds_what_was_measured_and_not_by_much(
    points: int, queries: int, entries: int, sweep: float, selection: float
) -> None:
    told = Load(points, queries, measures=2, entries=entries)
    assert sweep <= told.sweep_bytes(workers=2) / GIGA <= 1.3 * sweep
    # What is said beforehand is for as many threads as any machine would use.
    assert told.sweep_bytes() / GIGA <= 1.75 * sweep
    assert selection <= told.selection_bytes() / GIGA <= 1.5 * selection


@pytest.mark.parametrize("queries", [60, 240])
def test_the_arrays_of_the_blocks_stay_within_their_part(queries: int) -> None:
    made, params = made_lists(queries, 3, 200), study_of(3, 200)
    judged = judge_queries(made.splits, made.judgments, made.queries, rel=1)
    points = declared_grid(params, axis(params, 200))
    told = Load(len(points), queries, measures=1, entries=made.candidates.height)
    tracemalloc.start()
    try:
        measure_grid(
            made.candidates, points, judged, measures=["nDCG@10"], fusion=params.fusion, threads=2
        )
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < told._work_bytes(2) + ENTRY_BYTES * told.entries
    assert peak > told._work_bytes(2) / 4


def test_without_a_declared_limit_what_the_process_may_take_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The limits themselves are tested beside pipeline.memory."""
    for limit in (None, int(LARGE.bytes())):
        monkeypatch.setattr("pipeline.grid.memory.memory_limit", lambda found=limit: found)
        refuse_large(LARGE, study())
    monkeypatch.setattr("pipeline.grid.memory.memory_limit", lambda: int(LARGE.bytes()) - 1)
    with pytest.raises(ParameterError, match=r"^sweep.memory_gb: .* than there is; .* Next: set "):
        refuse_large(LARGE, study())


def test_a_grid_just_within_its_limit_is_tried() -> None:
    params = study()
    needed = load(params).bytes() / GIGA
    refuse_large(load(params), study(memory_gb=needed))
    with pytest.raises(ParameterError):
        refuse_large(load(params), study(memory_gb=needed * 0.999))


def test_a_larger_one_is_refused_with_its_size_and_the_smallest_change_that_fits() -> None:
    limited = study(memory_gb=1.4)
    with pytest.raises(ParameterError) as refused:
        refuse_large(load(limited), limited)
    said = str(refused.value)
    assert said.startswith("sweep.memory_gb: the grid needs more memory than is declared")
    assert "configurations × 10,000 queries; expected at most 1.4 GB" in said
    step, points = re.search(r"set sweep.weight_step to (\S+) \(([\d,]+) points\)", said).groups()
    fits = study(weight_step=float(step), memory_gb=1.4)
    assert declared_points(fits) == int(points.replace(",", ""))
    refuse_large(load(fits), fits)
    # one step finer no longer fits
    finer = study(weight_step=1 / (round(1 / float(step)) + 1), memory_gb=1.4)
    with pytest.raises(ParameterError):
        refuse_large(load(finer), finer)
    raised = float(re.search(r"or set sweep.memory_gb to ([\d.]+)", said).group(1))
    refuse_large(load(limited), study(memory_gb=raised))


def test_where_no_smaller_grid_fits_more_memory_is_named_alone() -> None:
    limited = study(memory_gb=0.1)
    with pytest.raises(ParameterError, match=r"Next: set sweep.memory_gb to [\d.]+: no smaller"):
        refuse_large(load(limited), limited)


def test_a_limit_is_no_part_of_what_was_selected() -> None:
    splits = rows.splits({"q1": "dev"})
    assert procedure(splits, study()) == procedure(splits, study(memory_gb=3.0))


def test_a_depth_that_a_branch_does_not_reach_is_named() -> None:
    assert cut_depths(study(depths=[20, 50])) == []
    assert cut_depths(study(depths=[50, 80]))[1] == (
        "sweep.depths: 80 is cut to 50 for b, which retrieves no more (candidates.b.depth)"
    )


@pytest.mark.parametrize("axis", ["methods", "rank_constants", "depths", "measures"])
def test_an_axis_without_values_is_no_grid(axis: str) -> None:
    with pytest.raises(ParameterError, match=rf"sweep\.{axis}"):
        study(**{axis: []})
