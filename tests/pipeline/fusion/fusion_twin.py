"""The fusion contract once more, slowly and plainly, as a twin for the fast one."""

import statistics
from fractions import Fraction

import polars as pl

from pipeline.fusion import Contract

KEYS = {"document": "doc_id", "evidence": "evidence_id", "source": "source_id"}


def slow_fuse(candidates: pl.DataFrame, contract: Contract) -> list[tuple]:
    """Rows query_id, rank, doc_id, score, best_rank, members."""
    queries = sorted(set(candidates["query_id"]))
    return [row for query in queries for row in _query(candidates, query, contract)]


def _query(candidates: pl.DataFrame, query: str, contract: Contract) -> list[tuple]:
    weights, depths = dict(contract.weights), dict(contract.depths)
    items: dict[str, dict] = {}
    lists = {
        branch: _collapsed(candidates, branch, query, depths[branch], KEYS[contract.level])
        for branch in weights
    }
    for branch, listed in lists.items():
        normal = _normalised([entry["score"] for entry in listed], branch, contract)
        for entry, score in zip(listed, normal, strict=True):
            value = _value(contract, branch, entry["rank"], score)
            item = items.setdefault(entry["key"], {"values": [], "in": [], "ranks": [], "docs": []})
            item["values"].append(value)
            item["in"].append(branch)
            item["ranks"].append(entry["rank"])
            item["docs"] += [(entry["rank"], place, doc) for place, doc in entry["members"]]
    fused = []
    for key, item in items.items():
        values = list(item["values"])
        if contract.missing == "past_depth" and contract.method in ("rrf", "isr", "borda"):
            values += [
                _value(contract, branch, depths[branch] + 1, None)
                for branch in weights
                if lists[branch] and branch not in item["in"]
            ]
        score = _together(contract.method, values, len(item["in"]))
        members = list(dict.fromkeys(doc for _, _, doc in sorted(item["docs"])))
        fused.append((-score, min(item["ranks"]), key, members))
    return [
        (query, rank, members[0], -score, best, members)
        for rank, (score, best, _, members) in enumerate(sorted(fused), start=1)
        if rank <= contract.output_depth
    ]


def _collapsed(candidates, branch, query, depth, key) -> list[dict]:
    rows = candidates.filter(branch=branch, query_id=query).sort("rank").head(depth)
    entries: dict[str, dict] = {}
    for place, row in enumerate(rows.iter_rows(named=True), start=1):
        entry = entries.setdefault(
            row[key],
            {"key": row[key], "rank": len(entries) + 1, "score": row["score"], "members": []},
        )
        entry["members"].append((place, row["doc_id"]))
    return list(entries.values())


def _normalised(scores, branch, contract) -> list:
    if not scores:
        return []
    low, high = min(scores), max(scores)
    if contract.method == "convex_tmm":
        low = dict(contract.minima)[branch]
    if contract.method == "convex_zscore":
        mean, spread = statistics.fmean(scores), statistics.pstdev(scores)
        return [(s - mean) / spread if high > low else 0.0 for s in scores]
    return [(s - low) / (high - low) if high > low else 1.0 for s in scores]


def _value(contract, branch, rank, score) -> float:
    weight, depth = dict(contract.weights)[branch], dict(contract.depths)[branch]
    order = list(contract.order or sorted(dict(contract.weights)))
    if contract.method == "rrf":
        return weight / (contract.rank_constant + rank)
    if contract.method == "isr":
        return weight / rank**2
    if contract.method == "borda":
        return weight * (depth - rank + 1)
    if contract.method == "round_robin":
        return 1 / ((rank - 1) * len(order) + order.index(branch) + 1)
    return weight * score


def _together(method, values, count) -> float:
    if method == "round_robin":
        return max(values)
    total = 0.0
    for value in sorted(values, reverse=True):
        total += value
    return total * count if method == "combmnz" else total


def exact_rrf(rankings, constant, weights) -> dict[str, Fraction]:
    """RRF scores without rounding."""
    scores: dict[str, Fraction] = {}
    for ranking, weight in zip(rankings, weights, strict=True):
        for rank, name in enumerate(ranking, start=1):
            scores[name] = scores.get(name, Fraction(0)) + Fraction(weight) / (
                Fraction(constant) + rank
            )
    return scores
