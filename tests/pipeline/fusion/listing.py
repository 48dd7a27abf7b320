"""Ranked lists written short: `lists(bm25={"q1": ["a", "b"]})`."""

from collections.abc import Mapping

import polars as pl
from strategies import CANDIDATES

from pipeline.fusion import Contract, fuse


def lists(
    evidence: Mapping[str, str] | None = None,
    source: Mapping[str, str] | None = None,
    **branches: Mapping[str, object],
) -> pl.DataFrame:
    """The table `candidates` from lists of ids, or of ids with scores."""
    evidence, source = evidence or {}, source or {}
    rows = []
    for branch, queries in branches.items():
        for query, listed in queries.items():
            scores = dict(listed) if isinstance(listed, Mapping) else dict.fromkeys(listed)
            for rank, (name, score) in enumerate(scores.items(), start=1):
                item = evidence.get(name, name)
                rows.append((branch, query, rank, name, item, source.get(name, item), score))
    return pl.DataFrame(rows, schema=CANDIDATES, orient="row", strict=False)


def even(method: str, *branches: str, depth: int = 100, **rest: object) -> Contract:
    """A contract with equal weights and one depth."""
    return Contract.of(
        method,
        weights=dict.fromkeys(branches, 1.0),
        depths=dict.fromkeys(branches, depth),
        **rest,
    )


def scored(candidates: pl.DataFrame, contract: Contract, query: str = "q1") -> dict[str, float]:
    """Document to score of one query, in order."""
    rows = fuse(candidates, contract).filter(query_id=query)
    return dict(zip(rows["doc_id"], rows["score"], strict=True))
