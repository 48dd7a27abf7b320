"""Queries that nothing relevant is known for, and that grades could bring into the mean."""

from collections.abc import Iterable
from dataclasses import replace

import polars as pl

from pipeline.evaluation.bounds.duel import duels
from pipeline.evaluation.bounds.extremes import Extremes, extremes
from pipeline.evaluation.differences import primary_differences
from pipeline.measures import parse_measure
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.query_states import UNANSWERABLE

# No grade changes these.
UNGRADED = frozenset({"Judged", "EvidenceCoverage", "AllEvidence"})


def joining(
    ours: pl.DataFrame,
    theirs: pl.DataFrame,
    inside: Iterable[str],
    part: Part,
    params: Params,
) -> list[Extremes]:
    """What each such query's difference could be once it is in the mean.

    One relevant grade on unjudged evidence that either list holds within the cutoff is what brings
    an answerable query into the mean. Evidence that neither list holds stays unjudged.

    Args:
        ours: the selected system's run.
        theirs: the baseline's run.
        inside: the queries in the mean as things are.
        part: queries, their states and judgments.
        params: primary measure, scale, relevance.

    Returns:
        By query id; empty where nothing could bring another query in.
    """
    measure = parse_measure(params.selection.measure)
    needed = max(params.collection.rel, measure.rel or 0)
    answerable = part.states.filter(pl.col("state") != UNANSWERABLE)["query_id"]
    outside = sorted(set(answerable) - set(inside))
    open_ = [
        duel
        for duel in duels(ours, theirs, part.judgments, outside)
        if duel.cut(measure.cutoff).unjudged
    ]
    if needed > params.collection.scale[1] or not open_:
        return []
    if measure.family in UNGRADED:
        there = replace(part, ranked=tuple(duel.query_id for duel in open_))
        fixed = primary_differences(ours, theirs, there, params)
        return [Extremes(query, value, value, exact=True) for query, value in fixed.items()]
    of = params.collection
    return extremes(open_, measure, rel=of.rel, scale=of.scale, needed=needed)
