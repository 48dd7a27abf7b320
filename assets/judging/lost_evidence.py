"""Lost evidence on a sheet of its own, for error analysis."""

from pathlib import Path

import polars as pl

from assets.artifacts import stored
from assets.folder import StudyFolder
from pipeline.worksheets import withheld_pairs
from pipeline.worksheets.errors import error_rows, write_errors


def written_errors(folder: StudyFolder, output: Path, side: str | None) -> int:
    """Writes each lost evidence, with its stage and room for the cause, and returns how many.

    Args:
        folder: a study that was evaluated.
        output: the CSV file to write.
        side: dev or test; both, as far as they are open, where None.
    """
    diagnosis = stored(folder, "diagnosis")
    if side is not None:
        diagnosis = diagnosis.filter(pl.col("split") == side)
    queries = stored(folder, "queries")
    hidden = withheld_pairs(diagnosis, documents=stored(folder, "documents"), queries=queries)
    rows = error_rows(diagnosis, queries, hidden)
    write_errors(output, rows)
    return rows.height
