"""One screen for a product manager: the word, who gains, who loses, the cost, what next."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.gates.gate import SEVERITY
from pipeline.params import Params
from pipeline.report.answer import measured, opening, sureness, tally, verdict
from pipeline.report.changes import Change, Changes, changes
from pipeline.report.examples import query_text
from pipeline.report.measured import how_measured
from pipeline.report.reference import Row, reference
from pipeline.report.work import untimed, work
from pipeline.systems import PRODUCTION, SELECTED
from pipeline.times import END_TO_END

EXAMPLES = 2


@dataclass(frozen=True, slots=True)
class Example:
    """One query that gained or lost.

    Args:
        query_id: which.
        delta: by how much.
        text: what it asks; empty unless `report.text` is true.
    """

    query_id: str
    delta: float
    text: str


@dataclass(frozen=True, slots=True)
class Screen:
    """What stands on the screen; sentences with commands in backticks.

    Args:
        study: its name.
        word: ship, hold, inconclusive or sealed.
        verdict: what the word means here.
        measured: the difference to the baseline that the answer hangs on, and how sure it is.
        tally: of how many queries how many are better, worse, the same; may be empty.
        sure: what the interval stands on; may be empty.
        opening: whether the test is open, at which level.
        reasons: each required gate with its status and its reason.
        cost: work and time of a query.
        gained: the largest gains.
        lost: the largest losses.
        change: what would change the answer.
        notes: what must be known beside it.
        how: how the values came about, in one line.
    """

    study: str
    word: str
    verdict: str
    measured: str
    tally: str
    sure: str
    opening: str
    reasons: tuple[str, ...]
    cost: tuple[str, ...]
    gained: tuple[Example, ...]
    lost: tuple[Example, ...]
    change: tuple[str, ...]
    notes: tuple[str, ...]
    how: str


def one_screen(
    *,
    decision: Mapping[str, Any],
    evaluation_summary: Mapping[str, Any],
    per_query: pl.DataFrame,
    latency: pl.DataFrame,
    queries: pl.DataFrame,
    params: Params,
) -> Screen:
    """What a product manager wants to know of a study.

    Args:
        decision: decision.json.
        evaluation_summary: evaluation's summary.
        per_query: PER_QUERY.
        latency: LATENCY.
        queries: QUERIES.
        params: the study's parameters.
    """
    row = reference(decision, evaluation_summary.get("branches") or {})
    gained, lost = _examples(row, decision, per_query, queries, params)
    return Screen(
        study=params.study,
        word=decision["word"],
        verdict=verdict(decision),
        measured=measured(decision, row),
        tally=tally(row),
        sure=sureness(row),
        opening=opening(decision),
        reasons=tuple(_reasons(decision)),
        cost=tuple(_cost(decision, latency, row, params)),
        gained=gained,
        lost=lost,
        change=tuple(decision["next"]) or ("Nothing stands in the way of shipping.",),
        notes=tuple(decision["notes"]),
        how=how_measured(
            params,
            [decision["measure"]],
            evaluation_summary,
            sides=[] if row is None else [row["split"]],
        ),
    )


def _examples(
    row: Row | None,
    decision: Mapping[str, Any],
    per_query: pl.DataFrame,
    queries: pl.DataFrame,
    params: Params,
) -> tuple[tuple[Example, ...], tuple[Example, ...]]:
    if row is None:
        return (), ()
    found: Changes = changes(
        per_query, side=row["split"], measure=decision["measure"], baseline=row["baseline"]
    )
    chosen = found.gained[:EXAMPLES], found.lost[:EXAMPLES]
    names = [one.query_id for part in chosen for one in part]
    texts = query_text(queries, names, params=params)
    return _told(chosen[0], texts), _told(chosen[1], texts)


def _told(found: Sequence[Change], texts: Mapping[str, str]) -> tuple[Example, ...]:
    return tuple(Example(one.query_id, one.delta, texts.get(one.query_id, "")) for one in found)


def _reasons(decision: Mapping[str, Any]) -> Iterator[str]:
    """The required gates, those in the way of shipping first."""
    required = [gate for gate in decision["gates"] if gate["required"]]
    for gate in sorted(required, key=lambda gate: SEVERITY.index(gate["status"])):
        yield _reason(gate)


def _reason(gate: Mapping[str, Any]) -> str:
    name, status = gate["gate"].replace("_", " "), gate["status"].replace("_", " ")
    return f"{name} {status}: {gate['reason']}"


def _cost(
    decision: Mapping[str, Any], latency: pl.DataFrame, row: Row | None, params: Params
) -> Iterator[str]:
    yield from (f"{name}: {said}" for name, said in work(decision, params))
    warm = latency.filter(
        (pl.col("component") == END_TO_END)
        & (pl.col("mode") == "warm")
        & (pl.col("callers") == 1)
        & (pl.col("percentile") == 95)
    )
    times = dict(warm.select("system", "milliseconds").rows())
    if SELECTED not in times:
        yield f"time {untimed(decision, params)}"
        return
    named = "" if row is None else str(row["baseline"])
    behind = params.production if named == PRODUCTION else named
    beside = f", {behind} alone {times[behind]:.3g} ms" if behind in times else ""
    yield f"time: p95 {times[SELECTED]:.3g} ms warm{beside}"
