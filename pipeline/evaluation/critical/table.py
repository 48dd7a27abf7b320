"""The decision-critical list of one part, as a table."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.evaluation.bounds.duel import Duel, duels
from pipeline.evaluation.bounds.joining import UNGRADED
from pipeline.evaluation.bounds.ratio import Reals
from pipeline.evaluation.critical.contest import assumable_grades, contests_of
from pipeline.evaluation.critical.goals import Goal
from pipeline.evaluation.critical.lows import Plan
from pipeline.evaluation.critical.search import Found, smallest
from pipeline.evaluation.critical.standing import Field
from pipeline.evaluation.differences import compare_queries
from pipeline.forbidden import hidden_evidence
from pipeline.measures import Measure, parse_measure
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.slices import ALL_QUERIES
from pipeline.statistics import group_numbers
from pipeline.statistics.comparison import MANY_GROUPS, narrowest_bounds
from pipeline.statistics.groups import Grouped
from pipeline.systems import SELECTED
from pipeline.tables import CRITICAL


@dataclass(frozen=True, slots=True)
class Critical:
    """The list, and how it was found.

    Args:
        table: CRITICAL.
        figures: `open` (unjudged pairs that may be judged), `pairs` (in the list), `proven`
            (whether no smaller set is there: every one was tried), `low`, `low_after` (the least L
            of the gate, now and with the list's grades; null where there is none). Empty where
            nothing was looked for.
    """

    table: pl.DataFrame
    figures: dict[str, object]


def critical(
    runs: pl.DataFrame,
    rivals: Sequence[str],
    part: Part,
    documents: pl.DataFrame,
    params: Params,
) -> Critical:
    """A smallest set found of unjudged pairs whose judgment could turn the primary gate.

    Where every L exceeds the limit: pairs whose judgment would let one fall to it. Else: pairs
    whose judgment would lift all of them over it, all at once. What is not among the pairs counts
    as irrelevant, as it does in the gate.

    Args:
        runs: RUNS of this part, with a system `selected`.
        rivals: what must be beaten.
        part: whose queries, judgments, groups and level.
        documents: DOCUMENTS: evidence that a query may not see is not asked about.
        params: primary measure and limit, scale, regime, resamples, seed.

    Returns:
        No rows under another regime than pooled, where no set was found, for measures that no
        grade changes or that ir_measures computes, and below two groups.
    """
    found = _found(runs, sorted(rivals), part, documents, params)
    if found is None:
        return Critical(CRITICAL.empty(), {})
    field, best = found
    rows = [
        {
            "split": part.split,
            "place": place,
            "query_id": field.contests[one.query].query_id,
            "evidence_id": one.evidence_id,
            "grade": one.grade,
            "low": float(field.bounds(best.judgments[:place]).lows.min()),
            "turns": best.goal.turns,
        }
        for place, one in enumerate(best.judgments, start=1)
    ]
    table = CRITICAL.check(pl.DataFrame(rows, schema=dict(CRITICAL.columns), orient="row"))
    return Critical(table, _figures(field, best))


def _figures(field: Field, found: Found) -> dict[str, object]:
    lows = [float(field.lows(some).min()) for some in ((), found.judgments)]
    before, after = (low if math.isfinite(low) else None for low in lows)
    return {
        "open": field.open,
        "pairs": len(found.judgments),
        "proven": found.proven,
        "low": before,
        "low_after": after,
    }


def _found(
    runs: pl.DataFrame,
    rivals: list[str],
    part: Part,
    documents: pl.DataFrame,
    params: Params,
) -> tuple[Field, Found] | None:
    measure = parse_measure(params.selection.measure)
    graded = not measure.foreign and measure.family not in UNGRADED
    compared = rivals and part.ranked and SELECTED in runs["system"].unique().to_list()
    if params.collection.regime != "pooled" or not graded or not compared:
        return None
    field = _field(runs, rivals, measure, part, documents, params)
    if field is None:
        return None
    limit = params.primary_limit
    lift = Goal(limit)
    if not lift.reached(field.lows(())):
        return field, smallest(field, lift)
    sets = [smallest(field, Goal(limit, place)) for place in range(len(rivals))]
    some = [one for one in sets if one.judgments]
    return field, min(some or sets, key=lambda one: (len(one.judgments), one.goal.rival))


def _field(
    runs: pl.DataFrame,
    rivals: list[str],
    measure: Measure,
    part: Part,
    documents: pl.DataFrame,
    params: Params,
) -> Field | None:
    ours = runs.filter(pl.col("system") == SELECTED)
    by_rival = [
        duels(ours, runs.filter(pl.col("system") == rival), part.judgments, part.ranked)
        for rival in rivals
    ]
    hidden = _hidden(by_rival, measure, part, documents)
    contests = contests_of(by_rival, measure, rel=params.collection.rel, closed=hidden)
    start = np.concatenate([contest.gains([{}]) for contest in contests])
    # A query for which the measure is not defined stays out, as everywhere.
    defined = [place for place, row in enumerate(start) if np.isfinite(row).all()]
    queries = [contests[place].query_id for place in defined]
    groups = group_numbers(queries, part.groups)
    if len(set(groups.tolist())) < 2:
        return None
    return Field(
        contests=[contests[place] for place in defined],
        plan=Plan.of(groups, part.alpha),
        gate_lows=_gate_lows(queries, rivals, part, params),
        grades=assumable_grades(params.collection.rel, params.collection.scale[1]),
        start=start[defined],
    )


def _hidden(
    by_rival: Sequence[Sequence[Duel]], measure: Measure, part: Part, documents: pl.DataFrame
) -> set[tuple[str, str]]:
    pairs = {
        (duel.query_id, item)
        for rival in by_rival
        for whole in rival
        for duel in [whole.cut(measure.cutoff)]
        for item in duel.unjudged
    }
    schema = {"query_id": pl.String, "evidence_id": pl.String}
    frame = pl.DataFrame(sorted(pairs), schema=schema, orient="row")
    hidden = hidden_evidence(frame, documents, part.queries)
    return set(hidden.select("query_id", "evidence_id").iter_rows())


def _gate_lows(
    queries: Sequence[str], rivals: Sequence[str], part: Part, params: Params
) -> Callable[[Reals], Reals]:
    """By the draws that the comparison will have once the pairs are judged."""
    name = params.selection.measure
    better = parse_measure(name).higher_is_better
    groups = group_numbers(queries, part.groups)
    many = len(set(groups.tolist())) >= MANY_GROUPS

    def low_of(gains: Reals, rival: str) -> float | None:
        if many:  # bootstrap-t decides nothing, and takes its time
            return narrowest_bounds(Grouped.of(gains, groups), part.alpha)[0]
        column = (gains if better else -gains).tolist()
        differences = dict(zip(queries, column, strict=True))
        one = compare_queries(differences, ALL_QUERIES, part=part, params=params)
        return one.low if better else _negative(one.high)

    def lows(gains: Reals) -> Reals:
        found = [low_of(gains[:, place], rival) for place, rival in enumerate(rivals)]
        return np.array([-math.inf if low is None else low for low in found])

    return lows


def _negative(value: float | None) -> float | None:
    return None if value is None else -value
