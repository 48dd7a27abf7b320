"""Judgments in TREC's, BEIR's and the native form, and what their repeats mean."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.collection.foreign import read_foreign
from pipeline.collection.jsonl import json_lines, shown
from pipeline.collection.lines import is_json_lines, numbered_lines
from pipeline.collection.problems import Problems
from pipeline.collection.ratings import REPEATED, Rated, RatingForm, Tell
from pipeline.collection.rounds import JUDGMENT, read_round
from pipeline.collection.trec import columns_rule, read_trec_qrels, whole
from pipeline.errors import ParameterError

Row = tuple[int, str, str, int]  # line, query, evidence, grade
BEIR_HEADERS = (
    [b"query-id", b"corpus-id", b"score"],
    [b"query_id", b"corpus_id", b"score"],
    [b"query_id", b"doc_id", b"grade"],
    [b"query_id", b"evidence_id", b"grade"],
)

# What two different grades for one pair mean; None: refused.
DUPLICATES: Mapping[str, Callable[[int, int], int] | None] = {
    "reject": None,
    "max": max,
    "last": lambda _, later: later,
}


ONE_LINE = (
    "take one of the two lines out; where they are two assessors', rankgate study and import keep "
    "both, and collection.assessors settles them"
)


def read_qrels(
    path: Path,
    *,
    duplicates: str = "reject",
    trailing: str = "reject",
    form: RatingForm | None = None,
    queries: Mapping[str, str | None] | None = None,
    tell: Tell | None = None,
) -> pl.DataFrame:
    """Reads judgments: TREC qrels, BEIR's TSV (by its header), JSON Lines, or another tool's.

    Args:
        path: the file, plain or gzipped; `read_foreign` says which other tools' files are known.
        duplicates: two different grades for one pair are refused (`reject`), or the highest
            (`max`) or last (`last`) counts. Lines that repeat a grade count once.
        trailing: words after a TREC line's fourth column: `reject` or `ignore`.
        form: columns, labels and sheet of CSV and spreadsheets.
        queries: query id to text, for files that name queries by their text.
        tell: takes what was left behind, and mappings of labels that match nothing.

    Returns:
        query_id, evidence_id, grade; key query_id and evidence_id, sorted by it. Judgments
        without a grade (unknown, abstained) are left out.

    Raises:
        MissingError: no such file.
        CollectionError: lines that cannot be read, or grades that contradict each other.
        ParameterError: an option that does not exist.
    """
    columns_rule(trailing)
    if duplicates not in DUPLICATES:
        raise ParameterError(
            "no such duplicates",
            where="duplicates",
            found=duplicates,
            expected=" or ".join(DUPLICATES),
        )
    path = Path(path)
    problems = Problems(path)
    foreign = read_foreign(path, problems, form=form, queries=queries)
    rows = (
        read_rows(path, problems, trailing=trailing)
        if foreign is None
        else [_pair(row) for row in foreign.rows if "grade" in row]
    )
    grades = unite(rows, path, problems, duplicates=duplicates)
    problems.raise_if_any()
    if tell is not None:
        for said in (foreign or _repeated(path, rows)).told():
            tell(said)
    schema = {"query_id": pl.String(), "evidence_id": pl.String(), "grade": pl.Int64()}
    pairs = [(query, evidence, grade) for (query, evidence), grade in grades.items()]
    return pl.DataFrame(pairs, schema=schema, orient="row").sort("query_id", "evidence_id")


def _repeated(path: Path, rows: Sequence[Row]) -> Rated:
    """How many judgments say again what was said; in JSON Lines, what the same assessor said."""
    if is_json_lines(path):
        repeated = read_round(path, Problems(path))[1]
    else:
        repeated = len(rows) - len({row[1:] for row in rows})
    return Rated(dropped=+Counter({REPEATED: repeated}))


def _pair(row: Mapping[str, Any]) -> Row:
    return row["line"], row["query_id"], row["evidence_id"], row["grade"]


def read_rows(path: Path, problems: Problems, *, trailing: str = "reject") -> list[Row]:
    """Every judgment of TREC qrels, BEIR's TSV or JSON Lines."""
    if is_json_lines(path):
        return _read_json(path, problems)
    if has_beir_header(path):
        return read_beir_qrels(path, problems)
    return read_trec_qrels(path, problems, trailing=trailing)


def unite(
    rows: list[Row], path: object, problems: Problems, *, duplicates: str = "reject"
) -> dict[tuple[str, str], int]:
    """One grade for each pair; contradictions become problems unless a rule settles them."""
    settle = DUPLICATES[duplicates]
    grades: dict[tuple[str, str], int] = {}
    lines: dict[tuple[str, str], int] = {}
    for line, query, evidence, grade in rows:
        pair = (query, evidence)
        before = grades.setdefault(pair, grade)
        first = lines.setdefault(pair, line)
        if before == grade:
            continue
        if settle is None:
            problems.add(
                path,
                "two grades for one pair",
                line=line,
                found=f"query {query} evidence {evidence}: {before} on line {first}, now {grade}",
                expected="one grade",
                next_command=ONE_LINE,
            )
        else:
            grades[pair] = settle(before, grade)
    return grades


def has_beir_header(path: Path) -> bool:
    """Whether the first line is the header of a table of judgments parted by tabs."""
    first = next((line for _, line in numbered_lines(path)), b"")
    return [field.strip().lower() for field in first.split(b"\t")] in BEIR_HEADERS


def read_beir_qrels(path: Path, problems: Problems) -> list[Row]:
    """Reads BEIR's qrels: a header, then query, document and grade parted by tabs."""
    rows: list[Row] = []
    for number, line in list(numbered_lines(path))[1:]:
        fields = line.split(b"\t")
        try:
            query, evidence, grade = fields
            row = (number, query.decode(), evidence.decode(), whole(grade.strip()))
        except ValueError:
            problems.add(
                path,
                "not a judgment",
                line=number,
                found=shown(line.decode("utf-8", "replace")),
                expected="query, document and whole grade, parted by tabs",
            )
        else:
            if query and evidence:
                rows.append(row)
            else:
                problems.add(path, "an empty id", line=number, expected="an id")
    return rows


def _read_json(path: Path, problems: Problems) -> list[Row]:
    checked = (
        (number, JUDGMENT.read(path, number, given, problems))
        for number, given in json_lines(path, problems)
    )
    return [
        (number, line["query_id"], line["evidence_id"], line["grade"])
        for number, line in checked
        if line is not None and "grade" in line
    ]
