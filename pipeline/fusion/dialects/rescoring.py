"""The lists an engine would return, and what they change."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.errors import ParameterError
from pipeline.fusion.collapse import LEVELS
from pipeline.fusion.configuration import Configuration
from pipeline.fusion.dialects import dialect_of, unserved
from pipeline.fusion.frames import fuse
from pipeline.params import FusionParams

RANKED = ("query_id", "rank", "doc_id", "evidence_id", "score")


@dataclass(frozen=True, slots=True)
class Changes:
    """What becomes of a configuration's lists under an engine's formula.

    Args:
        depth: how many items of each list are looked at.
        queries: lists compared.
        sets: lists whose first `depth` items are others.
        orders: lists whose first `depth` items are the same in another order.
    """

    depth: int
    queries: int
    sets: int
    orders: int

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "depth": self.depth,
            "queries": self.queries,
            "other_items": self.sets,
            "other_order": self.orders,
        }


def refuse_unserved(engine: str, configuration: Configuration, fusion: FusionParams) -> None:
    """Refuses a configuration that an engine cannot serve.

    Raises:
        ParameterError: names the engine and each thing that it lacks.
    """
    lacking = unserved(engine, configuration, missing=fusion.missing)
    if lacking:
        raise ParameterError(
            f"{dialect_of(engine).title} cannot serve this configuration",
            where=configuration.describe(),
            found="; ".join(lacking),
            expected=f"a configuration it can serve: sweep.target: {engine} searches those only",
        )


def rescored(
    engine: str, configuration: Configuration, candidates: pl.DataFrame, fusion: FusionParams
) -> pl.DataFrame:
    """The lists that an engine returns for the branches' lists.

    Engines fuse documents: they are collapsed to the study's level afterwards, the best first.

    Args:
        engine: a name in `DIALECTS`.
        configuration: one that it can serve.
        candidates: CANDIDATES.
        fusion: the fixed part of the contract.

    Returns:
        query_id, rank, doc_id, evidence_id, score; sorted by query_id, rank.

    Raises:
        ParameterError: it cannot serve the configuration.
        ContractError: as `fuse`.
    """
    refuse_unserved(engine, configuration, fusion)
    documents = fusion.model_copy(
        update={
            "level": "document",
            "output_depth": sum(depth for _, depth in configuration.depths),
            "representatives": 1,
        }
    )
    method = dialect_of(engine).methods[configuration.method](configuration)
    fused = fuse(candidates, configuration.contract(documents), method=method)
    return _collapsed(fused.select(RANKED), candidates, fusion)


def changes(ours: pl.DataFrame, theirs: pl.DataFrame, *, depth: int) -> Changes:
    """How many lists change at the top.

    Args:
        ours: query_id, rank, evidence_id.
        theirs: likewise.
        depth: how many items of each list are looked at.
    """
    tops = [_top(lists, depth) for lists in (ours, theirs)]
    every = sorted({*tops[0], *tops[1]})
    pairs = [(tops[0].get(query, []), tops[1].get(query, [])) for query in every]
    sets = sum(set(a) != set(b) for a, b in pairs)
    orders = sum(a != b and set(a) == set(b) for a, b in pairs)
    return Changes(depth, len(every), sets, orders)


def _collapsed(fused: pl.DataFrame, candidates: pl.DataFrame, fusion: FusionParams) -> pl.DataFrame:
    sources = candidates.select("doc_id", "source_id").unique("doc_id", maintain_order=True)
    unit = LEVELS[fusion.level]
    best = (
        fused.join(sources, on="doc_id", how="left", validate="m:1")
        .sort("query_id", "rank")
        .unique(["query_id", unit], keep="first", maintain_order=True)
    )
    renumbered = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query_id").alias("rank")
    return best.with_columns(renumbered).filter(pl.col("rank") <= fusion.output_depth)[list(RANKED)]


def _top(lists: pl.DataFrame, depth: int) -> dict[str, list[str]]:
    kept = lists.filter(pl.col("rank") <= depth).sort("query_id", "rank")
    grouped = kept.group_by("query_id", maintain_order=True).agg("evidence_id")
    return dict(grouped.iter_rows())
