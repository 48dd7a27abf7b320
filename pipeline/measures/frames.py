"""From tables of lists and judgments to the arrays of `Lists` and `Truth`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.errors import ContractError, RecordError, first_three
from pipeline.measures.lists import UNJUDGED, Lists, Truth
from pipeline.tables import rises

Repeats = Literal["reject", "first_gains"]
PAIR = ["query_id", "evidence_id"]

Whole = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def judged_pairs(judgments: pl.DataFrame) -> pl.DataFrame:
    """Each judged pair once, with its grade.

    Args:
        judgments: query_id, evidence_id, grade, and perhaps status; rows without a grade, or
            with another status than `judged`, say nothing.

    Returns:
        query_id, evidence_id, grade (Int64), sorted by the first two: sums over them are then
        the same to the last bit, whatever the threads do.

    Raises:
        ContractError: a column is missing, an id is null, or a grade is not whole.
        RecordError: a pair has two different grades.
    """
    _need(judgments, {"query_id": "text", "evidence_id": "text", "grade": "whole"}, "judgments")
    if "status" in judgments.columns:
        judgments = judgments.filter(pl.col("status") == "judged")
    rows = judgments.select(pl.col(PAIR).cast(pl.String), pl.col("grade").cast(pl.Int64))
    if rows["grade"].null_count():
        rows = rows.drop_nulls("grade")
    _refuse_nulls(rows, PAIR, "judgments")
    if rises(rows, PAIR):
        return rows
    rows = rows.unique()
    conflicts = rows.filter(pl.struct(PAIR).is_duplicated()).sort(*PAIR, "grade")
    if conflicts.height:
        raise RecordError(
            "a pair has different grades",
            where="judgments",
            found=first_three(conflicts.rows()),
            expected="one grade for each query and evidence",
        )
    return rows.sort(PAIR)


def arrange(
    run: pl.DataFrame,
    pairs: pl.DataFrame,
    *,
    queries: Sequence[str],
    required: pl.DataFrame | None = None,
    repeats: Repeats = "reject",
) -> tuple[Lists, Truth]:
    """The arrays of these queries, in their order.

    Args:
        run: query_id, rank, evidence_id; rank decides, gaps are closed.
        pairs: as from `judged_pairs`.
        queries: distinct query ids.
        required: query_id, evidence_id of required evidence.
        repeats: an evidence twice in a list is refused, or only its first place gains.

    Raises:
        ContractError: the run lacks a column, holds a null, repeats a rank, or (with `reject`)
            an evidence in one list.
    """
    listed, needed = _listed(run), _needed(required)
    evidence = _codes(listed["evidence_id"], pairs["evidence_id"], needed["evidence_id"])
    list_ = listed["query_id"].rle_id().to_numpy().astype(np.int64)
    again = _repeated(listed, list_, evidence[0], repeats)
    row, known_row, needed_row = (
        _rows(part["query_id"], queries) for part in (listed, pairs, needed)
    )
    known = known_row >= 0
    found = _Known(known_row[known], evidence[1][known], pairs["grade"].to_numpy()[known])
    wanted = needed_row >= 0
    asked = _Known(needed_row[wanted], evidence[2][wanted], np.ones(wanted.sum(), np.int64))
    mine = row >= 0
    column = _columns(list_)[mine]
    lists = _lists(row[mine], column, evidence[0][mine], again[mine], found, asked, len(queries))
    counts = np.bincount(asked.row, minlength=len(queries)).astype(np.int64)
    return lists, Truth(_falling(found, len(queries)), counts)


@dataclass(frozen=True, slots=True)
class _Known:
    """What is known of pairs of query and evidence: rows, codes, values."""

    row: Whole
    evidence: Whole
    value: Whole

    def of(self, row: Whole, evidence: Whole, *, otherwise: int) -> Whole:
        """The values of other pairs."""
        span = int(max(self.evidence.max(initial=0), evidence.max(initial=0))) + 1
        mine, theirs = self.row * span + self.evidence, row * span + evidence
        order = np.argsort(mine)
        place = np.searchsorted(mine[order], theirs)
        place[place == len(mine)] = 0
        values = np.full(len(theirs), otherwise, dtype=np.int64)
        if len(mine):
            there = mine[order][place] == theirs
            values[there] = self.value[order][place[there]]
        return values


def _codes(*columns: pl.Series) -> list[Whole]:
    """Numbers that are equal where ids are."""
    together = pl.concat([column.cast(pl.String) for column in columns])
    codes = together.cast(pl.Enum(together.unique())).to_physical().to_numpy().astype(np.int64)
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])


def _rows(column: pl.Series, queries: Sequence[str]) -> Whole:
    """Each query's place among those asked for; -1 where it is not."""
    places = column.cast(pl.Enum(queries), strict=False).to_physical().to_numpy()
    known: Whole = np.nan_to_num(places.astype(np.float64), nan=-1.0).astype(np.int64)
    return known


