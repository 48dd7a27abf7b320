"""The table of faults: every system's primary measure, empty and partial answers under each."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from pipeline.operations.answering import answer, left_for, out_of_order, unanswered
from pipeline.operations.invariants import Invariants
from pipeline.operations.keeping import emptied_columns, kept_columns
from pipeline.operations.shares import Answering, Share, used_branches
from pipeline.operations.striking import Struck
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.serving.states import PARTIAL
from pipeline.systems import SELECTED
from pipeline.tables import FAULTS, NO_FAULT


@dataclass(frozen=True, slots=True)
class Answered:
    """What a system answers under a fault.

    Args:
        answered: query_id, of the queries that its lists have anything for; the lists themselves
            would fill memory, many faults long.
        values: query_id, value of the primary measure, over the part's ranked queries.
    """

    answered: pl.DataFrame
    values: pl.DataFrame


@dataclass(frozen=True, slots=True)
class Bench:
    """A part's systems, and their answers so far: many faults leave the same lists.

    Args:
        part: queries and labels.
        systems: every system's shares.
        params: the primary measure, the fusion contract.
        invariants: every answer is held against them.
        known: answers by what was left of a system, and the lists they were made of: with the same
            branch left, all fusions answer alike.
    """

    part: Part
    systems: Answering
    params: Params
    invariants: Invariants
    known: dict[tuple[str, ...], Answered] = field(default_factory=dict)

    def answered(self, system: str, struck: Struck, digests: Mapping[str, str]) -> Answered:
        """A system's answers from the lists that a fault leaves.

        Args:
            system: its name.
            struck: what is used of the replies.
            digests: branch to the digest of its lists and of the calls it is out for.
        """
        shares = self.systems[system]
        key = _left(shares, struck.out, digests)
        if key not in self.known:
            run = answer(shares, struck.lists, struck.out, self.params.fusion)
            self._look_at(f"{struck.fault}, {system}", shares, struck, run)
            answered = run.select("query_id").unique()
            self.known[key] = Answered(answered, self._values(run))
        return self.known[key]

    def _look_at(
        self, where: str, shares: Sequence[Share], struck: Struck, run: pl.DataFrame
    ) -> None:
        alone, wrong = out_of_order(shares, struck.lists, run, self.params.fusion)
        lost = unanswered(shares, struck.lists, run)
        self.invariants.look_at_answers(where, run, lost=lost, alone=alone, out_of_order=wrong)

    def _values(self, run: pl.DataFrame) -> pl.DataFrame:
        if not self.part.ranked:
            return pl.DataFrame(schema={"query_id": pl.String, "value": pl.Float64})
        measures, rel = [self.params.selection.measure], self.params.collection.rel
        return self.part.values_of(run, measures, rel=rel).select("query_id", "value")


def fault_rows(bench: Bench, healthy: Struck, struck: Struck) -> list[dict[str, object]]:
    """One fault's rows of FAULTS, one for each system.

    Args:
        bench: the part's systems.
        healthy: what is used without a fault.
        struck: what is used under this one.
    """
    before, now = branch_digests(healthy), branch_digests(struck)
    return [
        _row(
            bench,
            system,
            bench.answered(system, healthy, before),
            bench.answered(system, struck, now),
            struck,
        )
        for system in bench.systems
    ]


def _left(
    shares: Sequence[Share], out: pl.DataFrame, digests: Mapping[str, str]
) -> tuple[str, ...]:
    # A branch that is a system by itself is told apart: there is no other whose place it takes.
    key = [str(len(used_branches(shares)) > 1)]
    for left, queries in left_for(shares, out):
        ids = "\n".join(queries["query_id"].sort())
        key.append(hashlib.sha256(ids.encode()).hexdigest())
        key += [] if left is None else [repr(left), *(digests[name] for name in left.branches)]
    return tuple(key)


def faults_table(rows: Iterable[Mapping[str, object]]) -> pl.DataFrame:
    """FAULTS. `value` is the mean over a part's ranked queries, those answered by nothing
    included; `empties`, `partials`, `fallbacks`, `affected` and `queries` count all of its
    queries."""
    return FAULTS.check(pl.DataFrame(list(rows), schema=dict(FAULTS.columns)))


def branch_digests(struck: Struck) -> dict[str, str]:
    """Each branch's digest of its lists and of the calls it is out for; of this process only."""
    found: dict[str, str] = {}
    out = struck.out
    for (name,), rows in struck.states.group_by("branch", maintain_order=True):
        lists = struck.lists.filter(pl.col("branch") == name).select(_HASHED)
        gone = out.filter(pl.col("branch") == name).select("query_id")
        hashed = hashlib.sha256(str(rows.height).encode())
        for frame in (lists.sort("query_id", "rank"), gone.sort("query_id")):
            hashed.update(frame.hash_rows().to_numpy().tobytes() + b"|")
        found[str(name)] = hashed.hexdigest()
    return found


_HASHED = ("query_id", "rank", "doc_id", "score")


def _row(
    bench: Bench, system: str, before: Answered, now: Answered, struck: Struck
) -> dict[str, object]:
    queries = bench.part.queries.select("query_id")
    mine = pl.col("branch").is_in(used_branches(bench.systems[system]))
    said = struck.states.filter(mine).join(queries, on="query_id", how="semi")
    changed = struck.changed.filter(mine).join(queries, on="query_id", how="semi")
    partial = said.filter(pl.col("status").is_in(sorted(PARTIAL))).select("query_id").unique()
    out = struck.out.filter(mine).select("query_id").unique()
    marked = said.filter(pl.col("mark").is_not_null()).select("query_id")
    affected = changed.select("query_id").unique()
    mean, healthy = _mean(now.values), _mean(before.values)
    floor = _floor(system, struck, bench.params)
    kept = kept_columns(floor, now.values, before.values, bench.part, bench.params)
    return {
        "fault": struck.fault,
        "system": system,
        "split": bench.part.split,
        "measure": bench.params.selection.measure,
        "value": mean,
        "delta": None if mean is None or healthy is None else mean - healthy,
        "empties": queries.height - now.answered.height,
        "partials": now.answered.join(partial, on="query_id", how="semi").height,
        "queries": queries.height,
        "fallbacks": now.answered.join(out, on="query_id", how="semi").height,
        "affected": affected.height,
        "affected_value": _mean(now.values.join(affected, on="query_id", how="semi")),
        "unaffected_value": _mean(now.values.join(affected, on="query_id", how="anti")),
        "unmarked": affected.join(marked, on="query_id", how="anti").height,
        **emptied_columns(now.answered, before.answered, bench.part),
        **kept,
    }


def _floor(system: str, struck: Struck, params: Params) -> float | None:
    """What the selected configuration must keep under a fault; None where nothing is asked."""
    limit = params.decision.degraded
    asked = limit is not None and system == SELECTED and struck.fault != NO_FAULT
    return limit.floor_of(struck.fault) if asked and limit is not None else None


def _mean(values: pl.DataFrame) -> float | None:
    mean = values.sort("query_id")["value"].mean()
    return float(mean) if isinstance(mean, float) else None
