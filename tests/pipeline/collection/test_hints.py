"""Judgments that look binary, or like known items only, where something else is declared."""

import polars as pl

from pipeline.collection.hints import hints
from pipeline.params import CollectionParams


def judged(*grades: int, queries: int = 20) -> pl.DataFrame:
    """Each query with these grades."""
    rows = [(f"q{q}", f"e{n}", grade) for q in range(queries) for n, grade in enumerate(grades)]
    return pl.DataFrame(rows, schema=["query_id", "evidence_id", "grade"], orient="row")


def said(judgments: pl.DataFrame, **declared: object) -> list[str]:
    """The keys that are hinted at."""
    params = CollectionParams.model_validate({"path": ".", **declared})
    return [hint.split(":")[0] for hint in hints(judgments, params)]


def test_binary_grades_on_a_scale_of_four() -> None:
    (hint,) = hints(judged(0, 1), CollectionParams(path="."))
    assert "the grades are 0, 1, and the scale goes up to 3" in hint
    assert hint.endswith("--scale 0 1, scale: [0, 1]")


def test_a_scale_that_occurs_or_is_declared_binary_is_left_alone() -> None:
    assert said(judged(0, 3)) == []
    assert said(judged(0, 1), scale=[0, 1]) == []
    assert said(judged(0, 0), scale=[0, 2], rel=2) == []  # never narrower than rel


def test_one_relevant_item_a_query_and_nothing_else_looks_sparse() -> None:
    assert said(judged(1), scale=[0, 1]) == ["collection.regime"]
    assert said(judged(1), scale=[0, 1], regime="sparse") == []
    assert said(judged(1), scale=[0, 1], regime="exhaustive") == []
    assert said(judged(1, 0), scale=[0, 1]) == []  # somebody looked at what is not relevant
    assert said(judged(1, 1, 1, 1), scale=[0, 1]) == []
    assert said(judged(1, queries=19), scale=[0, 1]) == []  # too few to tell


def test_without_a_grade_nothing_is_said() -> None:
    assert said(judged(1).with_columns(grade=pl.lit(None, pl.Int64))) == []
