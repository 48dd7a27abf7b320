"""The selected configuration against every baseline."""

from collections.abc import Iterator, Mapping
from typing import Any

from pipeline.report.blocks import Block, Cell, Chart, Paragraph, Row, Section, Table
from pipeline.report.charts import Span, intervals
from pipeline.report.measured import measure_note
from pipeline.report.numbers import MISSING, cell, difference, p_value, signed, value
from pipeline.report.stored import SIDES, Stored
from pipeline.systems import BEST_CONVEX, PRODUCTION, ROUND_ROBIN, RRF_60

MEANINGS: Mapping[str, str] = {
    PRODUCTION: "what is live today",
    ROUND_ROBIN: "the branches take turns",
    RRF_60: "RRF with k = 60 and equal weights",
    BEST_CONVEX: "the tuned comparator",
    "best_branch": "the branch that was best on dev",
}
COLUMNS = ("baseline", "value", "delta", "L", "U", "W / L / T", "p", "p (Holm)", "detectable")
INTERVALS = (
    "baseline",
    "t",
    "bootstrap-t",
    "percentile",
    "BCa",
    "without one group",
    "largest group",
    "design effect",
    "groups",
    "moving groups",
)


def baselines(stored: Stored) -> Section:
    """Differences with their bounds, as a picture and as a table, on every open side."""
    blocks = [block for side in SIDES for block in _side(stored, side)]
    return Section(
        "baselines",
        "Against every baseline",
        "How much does the selected configuration gain on each, and how sure is that?",
        blocks or [Paragraph("Nothing was compared: no judged query on an open side.")],
    )


def _side(stored: Stored, side: str) -> Iterator[Block]:
    rows = stored.compared(side=side).to_dicts()
    if not rows:
        return
    table = _table(stored, side, rows)
    spans = [Span(row["baseline"], row["delta"], row["low"], row["high"]) for row in rows]
    svg = intervals(
        f"baselines-{side}",
        spans,
        title=f"{stored.measure} of the selected configuration less each baseline's, {side}",
        axis=f"difference in {stored.measure}, L to U",
        limit=_limit(stored),
        better=stored.more_is_better,
    )
    caption = (
        f"Difference to each baseline on {side}: the dot is the mean, the line goes from L to U."
    )
    yield Row([Chart(caption + _dashed(stored), svg), table])
    yield _intervals(stored, side, rows)


def _limit(stored: Stored) -> float:
    primary = stored.params.decision.primary
    return primary.margin if stored.params.question == "improve" else -primary.tolerance


def _dashed(stored: Stored) -> str:
    limit = _limit(stored)
    return f" The dashed line is the limit {signed(limit)}." if limit else ""


def _table(stored: Stored, side: str, rows: list[dict[str, Any]]) -> Table:
    values = (stored.evaluation_summary.get(side) or {}).get("baselines", {})
    own = (stored.evaluation_summary.get(side) or {}).get("selected")
    chosen = (
        "The configuration was chosen on these queries, so this is optimistic. "
        if side == "dev"
        else ""
    )
    return Table(
        f"{stored.measure} on {side}: the selected configuration has {value(own)}",
        COLUMNS,
        [_row(stored, row, values) for row in rows],
        note=f"{chosen}Bold: must be beaten. {_meanings(rows)}W / L / T: queries won, lost, tied. "
        f"{_family(rows)}"
        "Detectable: the smallest true difference found in 8 of 10 such studies. "
        + measure_note(stored, [stored.measure], side=side),
    )


def _family(rows: list[dict[str, Any]]) -> str:
    tests = rows[0]["family_tests"]
    return (
        f"p (Holm): family of {tests} tests by this measure, on all queries and declared slices; "
        "derived slices are a family of their own. "
    )


def _intervals(stored: Stored, side: str, rows: list[dict[str, Any]]) -> Table:
    """What the gate's interval stands on, for whoever doubts it."""
    return Table(
        f"How sure: {stored.measure} on {side}, by every method and without any one group",
        INTERVALS,
        [
            [
                Cell(row["baseline"], "chosen" if row["baseline"] in stored.rivals else ""),
                *(
                    cell(_span(row[f"{name}_low"], row[f"{name}_high"]))
                    for name in ("t", "boot", "percentile", "bca", "without_one")
                ),
                cell(MISSING if row["largest_group"] is None else f"{row['largest_group']:.1%}"),
                cell(value(row["design_effect"], 2)),
                cell(row["groups"]),
                cell(row["nonzero_groups"]),
            ]
            for row in rows
        ],
        note="L and U are t's, below 60 groups the wider of t and bootstrap-t; percentile and BCa "
        "decide nothing. Without one group: the least and greatest difference. Largest group: its "
        "share of the queries. Design effect: variance by group over that of as many independent "
        "queries. Moving groups: those whose differences do not add up to 0. "
        + measure_note(stored, [stored.measure], side=side),
        folded=True,
    )


def _span(low: float | None, high: float | None) -> str:
    return MISSING if low is None or high is None else f"{signed(low)} to {signed(high)}"


def _meanings(rows: list[dict[str, Any]]) -> str:
    known = [
        f"{r['baseline']}: {MEANINGS[r['baseline']]}. " for r in rows if r["baseline"] in MEANINGS
    ]
    return "".join(known)


def _row(stored: Stored, row: Mapping[str, Any], values: Mapping[str, Any]) -> list[Cell | str]:
    name = row["baseline"]
    return [
        Cell(name, "chosen" if name in stored.rivals else ""),
        cell(value(values.get(name, {}).get("value"))),
        difference(row["delta"], better=stored.more_is_better),
        cell(signed(row["low"])),
        cell(signed(row["high"])),
        cell(f"{row['wins']} / {row['losses']} / {row['ties']}"),
        cell(p_value(row["p"])),
        cell(p_value(row["p_holm"])),
        cell(value(row["detectable"])),
    ]
