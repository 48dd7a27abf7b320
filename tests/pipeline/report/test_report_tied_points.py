"""The tied set in words, and the grid's pictures where less of a measure is better."""

import polars as pl

from pipeline.report.charts import Step, profile
from pipeline.report.sections.tied_points import tied_points

POINTS = pl.DataFrame(
    [
        ("rrf", 1.0, 0.5, 0.5, 100, True),
        ("rrf", 60.0, 0.3, 0.7, 100, True),
        ("rrf", 100.0, 0.9, 0.1, 100, False),
        ("convex_minmax", None, 0.2, 0.8, 100, True),
        ("convex_minmax", None, 0.6, 0.4, 100, False),
        ("combsum", None, 0.5, 0.5, 100, False),
    ],
    schema=["method", "rank_constant", "weight_a", "weight_b", "depth_a", "tied"],
    orient="row",
)


def test_each_method_says_from_where_to_where_its_ties_reach() -> None:
    said = dict(tied_points(POINTS))
    assert list(said.values()) == [
        "1 of 2 points: weight of a 0.2; weight of b 0.8",
        "2 of 3 points: k 1 to 60; weight of a 0.3 to 0.5; weight of b 0.5 to 0.7",
    ]
    # A method without a tied point is not named, an axis with one value neither.
    assert not any("CombSUM" in name for name in said)
    assert not any("depth" in words for words in said.values())


def test_no_tied_point_no_words() -> None:
    assert list(tied_points(POINTS.filter(~pl.col("tied")))) == []


def test_where_less_is_better_the_line_is_the_lowest() -> None:
    """The two drawings differ, though bands and places are the same."""
    steps = [Step("1", 0.1, 0.4, True, None), Step("60", 0.2, 0.3, False, None)]
    drawn = {
        better: profile("p", steps, title="t", axis="k", measure="ZeroHit@5", better=better)
        for better in (True, False)
    }
    assert drawn[True] != drawn[False]
