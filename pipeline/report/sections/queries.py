"""Query by query: who gains, who loses, and by how much."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.report.blocks import Block, Cell, Chart, Paragraph, Row, Section, Table
from pipeline.report.charts import gains
from pipeline.report.measured import measure_note
from pipeline.report.numbers import cell, count, difference, value
from pipeline.report.reference import reference
from pipeline.report.sections.examples import first_documents, query_text
from pipeline.report.stored import Stored
from pipeline.systems import SELECTED

EXAMPLES = 10
CHARTS = 4
WHOLE = 1_000  # rows of the table of all queries; more would be a file, and is one


@dataclass(frozen=True, slots=True)
class Change:
    """One query's values under the selected configuration and a baseline."""

    query_id: str
    selected: float
    baseline: float

    @property
    def delta(self) -> float:
        """The difference."""
        return self.selected - self.baseline


def queries(stored: Stored) -> Section:
    """A sorted bar for each query, the largest gains and losses, and all of them."""
    row = reference(stored.decision, stored.branch_manifests)
    blocks: list[Block] = []
    if row is not None:
        blocks = list(_against(stored, row["baseline"]))
    return Section(
        "queries",
        "Query by query",
        "Which queries gain, which lose, and is the mean made by a few of them?",
        blocks or [Paragraph("No judged query has a value under both systems.")],
    )


def changes(stored: Stored, baseline: str) -> list[Change]:
    """Each query's change to a baseline on the answer's side, the largest gain first."""
    values = stored.per_query.filter(
        (pl.col("split") == stored.side)
        & (pl.col("measure") == stored.measure)
        & pl.col("value").is_not_null()
    ).select("system", "query_id", "value")
    both = values.filter(pl.col("system") == SELECTED).join(
        values.filter(pl.col("system") == baseline), on="query_id", suffix="_baseline"
    )
    found = [Change(*row) for row in both.select("query_id", "value", "value_baseline").rows()]
    sign = 1 if stored.more_is_better else -1
    return sorted(found, key=lambda one: (-sign * one.delta, one.query_id))


def _against(stored: Stored, baseline: str) -> Iterator[Block]:
    found = changes(stored, baseline)
    if not found:
        return
    others = [name for name in stored.rivals if name != baseline]
    compared = [(baseline, found), *((name, changes(stored, name)) for name in others)]
    yield Row([_chart(stored, name, rest) for name, rest in compared[:CHARTS] if rest])
    sign = 1 if stored.more_is_better else -1
    won = [one for one in found if sign * one.delta > 0]
    lost = [one for one in reversed(found) if sign * one.delta < 0]
    yield from _largest(stored, baseline, "gains", won)
    yield from _largest(stored, baseline, "losses", lost)
    yield _all(stored, baseline, found)


def _chart(stored: Stored, baseline: str, found: Sequence[Change]) -> Chart:
    title = f"{stored.measure} of each {stored.side} query: selected less {baseline}"
    svg = gains(
        f"queries-{stored.rivals.index(baseline) if baseline in stored.rivals else 'x'}",
        [one.delta for one in found],
        title=title,
        better=stored.more_is_better,
    )
    return Chart(f"{title}, sorted.", svg)


def _largest(
    stored: Stored, baseline: str, what: str, found: Sequence[Change]
) -> Iterator[Table | Paragraph]:
    if not found:
        yield Paragraph(f"No {stored.side} query {'gains' if what == 'gains' else 'loses'}.")
        return
    with_text = stored.params.report.text
    top = found[:EXAMPLES]
    texts = query_text(stored, [one.query_id for one in top])
    yield Table(
        f"Largest {what} against {baseline}: {len(top)} of {len(found):,}",
        [
            "query",
            *(["text"] if with_text else []),
            "selected",
            baseline,
            "delta",
            "first of selected",
            f"first of {baseline}",
        ],
        [
            [
                Cell(one.query_id, "id"),
                *([texts.get(one.query_id, "")] if with_text else []),
                cell(value(one.selected)),
                cell(value(one.baseline)),
                difference(one.delta, better=stored.more_is_better),
                Cell(first_documents(stored, SELECTED, one.query_id), "id"),
                Cell(first_documents(stored, baseline, one.query_id), "id"),
            ]
            for one in top
        ],
        note=measure_note(stored, [stored.measure]),
    )


def _all(stored: Stored, baseline: str, found: Sequence[Change]) -> Table:
    more = (
        f"; the first {WHOLE:,}, all: data/evaluation/per_query.parquet"
        if len(found) > WHOLE
        else ""
    )
    return Table(
        f"All {count(len(found), 'query', 'queries')} against {baseline}{more}",
        ["query", "selected", baseline, "delta"],
        [
            [
                Cell(one.query_id, "id"),
                cell(value(one.selected)),
                cell(value(one.baseline)),
                difference(one.delta, better=stored.more_is_better),
            ]
            for one in found[:WHOLE]
        ],
        note=measure_note(stored, [stored.measure]),
        folded=True,
    )
