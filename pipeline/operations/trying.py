"""All faults on all systems: the table, and what must hold whatever fails."""

import polars as pl

from pipeline.acceptance import known_of, replies_of
from pipeline.identity import digest
from pipeline.operations.faults import Bench, fault_rows, faults_table
from pipeline.operations.invariants import Invariants
from pipeline.operations.served import Served
from pipeline.operations.shares import answering, used_branches
from pipeline.operations.striking import strike_all, unharmed

# Names the documents served; where no index is of an earlier corpus nothing need be digested.
_SERVED = "the documents served"


def try_faults(served: Served) -> tuple[pl.DataFrame, dict[str, object]]:
    """Every declared fault on every branch, and what each system makes of it.

    Args:
        served: what is served; its parameters name the faults and the primary measure.

    Returns:
        FAULTS, and each invariant with `checked` and `violations`.
    """
    documents, params = served.documents, served.params
    invariants = Invariants(documents, served.queries, served.candidates)
    benches = [
        Bench(part, answering(part, served.selection, served.splits, params), params, invariants)
        for part in served.parts
    ]
    names = sorted(
        {n for bench in benches for s in bench.systems.values() for n in used_branches(s)}
    )
    if not names:
        return faults_table([]), invariants.record()
    used = pl.col("branch").is_in(names)
    snapshot = digest(documents) if "stale" in params.operations.faults else _SERVED
    lists, states = served.candidates.filter(used), served.candidate_queries.filter(used)
    replies = replies_of(lists, states, snapshot)
    known = known_of(documents, served.queries, params, snapshot=snapshot)
    healthy = unharmed(replies)
    rows = [row for bench in benches for row in fault_rows(bench, healthy, healthy)]
    for struck in strike_all(replies, tuple(names), known, params):
        invariants.look_at_lists(struck)
        rows += [row for bench in benches for row in fault_rows(bench, healthy, struck)]
    return faults_table(rows), invariants.record()
