"""Which pairs a worksheet asks about, and which an answer may be about."""

import polars as pl

from assets.artifacts import ARTIFACTS, is_stored, stored
from assets.folder import StudyFolder
from pipeline.errors import RecordError
from pipeline.tables import POOL


def critical_pairs(folder: StudyFolder) -> pl.DataFrame:
    """The critical pairs of the side that the answer is about, as POOL holds its pairs.

    Raises:
        RecordError: no pair is critical.
    """
    side = "dev" if stored(folder, "evaluation_summary")["sealed"] else "test"
    pairs = _as_pool(stored(folder, "critical").filter(pl.col("split") == side))
    if pairs.is_empty():
        raise RecordError(
            "no pair is critical",
            where=folder.data / ARTIFACTS["critical"].path,
            found=f"no set of unjudged pairs of {side} that would turn the primary gate",
            expected="at least one pair",
            next_command="rankgate judge export --assessor NAME, for all unjudged pairs",
        )
    return pairs


def askable_pairs(folder: StudyFolder) -> pl.DataFrame:
    """The pool, and critical pairs beyond its depth."""
    pool: pl.DataFrame = stored(folder, "pool")
    if not is_stored(folder, "critical"):
        return pool
    beyond = _as_pool(stored(folder, "critical")).join(
        pool, on=["query_id", "evidence_id"], how="anti"
    )
    return POOL.check(pl.concat([pool, beyond]))


def _as_pool(critical: pl.DataFrame) -> pl.DataFrame:
    # Nobody graded these; an opinion of unknown does not keep another assessor from a grade.
    return critical.select("query_id", "evidence_id", pl.lit("unjudged").alias("status")).unique()
