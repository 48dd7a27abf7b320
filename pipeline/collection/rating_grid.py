"""Ratings in CSV and spreadsheets: which column is what, which cell is which grade."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, time, timedelta
from pathlib import Path

from pipeline.collection import checks
from pipeline.collection.grids import Cell, Grid, read_grid
from pipeline.collection.labels import Labels
from pipeline.collection.problems import Problems
from pipeline.collection.ratings import Opinion, Rating, RatingForm
from pipeline.errors import InputError, ParameterError

# Role to the names it usually has; case, blanks, dashes and underscores do not matter.
USUAL: Mapping[str, tuple[str, ...]] = {
    "query": ("queryid", "qid", "topicid", "topic", "topicnumber"),
    "text": ("query", "querytext", "question", "searchterm", "searchquery"),
    "evidence": ("evidenceid", "docid", "documentid", "corpusid", "passageid", "evidence", "doc"),
    "grade": ("grade", "rating", "relevance", "judgment", "judgement", "label", "score"),
    "status": ("status",),
    "assessor": ("assessor", "assessorid", "rater", "annotator", "judge"),
    "note": ("note", "notes", "comment", "explanation"),
}
# Taken only where no other column plays the role: beside a document's id it is no second one.
ELSE: Mapping[str, tuple[str, ...]] = {"evidence": ("url",)}
SINGLE = tuple(role for role in USUAL if role != "grade")
OPINIONS = ("unknown", "abstained")
NO_GRADE = "rows without a grade"
DIGITS = 15  # of a number that spreadsheets keep; the others have become zeros


def grid_ratings(
    path: Path, problems: Problems, form: RatingForm, dropped: Counter[str], notes: list[str]
) -> list[Rating]:
    """Reads the ratings of a table.

    Args:
        path: CSV or a spreadsheet.
        problems: takes cells that are no id or no grade.
        form: columns, labels, sheet.
        dropped: counts rows without a grade, and columns that play no role.
        notes: takes mappings of labels that match nothing.

    Raises:
        InputError: no such table, or no column for a role that is needed.
        ParameterError: a column that is not there.
    """
    grid = read_grid(path, problems, sheet=form.sheet)
    places = _places(path, grid, form.columns)
    used = {place for found in places.values() for place in found}
    dropped.update({f"column {n!r}": 1 for i, n in enumerate(grid.names) if i not in used and n})
    ratings, row = list[Rating](), _Row(grid.names, places, form)
    for line, cells in grid.rows:
        ratings += _row(path, line, cells, row, problems, dropped)
    row.labels.tell(path, problems)
    notes += row.labels.notes(path)
    return ratings


class _Row:
    """What is the same for every row: names, places of roles, form."""

    def __init__(
        self, names: Sequence[str], places: Mapping[str, list[int]], form: RatingForm
    ) -> None:
        self.names, self.places, self.form = names, places, form
        self.several = len(places["grade"]) > 1
        self.labels = Labels(form.labels)

    def cell(self, cells: Sequence[Cell], role: str) -> Cell:
        """The cell of a role that one column plays; empty where none does."""
        found = self.places.get(role, [])
        return cells[found[0]] if found else ""


def _places(path: Path, grid: Grid, columns: Mapping[str, Sequence[str]]) -> dict[str, list[int]]:
    places = {role: [_place(path, grid, name) for name in columns[role]] for role in columns}
    taken = {place for found in places.values() for place in found}
    for role in USUAL:
        if role not in columns:
            found = _usual(grid.names, USUAL[role], taken)
            found = found or _usual(grid.names, ELSE.get(role, ()), taken)
            if len(found) > 1:
                raise InputError(
                    f"several columns that may be the {role}",
                    where=path,
                    found=", ".join(grid.names[place] for place in found),
                    expected="one",
                    next_command=f"--columns {role}=NAME",
                )
            places[role] = found
    _refuse_lacking(path, grid, places)
    return places


def _usual(names: Sequence[str], usual: Sequence[str], taken: set[int]) -> list[int]:
    plain = [re.sub(r"[\s_-]", "", name).lower() for name in names]
    return [i for i, name in enumerate(plain) if name in usual and i not in taken]


def _place(path: Path, grid: Grid, name: str) -> int:
    if name not in grid.names:
        raise ParameterError(
            "no such column",
            where=f"--columns, {path}",
            found=name,
            expected=", ".join(name for name in grid.names if name) or "a header",
        )
    return list(grid.names).index(name)


def _refuse_lacking(path: Path, grid: Grid, places: Mapping[str, list[int]]) -> None:
    lacking = [role for role in ("evidence", "grade") if not places[role]]
    if not places["query"] and not places["text"]:
        lacking.insert(0, "query")
    if lacking:
        raise InputError(
            f"no column for {', '.join(lacking)}",
            where=path,
            found=", ".join(name for name in grid.names if name) or "no names",
            expected="a header with query_id, evidence_id and grade, or names like these",
            next_command=" ".join(f"--columns {role}=NAME" for role in lacking),
        )


def _row(
    path: Path,
    line: int,
    cells: Sequence[Cell],
    row: _Row,
    problems: Problems,
    dropped: Counter[str],
) -> list[Rating]:
    before = len(problems)
    given = {place: cells[place] for place in row.places["grade"] if written(cells[place])}
    status = written(row.cell(cells, "status")).strip().lower()
    if not given and status in ("", "judged"):
        dropped[NO_GRADE] += 1
        return []
    query = _id(path, line, "query", row.cell(cells, "query"), row.form, problems)
    evidence = _id(path, line, "evidence", row.cell(cells, "evidence"), row.form, problems)
    text = _text(path, line, row.cell(cells, "text"), problems)
    if evidence is None and len(problems) == before:
        problems.add(path, "a rating without evidence", line=line, expected="an id")
    opinions = _opinions(path, line, given, status, row, problems)
    if len(problems) > before or evidence is None:
        return []
    note = _text(path, line, row.cell(cells, "note"), problems) or ""
    named = written(row.cell(cells, "assessor"))
    return [
        Rating(line, evidence, opinion, query, text, assessor or named, note)
        for assessor, opinion in opinions
    ]


def _opinions(
    path: Path,
    line: int,
    given: Mapping[int, Cell],
    status: str,
    row: _Row,
    problems: Problems,
) -> list[tuple[str, Opinion]]:
    """Assessor (empty unless each has a column) and opinion of every filled grade cell."""
    if status not in ("", "judged"):
        if given or status not in OPINIONS:
            problems.add(
                path,
                "a status that cannot be",
                line=line,
                found=status if not given else f"{status} beside a grade",
                expected="unknown or abstained, without a grade",
            )
        return [("", status)]
    opinions: list[tuple[str, Opinion]] = []
    for place, cell in given.items():
        opinion = row.labels.opinion(line, row.names[place], written(cell).strip())
        if opinion is not None:
            opinions.append((row.names[place] if row.several else "", opinion))
    return opinions


def _id(
    path: Path, line: int, role: str, cell: Cell, form: RatingForm, problems: Problems
) -> str | None:
    if isinstance(cell, str):
        try:
            return checks.an_id(cell) if cell.strip() else None
        except ValueError as problem:
            problems.add(path, f"no id of {role}", line=line, expected=problem)
            return None
    whole = isinstance(cell, float) and cell.is_integer()
    whole = whole or (isinstance(cell, int) and not isinstance(cell, bool))
    if whole and form.number_ids and len(written(cell).removeprefix("-")) <= DIGITS:
        return written(cell)
    problems.add(
        path,
        f"the id of {role} stands in a cell that is no text",
        line=line,
        found=written(cell),
        expected=f"a text cell: a number lost its zeros in front, and digits beyond {DIGITS}",
        next_command="format the column as text, or --number-ids where ids are plain numbers",
    )
    return None


def _text(path: Path, line: int, cell: Cell, problems: Problems) -> str | None:
    try:
        return checks.a_text(written(cell)) if written(cell).strip() else None
    except ValueError as problem:
        problems.add(path, "no text", line=line, expected=problem)
        return None


def written(cell: Cell) -> str:
    """A cell as text: a whole number without a decimal point, a date in ISO 8601."""
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, date | time):
        return cell.isoformat()
    return str(cell) if isinstance(cell, str | int | float | timedelta) else ""
