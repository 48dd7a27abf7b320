"""Query by query: who gains, who loses, and by how much."""

from collections.abc import Iterator, Sequence

from pipeline.report.blocks import Block, Cell, Chart, Paragraph, Row, Section, Table, Tone
from pipeline.report.changes import Change, Changes, changes
from pipeline.report.charts import gains
from pipeline.report.examples import first_documents, query_text
from pipeline.report.measured import measure_note
from pipeline.report.numbers import cell, count, difference, value
from pipeline.report.reference import reference
from pipeline.report.stored import Stored
from pipeline.systems import SELECTED

EXAMPLES = 10
CHARTS = 4
WHOLE = 1_000  # rows of the table of all queries; more would be a file, and is one


def queries(stored: Stored) -> Section:
    """A sorted bar for each query, the largest gains and losses, and all of them."""
    row = reference(stored.decision, stored.evaluation_summary.get("branches") or {})
    blocks: list[Block] = []
    if row is not None:
        blocks = list(_against(stored, row["baseline"]))
    return Section(
        "queries",
        "Query by query",
        "Which queries gain, which lose, and is the mean made by a few of them?",
        blocks or [Paragraph("No judged query has a value under both systems.")],
    )


def _against(stored: Stored, baseline: str) -> Iterator[Block]:
    names = [baseline, *(name for name in stored.rivals if name != baseline)]
    found = {name: _changes(stored, name) for name in names[:CHARTS]}
    if not found[baseline].every:
        return
    charts = [
        _chart(stored, place, name, each)
        for place, (name, each) in enumerate(found.items())
        if each.every
    ]
    yield Row(charts)
    yield _largest(stored, baseline, "gains", found[baseline].gained)
    yield _largest(stored, baseline, "losses", found[baseline].lost)
    yield _all(stored, baseline, found[baseline].every)


def _changes(stored: Stored, baseline: str) -> Changes:
    return changes(stored.per_query, side=stored.side, measure=stored.measure, baseline=baseline)


def _chart(stored: Stored, place: int, baseline: str, found: Changes) -> Chart:
    title = f"{stored.measure} of each {stored.side} query: selected less {baseline}"
    deltas = [one.delta for one in found.every]
    svg = gains(f"queries-{place}", deltas, title=title, better=stored.more_is_better)
    return Chart(f"{title}, sorted.", svg)


def _largest(stored: Stored, baseline: str, what: str, found: Sequence[Change]) -> Block:
    if not found:
        return Paragraph(f"No {what} against {baseline} on {stored.side}.")
    top = found[:EXAMPLES]
    worded = ["text"] if stored.params.report.text else []
    return Table(
        f"Largest {what} against {baseline}: {len(top)} of {len(found):,}",
        ["query", *worded, "selected", baseline, "delta", "first of selected", f"of {baseline}"],
        _rows(stored, baseline, top),
        note=measure_note(stored, [stored.measure], side=stored.side),
    )


def _rows(stored: Stored, baseline: str, top: Sequence[Change]) -> list[list[Cell | str]]:
    tone: Tone = "" if stored.params.report.text else "id"
    texts = query_text(stored.queries, [one.query_id for one in top], params=stored.params)
    return [
        [
            Cell(one.query_id, "id"),
            *([texts.get(one.query_id, "")] if stored.params.report.text else []),
            *_figures(stored, one),
            Cell(first_documents(stored, SELECTED, one.query_id), tone),
            Cell(first_documents(stored, baseline, one.query_id), tone),
        ]
        for one in top
    ]


def _figures(stored: Stored, one: Change) -> list[Cell]:
    return [
        cell(value(one.selected)),
        cell(value(one.baseline)),
        difference(one.delta, better=stored.more_is_better),
    ]


def _all(stored: Stored, baseline: str, found: Sequence[Change]) -> Table:
    cut = f"; the first {WHOLE:,}, all are in data/evaluation/per_query.parquet"
    return Table(
        f"All {count(len(found), 'query', 'queries')} against {baseline}"
        + (cut if len(found) > WHOLE else ""),
        ["query", "selected", baseline, "delta"],
        [[Cell(one.query_id, "id"), *_figures(stored, one)] for one in found[:WHOLE]],
        note=measure_note(stored, [stored.measure], side=stored.side),
        folded=True,
    )
