"""Blind worksheets of a study, one for each assessor."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from assets.artifacts import stored
from assets.folder import StudyFolder
from assets.judging.pairs import critical_pairs
from assets.records import WORKSHEETS
from pipeline.errors import ParameterError
from pipeline.worksheets import (
    blind_rows,
    read_worksheet,
    withheld_pairs,
    worksheet_name,
    write_worksheet,
)


@dataclass(frozen=True, slots=True)
class Exported:
    """A worksheet that was written.

    Args:
        path: the file.
        pairs: how many it asks about.
        withheld: pairs of the pool that it leaves out: their query may not see the evidence.
    """

    path: Path
    pairs: int
    withheld: int


def export_worksheet(
    folder: StudyFolder,
    assessor: str,
    form: str,
    *,
    second: bool = False,
    critical: bool = False,
    force: bool = False,
) -> Exported:
    """Writes one assessor's blind worksheet, without evidence that a query may not see.

    Args:
        folder: a study whose pool is there.
        assessor: who will judge.
        form: jsonl or csv.
        second: ask about judged pairs, too.
        critical: ask about the pairs of the decision-critical list alone.
        force: over a worksheet that holds answers.

    Raises:
        MissingError: there is no pool yet, or no evaluation.
        ParameterError: a name that cannot be one; answers would be lost.
        RecordError: no pair is critical.
    """
    path = folder.root / WORKSHEETS / worksheet_name(assessor, form)
    if not force:
        _refuse_answered(path)
    documents, queries = stored(folder, "documents"), stored(folder, "queries")
    statuses = ("unjudged", "judged") if second else ("unjudged",)
    pairs = critical_pairs(folder) if critical else stored(folder, "pool")
    pool = pairs.filter(pl.col("status").is_in(statuses))
    rows = blind_rows(
        pool,
        documents=documents,
        queries=queries,
        seed=folder.params.seed,
        assessor=assessor,
        statuses=statuses,
    )
    hidden = withheld_pairs(pool, documents=documents, queries=queries)
    write_worksheet(path, rows)
    return Exported(path, len(rows), hidden.height)


def _refuse_answered(path: Path) -> None:
    if not path.exists():
        return
    answered = sum(bool(cells["grade"] or cells["status"]) for _, cells in read_worksheet(path))
    if answered:
        raise ParameterError(
            "the worksheet holds answers",
            where=path,
            found=f"{answered} answered rows",
            next_command=f"rankgate judge import {path} --round NAME, or --force",
        )
