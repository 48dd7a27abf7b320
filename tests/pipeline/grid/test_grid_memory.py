"""What a grid needs, said before it is tried, and what is left out where it is too much."""

import re

import pytest
import rows

from pipeline.errors import ParameterError
from pipeline.grid.memory import GIGA, Load, refuse_large, tried_points
from pipeline.grid.points import cut_depths, declared_points
from pipeline.ledger import procedure
from pipeline.params import Params

LARGE = Load(points=4_000, queries=10_000, measures=2, entries=6_000_000)


def study(**sweep: object) -> Params:
    known = {name: {"kind": "recorded", "run": name, "depth": 50} for name in "abc"}
    return rows.params(known, sweep={"weight_step": 0.05, "depths": [50], **sweep})


def load(params: Params, queries: int = 10_000) -> Load:
    return Load(tried_points(params), queries, measures=2, entries=1_000_000)


def test_memory_grows_with_the_lists_and_with_selections_matrix_by_hand() -> None:
    more = Load(points=4_000, queries=10_000, measures=2, entries=7_000_000)
    # 150 bytes for each entry more
    assert more.sweep_bytes() - LARGE.sweep_bytes() == pytest.approx(0.15 * GIGA)
    # start and a piece, 0.5 GB; four matrices of 4,000 × 10,000 values of 8 bytes, 1.28 GB
    assert LARGE.selection_bytes() == pytest.approx(1.78 * GIGA)


def test_values_beyond_what_is_kept_cost_disk_and_not_memory() -> None:
    longer = Load(points=4_000, queries=1_000_000, measures=2, entries=6_000_000)
    assert longer.sweep_bytes() == LARGE.sweep_bytes()


def test_without_a_declared_limit_nothing_is_refused() -> None:
    refuse_large(LARGE, study())


def test_a_grid_just_within_its_limit_is_tried() -> None:
    params = study()
    needed = load(params).bytes() / GIGA
    refuse_large(load(params), study(memory_gb=needed))
    with pytest.raises(ParameterError):
        refuse_large(load(params), study(memory_gb=needed * 0.999))


def test_a_larger_one_is_refused_with_its_size_and_the_smallest_change_that_fits() -> None:
    limited = study(memory_gb=1.5)
    with pytest.raises(ParameterError) as refused:
        refuse_large(load(limited), limited)
    said = str(refused.value)
    assert said.startswith("sweep.memory_gb: the grid needs more memory than is declared")
    assert "configurations × 10,000 queries; expected at most 1.5 GB" in said
    step, points = re.search(r"set sweep.weight_step to (\S+) \(([\d,]+) points\)", said).groups()
    fits = study(weight_step=float(step), memory_gb=1.5)
    assert declared_points(fits) == int(points.replace(",", ""))
    refuse_large(load(fits), fits)
    # one step finer no longer fits
    finer = study(weight_step=1 / (round(1 / float(step)) + 1), memory_gb=1.5)
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
