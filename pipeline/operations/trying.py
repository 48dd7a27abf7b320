"""All faults on all systems: the table, and what must hold whatever fails."""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from pipeline.acceptance import known_of, replies_of
from pipeline.identity import digest
from pipeline.operations.faults import Bench, fault_rows, faults_table
from pipeline.operations.invariants import Invariants
from pipeline.operations.shares import answering, used_branches
from pipeline.operations.striking import strike_all, unharmed
from pipeline.params import Params
from pipeline.parts import Part

# Names the documents served; where no index is of an earlier corpus nothing need be digested.
_SERVED = "the documents served"


def try_faults(
    parts: Sequence[Part],
    *,
    documents: pl.DataFrame,
    queries: pl.DataFrame,
    splits: pl.DataFrame,
    candidates: pl.DataFrame,
    candidate_queries: pl.DataFrame,
    selection: Mapping[str, Any],
    params: Params,
) -> tuple[pl.DataFrame, dict[str, object]]:
    """Every declared fault on every branch, and what each system makes of it.

    Args:
        parts: the queries that may be looked at, with their labels.
        documents: DOCUMENTS.
        queries: QUERIES.
        splits: SPLITS.
        candidates: CANDIDATES.
        candidate_queries: CANDIDATE_QUERIES.
        selection: selection.json.
        params: which faults; the primary measure.

    Returns:
        FAULTS, and each invariant with `checked` and `violations`.
    """
    invariants = Invariants(documents, queries, candidates)
    benches = [
        Bench(part, answering(part, selection, splits, params), params, invariants)
        for part in parts
    ]
    names = sorted(
        {n for bench in benches for s in bench.systems.values() for n in used_branches(s)}
    )
    if not names:
        return faults_table([]), invariants.record()
    used = pl.col("branch").is_in(names)
    snapshot = digest(documents) if "stale" in params.operations.faults else _SERVED
    replies = replies_of(candidates.filter(used), candidate_queries.filter(used), snapshot)
    known = known_of(documents, queries, params, snapshot=snapshot)
    healthy = unharmed(replies)
    rows = [row for bench in benches for row in fault_rows(bench, healthy, healthy)]
    for struck in strike_all(replies, tuple(names), known, params):
        invariants.look_at_lists(struck)
        rows += [row for bench in benches for row in fault_rows(bench, healthy, struck)]
    return faults_table(rows), invariants.record()
