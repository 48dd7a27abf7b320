"""A large study's page stays small: 2,000 points, 600 queries."""

import numpy as np
import polars as pl

from pipeline.fusion import Configuration
from pipeline.fusion.configuration import configurations_table
from tests.pipeline.report.small_study import page

LIMIT = 3_000_000
SYSTEMS = ("selected", "words", "vectors", "graph")


def test_two_thousand_points_and_six_hundred_queries_fit(studies):
    inputs = studies("three branches")
    points = _points()
    assert len(points) > 2_000
    table = configurations_table(points)
    html = page(
        inputs,
        configurations=table,
        grids=_declared(table),
        results=_results(table),
        per_query=_per_query(600),
    ).html
    assert f"of {table.height:,} points" in html
    assert "All 600 queries" in html
    assert len(html.encode("utf-8")) < LIMIT


def _points() -> list[Configuration]:
    """Three branches, weights stepped by 1/17, eighteen rank constants."""
    depths = dict.fromkeys(("words", "vectors", "graph"), 100)
    return [
        Configuration.of(
            "rrf",
            rank_constant=constant,
            weights={"words": a, "vectors": b, "graph": 17 - a - b},
            depths=depths,
        )
        for constant in range(1, 19)
        for a in range(1, 16)
        for b in range(1, 17 - a)
    ]


def _declared(table: pl.DataFrame) -> pl.DataFrame:
    return table.select(pl.lit("declared").alias("grid"), "configuration")


def _results(table: pl.DataFrame) -> pl.DataFrame:
    values = np.random.default_rng(3).uniform(0.4, 0.6, table.height)
    return table.select(
        "configuration",
        pl.lit("nDCG@5").alias("measure"),
        pl.Series("value", values),
        pl.Series("delta_to_best", values - values.max()),
        pl.lit(0.01).alias("standard_error"),
        pl.Series("tied", values > 0.59),
    )


def _per_query(queries: int) -> pl.DataFrame:
    drawn = np.random.default_rng(4)
    return pl.DataFrame(
        [
            {
                "system": system,
                "split": "test",
                "query_id": f"a query with a long name {number:04d}",
                "measure": "nDCG@5",
                "value": value,
            }
            for system in SYSTEMS
            for number, value in enumerate(drawn.uniform(0, 1, queries).tolist())
        ]
    )
