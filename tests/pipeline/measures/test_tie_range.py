"""What a measure could be were items of equal score ordered another way."""

from itertools import permutations, product

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.measures import has_ties, parse_measure, per_query, tie_ranges

NAMES = [
    "nDCG@3",
    "nDCG(dcg='exp-log2')",
    "nDCG(judged_only=True)@2",
    "R@2",
    "P@3",
    "RR",
    "AP@3",
    "Success@1",
    "ZeroHit@2",
    "Judged@2",
    "Bpref",
    "RBP(p=0.5)",
    "EvidenceCoverage@2",
    "AllEvidence@3",
]


def run_of(items: list[tuple[str, float]]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "query_id": ["q"] * len(items),
            "rank": list(range(1, len(items) + 1)),
            "evidence_id": [name for name, _ in items],
            "score": [score for _, score in items],
        }
    )


def graded(grades: dict[str, int]) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "query_id": ["q"] * len(grades),
            "evidence_id": list(grades),
            "grade": list(grades.values()),
        }
    )


def test_two_tied_items_one_of_them_relevant() -> None:
    run = run_of([("m2", 7.0), ("m1", 7.0)])
    found = tie_ranges(run, graded({"m1": 1}), ["RR", "nDCG@10", "R@1"])
    ranges = {name: (low, high) for _, name, low, high in found.iter_rows()}
    assert ranges["RR"] == (0.5, 1.0)
    assert ranges["R@1"] == (0.0, 1.0)
    assert ranges["nDCG@10"] == pytest.approx((0.6309297535714574, 1.0))


def test_a_tie_beyond_the_cutoff_reaches_over_it() -> None:
    run = run_of([("a", 3.0), ("b", 2.0), ("c", 2.0)])
    low, high = tie_ranges(run, graded({"c": 1}), ["R@2"]).row(0)[2:]
    assert (low, high) == (0.0, 1.0)


def test_without_scores_or_ties_the_order_is_settled() -> None:
    run = run_of([("a", 3.0), ("b", 2.0)])
    assert not has_ties(run)
    unscored = run.with_columns(score=pl.lit(None, pl.Float64))
    assert not has_ties(unscored)
    for one in (run, unscored):
        assert tie_ranges(one, graded({"b": 1}), ["RR"]).row(0)[2:] == (0.5, 0.5)


def test_an_undefined_value_stays_undefined() -> None:
    run = run_of([("a", 1.0), ("b", 1.0)])
    assert tie_ranges(run, graded({"a": 0}), ["nDCG@2"]).row(0)[2:] == (None, None)


grades = st.sampled_from([None, -1, 0, 1, 2, 3])
scores = st.sampled_from([1.0, 2.0, 3.0])


@settings(max_examples=40)
@given(
    st.lists(st.tuples(grades, scores), min_size=1, max_size=5),
    st.lists(grades, max_size=2),
    st.sampled_from([1, 2]),
)
def test_every_order_of_ties_lies_within_and_both_ends_are_reached(
    items: list[tuple[int | None, float]], missed: list[int | None], rel: int
) -> None:
    ordered = sorted(items, key=lambda item: -item[1])
    names = [f"d{place}" for place in range(len(ordered))]
    known = {n: g for n, (g, _) in zip(names, ordered, strict=True) if g is not None}
    known |= {f"m{place}": g for place, g in enumerate(missed) if g is not None}
    judged = graded(known).cast(
        {"grade": pl.Int64, "query_id": pl.String, "evidence_id": pl.String}
    )
    required = pl.DataFrame({"query_id": ["q", "q"], "evidence_id": ["d0", "d1"]})
    run = run_of([(n, score) for n, (_, score) in zip(names, ordered, strict=True)])
    asked = {"rel": rel, "queries": ["q"], "required": required}
    found = tie_ranges(run, judged, NAMES, **asked)
    every = [per_query(other, judged, NAMES, **asked) for other in orders(run)]
    for _, name, low, high in found.iter_rows():
        values = [one.filter(measure=name)["value"][0] for one in every]
        if low is None:
            assert set(values) == {None}
        else:
            assert (low, high) == (min(values), max(values)), parse_measure(name)


def orders(run: pl.DataFrame) -> list[pl.DataFrame]:
    """The run in every order of its tied items."""
    blocks = [
        rows["evidence_id"].to_list() for _, rows in run.group_by("score", maintain_order=True)
    ]
    ranked = [
        [name for block in choice for name in block]
        for choice in product(*(permutations(block) for block in blocks))
    ]
    return [run.with_columns(pl.Series("evidence_id", names)) for names in ranked]
