"""Calls of a small service, many at once: healthy replies, random faults, and a slow twin."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.acceptance import Known, Replies, known_of
from pipeline.acceptance.replies import LIST
from pipeline.faults import INJECTED, Hit
from pipeline.fusion import Configuration, reciprocal_rank_fusion
from pipeline.params import FusionParams
from tests.rows import documents, params, queries

BRANCHES = ("bm25", "dense", "graph")
TENANTS = ("acme", "globex", None)
PARAMS = params(
    {
        "bm25": {"kind": "bm25"},
        "dense": {"kind": "dense"},
        "graph": {"kind": "recorded", "run": "graph"},
    }
)
FUSION = FusionParams(level="document")
WEIGHTS = {"bm25": 0.5, "dense": 0.3, "graph": 0.2}
CONFIGURATION = Configuration.of(
    "rrf", rank_constant=60, weights=WEIGHTS, depths=dict.fromkeys(WEIGHTS, 10)
)
NOW = "now"
DEPTH = 3
# acme-00 …: for that tenant only; open-00 …: for everybody.
IDS = sorted(f"{owner}-{number:02d}" for owner in ("acme", "globex", "open") for number in range(8))
SHARE = 0.4  # of a branch's calls that a fault befalls
NAMES = tuple(name for name in INJECTED if name != "dropout")


@dataclass(frozen=True, slots=True)
class Calls:
    """A batch of calls: who asks, what the branches would list, and what they replied."""

    known: Known
    healthy: Replies
    replies: Replies


def owner(doc_id: str) -> str:
    return doc_id.split("-")[0]


def tenant_of(number: int) -> str | None:
    return TENANTS[number % len(TENANTS)]


def known_service(calls: int) -> Known:
    """Calls c0000000 …, asked by acme, globex and nobody in turn."""
    names = [f"c{number:07d}" for number in range(calls)]
    tenants = {name: tenant_of(number) for number, name in enumerate(names)}
    restricted = {one: owner(one) for one in IDS if owner(one) != "open"}
    return known_of(
        documents(dict.fromkeys(IDS, "x"), tenant=restricted),
        queries(dict.fromkeys(names, "?"), tenant={n: t for n, t in tenants.items() if t}),
        PARAMS,
        snapshot=NOW,
    )


def make_calls(known: Known, rng: np.random.Generator) -> Calls:
    """Healthy lists of 0 to DEPTH eligible documents, and faults drawn for each branch."""
    names = known.group["query_id"].sort()
    healthy = _healthy(names, rng)
    return Calls(known, healthy, _spoiled(healthy, known, rng))


def _healthy(names: pl.Series, rng: np.random.Generator) -> Replies:
    lists, states = [], []
    may = np.array([[owner(d) in ("open", t) for d in IDS] for t in TENANTS])
    asks = np.arange(len(names)) % len(TENANTS)
    for branch in BRANCHES:
        drawn = rng.random((len(names), len(IDS)), dtype=np.float32)
        best = np.argpartition(-np.where(may[asks], drawn, -1), DEPTH, axis=1)[:, :DEPTH]
        least = 1 if branch == "dense" else 0
        length = rng.integers(least, DEPTH + 1, len(names))
        call, place = np.nonzero(np.arange(DEPTH) < length[:, None])
        score = np.tile(np.arange(DEPTH, 0, -1) / DEPTH, (len(names), 1))
        found = pl.Series(IDS, dtype=pl.String)[best[call, place].astype(np.int64)]
        lists.append(
            pl.DataFrame(
                {
                    "branch": pl.Series([branch], dtype=pl.String).new_from_index(0, len(call)),
                    "query_id": names[call],
                    "rank": place.astype(np.int64) + 1,
                    "doc_id": found,
                    "evidence_id": found,
                    "source_id": found,
                    "score": score[call, place],
                }
            )
        )
        states.append(
            pl.DataFrame({"query_id": names, "returned": length.astype(np.int64)}).select(
                pl.lit(branch).alias("branch"),
                "query_id",
                pl.lit("ok").alias("status"),
                "returned",
                pl.lit(NOW).alias("snapshot"),
            )
        )
    return Replies(pl.concat(lists), pl.concat(states))


def _spoiled(healthy: Replies, known: Known, rng: np.random.Generator) -> Replies:
    fate = rng.integers(0, len(NAMES), healthy.states.height)
    fate[rng.random(healthy.states.height) >= SHARE] = -1
    calls = healthy.states.select(LIST).with_columns(fate=pl.Series(fate))
    lists = healthy.lists.join(calls, on=LIST, how="left", maintain_order="left")
    states = healthy.states.with_columns(fate=pl.Series(fate))
    given = [
        INJECTED[name].spoil(Hit(_with_fate(lists, states, number), known, seed=7))
        for number, name in enumerate(NAMES)
    ]
    given.append(_with_fate(lists, states, -1))
    return Replies(
        pl.concat([one.lists for one in given]), pl.concat([one.states for one in given])
    )


def _with_fate(lists: pl.DataFrame, states: pl.DataFrame, fate: int) -> Replies:
    mine = pl.col("fate") == fate
    return Replies(lists.filter(mine).drop("fate"), states.filter(mine).drop("fate"))


def slowly(calls: Calls, names: list[str]) -> Iterator[tuple[str, list[str], dict[str, bool]]]:
    """Each call by itself in plain Python: its answer, and whether each branch was used."""
    asked = pl.DataFrame({"query_id": names})
    of = pl.col("query_id").is_in(asked["query_id"].implode())
    rows = {
        key: part.sort("rank").to_dicts()
        for key, part in calls.replies.lists.filter(of).group_by(LIST)
    }
    states = {
        (row["branch"], row["query_id"]): row
        for row in calls.replies.states.filter(of).iter_rows(named=True)
    }
    for name in names:
        tenant = tenant_of(int(name[1:]))
        lists = {
            branch: _used(rows.get((branch, name), []), states[branch, name], tenant, branch)
            for branch in BRANCHES
        }
        used = [branch for branch in BRANCHES if lists[branch]]
        ranked = [lists[branch] for branch in used]
        weights = [WEIGHTS[branch] for branch in used] or None
        fused = reciprocal_rank_fusion(ranked, weights=weights)
        yield name, [one.id for one in fused], {branch: branch in used for branch in BRANCHES}


def _used(
    rows: list[dict[str, object]], state: Mapping[str, object], tenant: str | None, branch: str
) -> list[str]:
    """A list that holds nothing it must not, in order of score; else nothing."""
    ids = [str(row["doc_id"]) for row in rows]
    refused = (
        state["snapshot"] != NOW
        or any(one not in IDS or owner(one) not in ("open", tenant) for one in ids)
        or len(set(ids)) < len(ids)
    )
    if refused:
        return []
    scores = [float(str(row["score"])) for row in rows]
    if scores == sorted(scores, reverse=True):
        return ids
    # Engines break ties by id ascending, recorded runs by id descending, as trec_eval.
    by_id = sorted(zip(ids, scores, strict=True), reverse=branch == "graph")
    return [one for one, _ in sorted(by_id, key=lambda pair: -pair[1])]
