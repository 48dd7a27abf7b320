"""Worksheets that came back, as lines of the judgments record."""

import os
import re
from pathlib import Path

from assets.artifacts import stored
from assets.folder import StudyFolder
from assets.judging.pairs import askable_pairs
from pipeline.appending import held
from pipeline.errors import ParameterError, RecordError
from pipeline.params import CollectionParams
from pipeline.storage import read_lines
from pipeline.worksheets import Imported, import_worksheet, worksheet_name

ROUND = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")


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
    with held(path, copy=_beside_the_collection(path)) as append:
        brought = import_worksheet(
            worksheet,
            pool=askable_pairs(folder),
            documents=stored(folder, "documents"),
            queries=stored(folder, "queries"),
            assessor=assessor,
            scale=params.scale,
            existing=read_lines(path) if path.exists() else [],
            assessor_kind=kind,
        )
        _refuse_nothing_new(worksheet, brought)
        append(brought.lines)
    return path, brought


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


def _refuse_nothing_new(worksheet: Path, brought: Imported) -> None:
    if not brought.lines:
        raise RecordError(
            "nothing new in the worksheet",
            where=worksheet,
            found=f"{brought.blank} blank and {brought.repeated} repeated rows",
            expected="a grade, or status unknown or abstained",
        )


def _beside_the_collection(path: Path) -> Path | None:
    """Where a round is written before it replaces the old one; None where only beside it.

    Not in the collection if it can be helped: what a killed import left there, DVC would take
    for a part of it, though no reader does. A collection's parent may be nobody's to write to.
    """
    collection = path.parents[1].resolve()
    if not os.access(collection.parent, os.W_OK | os.X_OK):
        return None
    return collection.with_name(f".unfinished.{collection.name}.{path.name}")