def _columns(list_: Whole) -> Whole:
    """Each row's place within its list; rows of a list stand together."""
    starts = np.flatnonzero(np.diff(list_, prepend=-1))
    return np.arange(len(list_)) - np.repeat(starts, np.diff(np.append(starts, len(list_))))


def _repeated(listed: pl.DataFrame, list_: Whole, evidence: Whole, repeats: Repeats) -> Flags:
    """Which rows hold an evidence that stands at a better rank of the same list already."""
    key = list_ * (int(evidence.max(initial=0)) + 1) + evidence
    order = np.argsort(key, kind="stable")
    again = np.zeros(len(key), dtype=np.bool_)
    again[order[1:]] = key[order[1:]] == key[order[:-1]]
    if repeats == "reject" and again.any():
        _refuse_repeats(listed, PAIR)
    return again


def _needed(required: pl.DataFrame | None) -> pl.DataFrame:
    if required is None:
        return pl.DataFrame(schema=dict.fromkeys(PAIR, pl.String))
    _need(required, dict.fromkeys(PAIR, "text"), "required evidence")
    return required.select(pl.col(PAIR).cast(pl.String)).unique()


def _listed(run: pl.DataFrame) -> pl.DataFrame:
    _need(run, {"query_id": "text", "rank": "whole", "evidence_id": "text"}, "run")
    rows = run.select(pl.col(PAIR).cast(pl.String), pl.col("rank").cast(pl.Int64))
    _refuse_nulls(rows, rows.columns, "run")
    if rises(rows, ["query_id", "rank"]):
        return rows
    _refuse_repeats(rows, ["query_id", "rank"])
    return rows.sort("query_id", "rank")


def _lists(
    row: Whole,
    column: Whole,
    evidence: Whole,
    again: Flags,
    found: _Known,
    asked: _Known,
    count: int,
) -> Lists:
    shape = count, int(column.max(initial=-1)) + 1
    grade = found.of(row, evidence, otherwise=UNJUDGED)
    # A repeat is judged, but gains nothing more.
    grade = np.where(again & (grade != UNJUDGED), np.minimum(grade, 0), grade)
    grades = np.full(shape, UNJUDGED, dtype=np.int64)
    grades[row, column] = grade
    wanted = np.zeros(shape, dtype=np.bool_)
    if len(asked.row):
        wanted[row, column] = (asked.of(row, evidence, otherwise=0) > 0) & ~again
    return Lists(grades, np.bincount(row, minlength=count).astype(np.int64), wanted)


def _falling(found: _Known, count: int) -> Whole:
    """(queries, widest): each query's grades in descending order, then UNJUDGED."""
    order = np.lexsort((-found.value, found.row))
    row = found.row[order]
    returned = np.bincount(row, minlength=count)
    column = np.arange(len(row)) - np.repeat(np.cumsum(returned) - returned, returned)
    grades = np.full((count, int(column.max(initial=-1)) + 1), UNJUDGED, dtype=np.int64)
    grades[row, column] = found.value[order]
    return grades


def _need(frame: pl.DataFrame, columns: dict[str, str], where: str) -> None:
    kinds = {"text": lambda kind: kind == pl.String, "whole": lambda kind: kind.is_integer()}
    wrong = [
        f"{name}: {frame.schema.get(name, 'missing')}"
        for name, kind in columns.items()
        # A column of an empty frame may have no type of its own.
        if name not in frame.columns
        or not (frame.schema[name] == pl.Null or kinds[kind](frame.schema[name]))
    ]
    if wrong:
        raise ContractError(
            "wrong columns",
            where=where,
            found=", ".join(wrong),
            expected=", ".join(f"{name}: {kind}" for name, kind in columns.items()),
        )


def _refuse_nulls(rows: pl.DataFrame, columns: list[str], where: str) -> None:
    for name in columns:
        if rows[name].null_count():
            raise ContractError(
                f"column {name!r} has nulls",
                where=where,
                found=f"{rows[name].null_count()} of {rows.height} rows",
                expected="a value in every row",
            )


def _refuse_repeats(rows: pl.DataFrame, key: list[str]) -> None:
    repeated = rows.filter(pl.struct(key).is_duplicated()).select(key).unique().sort(key)
    if repeated.height:
        raise ContractError(
            f"{key[1]} stands twice in one list",
            where="run",
            found=first_three(repeated.rows()),
            expected=f"each {key[1]} once per query",
        )
