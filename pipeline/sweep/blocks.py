"""The queries of a sweep in blocks: what is done on one of them fits the processor's cache."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.grid.memory import BLOCK_ENTRIES, BLOCK_QUERIES
from pipeline.measures import Truth
from pipeline.params import FusionParams
from pipeline.sweep.collapsed import Collapsed, collapse_lists
from pipeline.sweep.truth import Judged


@dataclass(frozen=True, slots=True)
class Blocks:
    """Candidates by blocks of queries.

    Args:
        candidates: CANDIDATES.
        depths: branch to the greatest depth that is tried.
        judged: all queries.
        fusion: level, and what to do with repeated documents.
        bounds: the first query of each block, and the number of queries.
        rows: the candidates' rows, those of a block together.
        starts: where each block begins among them, and their number.
    """

    candidates: pl.DataFrame
    depths: Mapping[str, int]
    judged: Judged
    fusion: FusionParams
    bounds: Sequence[int]
    rows: npt.NDArray[np.int64]
    starts: Sequence[int]

    @classmethod
    def of(
        cls,
        candidates: pl.DataFrame,
        depths: Mapping[str, int],
        judged: Judged,
        fusion: FusionParams,
        *,
        least: int = 1,
    ) -> "Blocks":
        """Cuts the queries into blocks.

        Args:
            candidates: CANDIDATES, in any order.
            depths: branch to the greatest depth that is tried.
            judged: the queries.
            fusion: the part of the contract that is not a grid axis.
            least: how many blocks there should be, where there are so many queries.
        """
        bounds = _bounds(len(judged.queries), sum(depths.values()), least)
        named = pl.Enum(list(judged.queries))
        codes = candidates["query_id"].cast(named, strict=False).to_physical()
        known = np.flatnonzero(codes.is_not_null().to_numpy())
        block = np.searchsorted(bounds, codes.gather(known).to_numpy(), side="right") - 1
        order = np.argsort(block.astype(np.int32), kind="stable")
        starts = np.searchsorted(block[order], np.arange(len(bounds)))
        return cls(candidates, depths, judged, fusion, bounds, known[order], starts.tolist())

    def __len__(self) -> int:
        return len(self.bounds) - 1

    def queries(self, block: int) -> slice:
        """Which queries a block holds."""
        return slice(self.bounds[block], self.bounds[block + 1])

    def collapsed(self, block: int) -> tuple[Collapsed, Judged]:
        """A block's lists, collapsed, and what is known about its queries.

        Raises:
            ContractError: a list breaks the rules of fusion.
        """
        mine = self.rows[self.starts[block] : self.starts[block + 1]]
        judged = _some(self.judged, self.queries(block))
        return collapse_lists(self.candidates[mine], self.depths, judged, self.fusion), judged


def _bounds(queries: int, entries: int, least: int) -> list[int]:
    wanted = max(
        -(-queries * max(entries, 1) // BLOCK_ENTRIES),
        -(-queries // BLOCK_QUERIES),
        min(least, queries),
        1,
    )
    return [queries * block // wanted for block in range(wanted + 1)]


def _some(judged: Judged, chosen: slice) -> Judged:
    names = judged.queries[chosen]
    first = chosen.start
    mine = judged.evidence.filter(pl.col("row").is_between(first, chosen.stop, closed="left"))
    return Judged(
        queries=names,
        rows={name: row for row, name in enumerate(names)},
        evidence=mine.with_columns(pl.col("row") - first),
        truth=Truth(judged.truth.grades[chosen], judged.truth.required[chosen]),
        rel=judged.rel,
    )
