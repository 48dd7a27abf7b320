"""Worksheets and judgments of a study: out, in, and how far it has come."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from assets.artifacts import ARTIFACTS
from assets.folder import StudyFolder
from assets.records import WORKSHEETS
from pipeline.collection import write_qrels
from pipeline.collection.lines import is_json_lines
from pipeline.errors import ParameterError, RecordError
from pipeline.judgments import resolve
from pipeline.params import CollectionParams
from pipeline.storage import append_lines, read_lines
from pipeline.tables import POOL
from pipeline.worksheets import (
    Imported,
    blind_rows,
    import_worksheet,
    judging_progress,
    read_worksheet,
    withheld_pairs,
    worksheet_name,
    write_worksheet,
)
from pipeline.worksheets.errors import error_rows, write_errors

ROUND = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


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
    documents, queries = _stored(folder, "documents"), _stored(folder, "queries")
    statuses = ("unjudged", "judged") if second else ("unjudged",)
    pairs = _critical(folder) if critical else _stored(folder, "pool")
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


def _critical(folder: StudyFolder) -> pl.DataFrame:
    """The critical pairs of the side that the answer is about, as POOL holds its pairs."""
    side = "dev" if _stored(folder, "evaluation_summary")["sealed"] else "test"
    pairs = _as_pool(_stored(folder, "critical").filter(pl.col("split") == side))
    if pairs.is_empty():
        raise RecordError(
            "no pair is critical",
            where=folder.data / ARTIFACTS["critical"].path,
            found=f"no set of unjudged pairs of {side} that would turn the primary gate",
            expected="at least one pair",
            next_command="rankgate judge export --assessor NAME, for all unjudged pairs",
        )
    return pairs


def _as_pool(critical: pl.DataFrame) -> pl.DataFrame:
    # Nobody graded these; an opinion of unknown does not keep another assessor from a grade.
    return critical.select("query_id", "evidence_id", pl.lit("unjudged").alias("status")).unique()


def _askable(folder: StudyFolder) -> pl.DataFrame:
    """The pool, and critical pairs beyond its depth."""
    pool: pl.DataFrame = _stored(folder, "pool")
    if not (folder.data / ARTIFACTS["critical"].path).exists():
        return pool
    beyond = _as_pool(_stored(folder, "critical")).join(
        pool, on=["query_id", "evidence_id"], how="anti"
    )
    return POOL.check(pl.concat([pool, beyond]))


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


def import_judgments(
    folder: StudyFolder, worksheet: Path, round_name: str, *, assessor: str, kind: str
) -> tuple[Path, Imported]:
    """Appends the answers of a worksheet to `judgments/ROUND.jsonl`, all or none.

    Args:
        folder: a study whose pool is there.
        worksheet: the file that came back.
        round_name: the round.
        assessor: who judged.
        kind: human, model or log.

    Returns:
        The round's file, and what it was given.

    Raises:
        CollectionError: every row that cannot be taken.
        ParameterError: a name that cannot be one; grades that the study would read otherwise.
        RecordError: nothing new; the round is there in another form.
        MissingError: the worksheet or the pool is not there.
    """
    params = folder.params.collection
    _refuse_remapped(params)
    worksheet_name(assessor, worksheet.suffix)
    path = _round(folder, round_name)
    brought = import_worksheet(
        worksheet,
        pool=_askable(folder),
        documents=_stored(folder, "documents"),
        queries=_stored(folder, "queries"),
        assessor=assessor,
        scale=params.scale,
        existing=read_lines(path) if path.exists() else [],
        assessor_kind=kind,
    )
    if not brought.lines:
        raise RecordError(
            "nothing new in the worksheet",
            where=worksheet,
            found=f"{brought.blank} blank and {brought.repeated} repeated rows",
            expected="a grade, or status unknown or abstained",
        )
    append_lines(path, brought.lines)
    return path, brought


def written_qrels(folder: StudyFolder, output: Path, side: str | None) -> int:
    """Writes the judgments of a study's snapshot as qrels; see `write_qrels`.

    Args:
        folder: a study whose snapshot is there.
        output: the file.
        side: only queries of this side, which needs the splits.

    Returns:
        How many pairs were written.

    Raises:
        MissingError: there is no snapshot, or no splits.
        InputError: an id cannot stand in a TREC file.
    """
    judged = resolve(_stored(folder, "judgments"), folder.params.collection.assessors)
    if side is not None:
        sides = _stored(folder, "splits").filter(pl.col("split") == side)
        judged = judged.join(sides.select("query_id"), on="query_id", how="semi")
    write_qrels(output, judged)
    return judged.height if is_json_lines(output) else judged["grade"].count()


def _round(folder: StudyFolder, name: str) -> Path:
    if not ROUND.fullmatch(name):
        raise ParameterError(
            "not a round's name",
            where="--round",
            found=repr(name),
            expected="letters, digits, and _ . - after the first",
        )
    path = folder.root / folder.params.collection.path / "judgments" / f"{name}.jsonl"
    packed = path.with_name(f"{path.name}.gz")
    if packed.exists():
        raise RecordError(
            "the round is compressed",
            where=packed,
            expected="a file that lines can be appended to",
            next_command=f"gunzip {packed}, or another --round",
        )
    return path


def _refuse_remapped(params: CollectionParams) -> None:
    """A worksheet asks for grades of the scale; the map must not read them as others."""
    low, high = params.scale
    changed = [g for g in range(low, high + 1) if params.grades.get(g, g) != g]
    if changed:
        raise ParameterError(
            "the map changes grades of the scale, so a new judgment would be read as another",
            where="collection.grades",
            found=", ".join(f"{g}: {params.grades[g]}" for g in changed),
            expected="a map of foreign grades only",
            next_command="rankgate import the old judgments on the declared scale",
        )


def progress(folder: StudyFolder) -> Iterator[str]:
    """Lines of a small table: pairs of the pool by side and status, and the worksheets there are.

    Raises:
        MissingError: there is no pool yet.
    """
    counts = judging_progress(_stored(folder, "pool"), _stored(folder, "splits"))
    for row in (counts.columns, *counts.rows()):
        yield "".join(f"{cell!s:>10}" for cell in row)
    for path in sorted((folder.root / WORKSHEETS).glob("*.*")):
        rows = [cells for _, cells in read_worksheet(path)]
        answered = sum(bool(cells["grade"] or cells["status"]) for cells in rows)
        yield f"{path}: {answered} of {len(rows)} answered"


def written_errors(folder: StudyFolder, output: Path, side: str | None) -> int:
    """Writes each lost evidence, with its stage and room for the cause, and returns how many.

    Args:
        folder: a study that was evaluated.
        output: the CSV file to write.
        side: dev or test; both, as far as they are open, where None.
    """
    diagnosis = _stored(folder, "diagnosis")
    if side is not None:
        diagnosis = diagnosis.filter(pl.col("split") == side)
    queries = _stored(folder, "queries")
    hidden = withheld_pairs(diagnosis, documents=_stored(folder, "documents"), queries=queries)
    rows = error_rows(diagnosis, queries, hidden)
    write_errors(output, rows)
    return rows.height


def _stored(folder: StudyFolder, name: str) -> Any:
    return ARTIFACTS[name].read(folder, None)
