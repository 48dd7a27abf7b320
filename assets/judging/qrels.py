"""A study's judgments as qrels, for other tools."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from assets.artifacts import stored
from assets.folder import StudyFolder
from pipeline.collection import write_qrels
from pipeline.collection.lines import is_json_lines
from pipeline.judgments import resolve
from pipeline.worksheets import withheld_pairs


@dataclass(frozen=True, slots=True)
class Qrels:
    """Judgments that were written.

    Args:
        pairs: how many.
        withheld: judged pairs left out: their query may not see the evidence.
    """

    pairs: int
    withheld: int


def written_qrels(folder: StudyFolder, output: Path, side: str | None) -> Qrels:
    """Writes the judgments of a study's snapshot as qrels; see `write_qrels`.

    Evidence that a query's principal may not see is in no ideal list here, and must be in none
    that another tool makes of the file.

    Args:
        folder: a study whose snapshot is there.
        output: the file.
        side: only queries of this side, which needs the splits.

    Raises:
        MissingError: there is no snapshot, or no splits.
        InputError: an id cannot stand in a TREC file.
    """
    judged = resolve(stored(folder, "judgments"), folder.params.collection.assessors)
    if side is not None:
        sides = stored(folder, "splits").filter(pl.col("split") == side)
        judged = judged.join(sides.select("query_id"), on="query_id", how="semi")
    documents, queries = stored(folder, "documents"), stored(folder, "queries")
    hidden = withheld_pairs(judged, documents=documents, queries=queries)
    told = judged.join(hidden, on=["query_id", "evidence_id"], how="anti", maintain_order="left")
    write_qrels(output, told)
    return Qrels(
        told.height if is_json_lines(output) else told["grade"].count(),
        judged.height - told.height,
    )
