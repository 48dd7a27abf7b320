"""How everything is measured: the words behind the line under each table, and what ties decide."""

import polars as pl

from pipeline.params import Params
from pipeline.report.blocks import Block, Facts, Paragraph, Section, Table
from pipeline.report.measured import conditions
from pipeline.report.numbers import cell, value
from pipeline.report.stored import Stored
from pipeline.systems import SELECTED

MEANINGS = (
    (
        "means",
        "Macro means over queries. A query answered by nothing counts 0 and stays in.",
    ),
    (
        "three states",
        "Queries declared unanswerable, judged with nothing relevant found, and not judged leave "
        "the means of rankings, each counted. They still run, are pooled, timed and audited.",
    ),
    (
        "ideal",
        "The ideal list of nDCG and the denominator of recall come from all judgments that the "
        "principal may see at the query's date, never from what was retrieved. Negative grades "
        "gain 0.",
    ),
    (
        "L and U",
        "One-sided bounds by query group: cluster-robust t, and below 60 groups the wider of it "
        "and bootstrap-t. Percentile and BCa are shown beside and decide nothing: with few groups "
        "they miss too often. The docs page statistics.md says more.",
    ),
    (
        "shares",
        "Bounds of a share of queries (Success, ZeroHit, AllEvidence) are Clopper–Pearson's where "
        "every group is one query, else the same at the effective number of queries.",
    ),
)


def measures(stored: Stored) -> Section:
    """Order, gain, relevance, the unjudged, the three states; the range over tied items."""
    names = stored.systems["measure"].unique().sort().to_list()
    said = conditions(stored.params, names).items()
    blocks: list[Block] = [Facts([*said, *MEANINGS, ("draws", _draws(stored.params))])]
    for side in stored.sides:
        blocks += _ties(stored, side)
    return Section(
        "measures",
        "How it is measured",
        "Would somebody else get the same figures from the same lists?",
        blocks,
    )


def _draws(params: Params) -> str:
    """What has to be the same for the same interval."""
    return (
        f"{params.evaluation.resamples} samples of whole query groups, with replacement, seeded by "
        f"{params.seed}, side, measure, slice and baseline. A bound is an order statistic: the "
        "outer neighbour where its level falls between two."
    )


def _ties(stored: Stored, side: str) -> list[Block]:
    rows = stored.systems.filter(
        (pl.col("split") == side)
        & (pl.col("measure") == stored.measure)
        & (pl.col("role") != "diagnostic")
    ).drop_nulls("tied_low")
    moved = rows.filter(pl.col("tied_queries") > 0).sort(
        pl.col("system") != SELECTED, "role", "system"
    )
    if rows.is_empty():
        return []
    if moved.is_empty():
        return [
            Paragraph(f"No order of items with equal scores changes {stored.measure} on {side}.")
        ]
    return [
        Table(
            f"What the order of items with equal scores decides: {stored.measure} on {side}",
            ["system", "value", "least", "greatest", "queries that move", "queries"],
            [
                [
                    row["system"],
                    *(cell(value(row[key])) for key in ("value", "tied_low", "tied_high")),
                    cell(row["tied_queries"]),
                    cell(row["queries"]),
                ]
                for row in moved.iter_rows(named=True)
            ],
            note="Over all orders of tied items in the lists as stored, exact query by query. "
            "Systems that are not named have no such query.",
        )
    ]
