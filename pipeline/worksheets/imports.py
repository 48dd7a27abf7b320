"""From a worksheet that came back to lines of the judgments record; every problem is named.

Nothing is written here: the lines are appended by whoever keeps the record, all or none.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.errors import CollectionError
from pipeline.worksheets.blind import WorksheetRow, rows_of
from pipeline.worksheets.cells import guarded, same_cell, unguarded
from pipeline.worksheets.files import read_worksheet

OPINIONS = ("unknown", "abstained")
# Spreadsheets like to write whole numbers as 2.0.
_WHOLE = re.compile(r"([-+]?\d+)(?:\.0+)?")

_Opinion = tuple[int | None, str]


@dataclass(frozen=True, slots=True)
class Imported:
    """What a worksheet brought.

    Args:
        lines: new lines for `judgments/ROUND.jsonl`, in the worksheet's order.
        blank: rows without an answer.
        repeated: rows that say what the record, or an earlier row, says already.
    """

    lines: tuple[dict[str, Any], ...]
    blank: int
    repeated: int

    @property
    def summary(self) -> dict[str, object]:
        """Counts by answer."""
        graded = sum("grade" in line for line in self.lines)
        return {
            "new": len(self.lines),
            "graded": graded,
            **{o: sum(line.get("status") == o for line in self.lines) for o in OPINIONS},
            "blank": self.blank,
            "repeated": self.repeated,
        }


def import_worksheet(
    path: Path,
    *,
    pool: pl.DataFrame,
    documents: pl.DataFrame,
    queries: pl.DataFrame,
    assessor: str,
    scale: tuple[int, int],
    existing: Iterable[Mapping[str, Any]] = (),
    assessor_kind: str = "human",
) -> Imported:
    """Reads and checks one assessor's answers.

    Args:
        path: the worksheet, .jsonl or .csv.
        pool: table POOL; only its pairs can be answered.
        documents: table DOCUMENTS.
        queries: table QUERIES.
        assessor: who judged.
        scale: lowest and highest grade.
        existing: the lines that the round's file holds already.
        assessor_kind: human, model or log.

    Returns:
        The new lines.

    Raises:
        CollectionError: unknown pairs, grades outside the scale, rows that contradict each
            other or the record, text that is not the collection's; all of them, with file and
            line.
        MissingError, InputError, ParameterError: as `read_worksheet`.
    """
    rows = read_worksheet(path)
    asked = set(pool.select("query_id", "evidence_id").rows())
    pairs = sorted(asked & {(cells["query_id"], cells["evidence_id"]) for _, cells in rows})
    expected = {row.pair: row for row in rows_of(pairs, documents=documents, queries=queries)}
    sorting = _Sorting(_said(existing, assessor), assessor, assessor_kind)
    for number, cells in rows:
        pair = cells["query_id"], cells["evidence_id"]
        answer = _misplaced(cells, expected.get(pair)) or _opinion(cells, scale)
        sorting.take(f"{path}:{number}", pair, answer, cells["note"])
    if sorting.problems:
        raise CollectionError(sorting.problems, where=path)
    return Imported(tuple(sorting.lines), sorting.blank, sorting.repeated)


@dataclass(slots=True)
class _Sorting:
    """Where each answer goes: among the new lines, the repeated, the blank or the problems."""

    said: dict[tuple[str, str], _Opinion]
    assessor: str
    kind: str
    lines: list[dict[str, Any]] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    blank: int = 0
    repeated: int = 0

    def take(
        self, where: str, pair: tuple[str, str], answer: _Opinion | str | None, note: str
    ) -> None:
        if answer is None:
            self.blank += 1
        elif isinstance(answer, str):
            self.problems.append(f"{where}: query {pair[0]}, evidence {pair[1]}: {answer}")
        elif pair not in self.said:
            self.said[pair] = answer
            self.lines.append(_line(pair, answer, note, self.assessor, self.kind))
        elif self.said[pair] == answer:
            self.repeated += 1
        else:
            told = _contradiction(self.said[pair], answer)
            self.problems.append(f"{where}: query {pair[0]}, evidence {pair[1]}: {told}")


def _said(existing: Iterable[Mapping[str, Any]], assessor: str) -> dict[tuple[str, str], _Opinion]:
    return {
        (line["query_id"], line["evidence_id"]): (line.get("grade"), line.get("status", "judged"))
        for line in existing
        if line.get("assessor", "") == assessor
    }


def _misplaced(cells: Mapping[str, str], expected: WorksheetRow | None) -> str | None:
    """Why this row cannot be the answer to what was asked."""
    if expected is None:
        return "not a pair of the pool. Next: rankgate judge export --assessor NAME"
    for name in ("query", "title", "text"):
        meant = unguarded(guarded(expected.cells()[name]))
        if cells[name] and not same_cell(cells[name], meant) and not _full(cells, expected, name):
            return (
                f"the {name} is not the collection's: it changed since the export, or cells moved. "
                "Next: rankgate judge export --assessor NAME"
            )
    return None


def _full(cells: Mapping[str, str], expected: WorksheetRow, name: str) -> bool:
    # JSON Lines carry long text whole.
    return same_cell(cells[name], expected.cells()[name])


def _opinion(cells: Mapping[str, str], scale: tuple[int, int]) -> _Opinion | str | None:
    """The answer; None where there is none, a sentence where it cannot be."""
    grade, status = cells["grade"].strip(), cells["status"].strip().lower()
    if grade and status not in {"", "judged"}:
        return f"both a grade and a status; found {grade} and {status}; expected one of them"
    if grade:
        return _graded(grade, scale)
    if status in OPINIONS:
        return None, status
    return None if not status else f"no such status; found {status}; expected unknown or abstained"


def _graded(grade: str, scale: tuple[int, int]) -> _Opinion | str:
    low, high = scale
    whole = _WHOLE.fullmatch(grade)
    if whole is None or not low <= int(whole[1]) <= high:
        other = "; a status has its own column" if grade.lower() in OPINIONS else ""
        return (
            f"not a grade of the scale; found {grade}; "
            f"expected a whole number {low} to {high}{other}"
        )
    return int(whole[1]), "judged"


def _contradiction(before: _Opinion, now: _Opinion) -> str:
    one, other = (opinion[1] if opinion[0] is None else opinion[0] for opinion in (before, now))
    return (
        f"two opinions of one assessor in one round; found {one} and {other}; expected one. "
        "Next: a new round revises an opinion"
    )


def _line(
    pair: tuple[str, str], opinion: _Opinion, note: str, assessor: str, kind: str
) -> dict[str, Any]:
    grade, status = opinion
    answer: dict[str, Any] = {"status": status} if grade is None else {"grade": grade}
    line = {"query_id": pair[0], "evidence_id": pair[1], **answer}
    line |= {"assessor": assessor, "assessor_kind": kind}
    return line | ({"note": note} if note.strip() else {})
