"""One plan of draws for each slice: what stands beside a comparison does not change it."""

import numpy as np
import polars as pl
import pytest
from five_queries_study import OPENED, five_queries, parameters

from pipeline.evaluation import compute
from pipeline.evaluation.differences import compare_many, compare_queries
from pipeline.parts import Part
from pipeline.slices import Slices

QUERIES = [f"q{number:02}" for number in range(24)]


def part() -> Part:
    """Twelve groups of two queries."""
    empty = pl.DataFrame()
    groups = {query: f"g{place // 2}" for place, query in enumerate(QUERIES)}
    slices = Slices({"": tuple(QUERIES)}, {})
    return Part("dev", empty, empty, empty, tuple(QUERIES), groups, slices, 0.05)


def column(seed: int, queries: list[str] = QUERIES) -> dict[str, float]:
    values = np.random.default_rng(seed).normal(0.1, 0.3, len(queries))
    return dict(zip(queries, values.tolist(), strict=True))


def test_a_comparison_is_the_same_alone_and_beside_others_of_any_queries() -> None:
    # The third lacks queries, as Judged does where nothing was returned; the fourth has no spread.
    columns = [column(1), column(2), column(3, QUERIES[5:]), dict.fromkeys(QUERIES, 0.0), column(4)]
    together = compare_many(columns, "short", part=part(), params=parameters())
    for one, found in zip(columns, together, strict=True):
        assert found == compare_queries(one, "short", part=part(), params=parameters())
    backwards = compare_many(columns[::-1], "short", part=part(), params=parameters())
    assert backwards == together[::-1]


def test_the_same_differences_meet_the_same_draws_whoever_asks() -> None:
    one, other = (
        compare_queries(column(1), "short", part=part(), params=parameters()) for _ in range(2)
    )
    assert one == other


@pytest.mark.parametrize("other", [{"name": "long"}, {"split": "test"}, {"seed": 8}])
def test_each_slice_side_and_seed_has_draws_of_its_own(other: dict[str, object]) -> None:
    asked = {"name": "short", "split": "dev", "seed": 7} | other
    held = part()
    moved = Part(str(asked["split"]), *(getattr(held, name) for name in Part.__slots__[1:]))
    here = compare_queries(column(1), "short", part=held, params=parameters(seed=7))
    there = compare_queries(
        column(1), str(asked["name"]), part=moved, params=parameters(seed=asked["seed"])
    )
    assert here.delta == there.delta
    assert here.t_low == there.t_low
    assert here.boot_low != there.boot_low


def test_the_plain_view_of_the_unjudged_is_the_comparison_itself() -> None:
    result = compute(**five_queries(ledger=[OPENED]))
    key = ["baseline", "split", "measure"]
    plain = result.bounds.filter(pl.col("view") == "non_relevant").select(*key, "low", "high")
    whole = result.comparisons.filter(pl.col("slice") == "")
    both = plain.join(whole.select(*key, "low", "high"), on=key, suffix="_compared")
    assert both.height == plain.height > 0
    assert both["low"].to_list() == both["low_compared"].to_list()
    assert both["high"].to_list() == both["high_compared"].to_list()
