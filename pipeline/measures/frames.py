"""From tables of lists and judgments to the arrays of `Lists` and `Truth`."""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import polars as pl

from pipeline.errors import ContractError, RecordError, first_three
from pipeline.measures.lists import UNJUDGED, Lists, Truth

Repeats = Literal["reject", "first_gains"]
PAIR = ["query_id", "evidence_id"]


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
    rows = rows.drop_nulls("grade").unique()
    _refuse_nulls(rows, PAIR, "judgments")
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
    places = pl.DataFrame(
        {"query_id": queries, "row": range(len(queries))},
        schema={"query_id": pl.String, "row": pl.Int64},
    )
    needed = _needed(required).join(places, on="query_id", validate="m:1")
    known = pairs.join(places, on="query_id", validate="m:1")
    listed = _listed(run, repeats).join(places, on="query_id", validate="m:1")
    return _lists(listed, known, needed, len(queries)), _truth(known, needed, len(queries))


def _needed(required: pl.DataFrame | None) -> pl.DataFrame:
    if required is None:
        return pl.DataFrame(schema=dict.fromkeys(PAIR, pl.String))
    _need(required, dict.fromkeys(PAIR, "text"), "required evidence")
    return required.select(pl.col(PAIR).cast(pl.String)).unique()


def _listed(run: pl.DataFrame, repeats: Repeats) -> pl.DataFrame:
    _need(run, {"query_id": "text", "rank": "whole", "evidence_id": "text"}, "run")
    rows = run.select(pl.col(PAIR).cast(pl.String), pl.col("rank").cast(pl.Int64))
    _refuse_nulls(rows, rows.columns, "run")
    _refuse_repeats(rows, ["query_id", "rank"])
    if repeats == "reject":
        _refuse_repeats(rows, PAIR)
    return rows.sort("query_id", "rank").with_columns(
        column=pl.int_range(pl.len()).over("query_id"),
        repeated=~pl.struct(PAIR).is_first_distinct(),
    )


def _lists(listed: pl.DataFrame, known: pl.DataFrame, needed: pl.DataFrame, count: int) -> Lists:
    graded = pl.when("repeated").then(pl.min_horizontal("grade", 0)).otherwise("grade")
    rows = (
        listed.join(known.select(*PAIR, "grade"), on=PAIR, how="left", validate="m:1")
        .join(needed.select(*PAIR, wanted=True), on=PAIR, how="left", validate="m:1")
        .with_columns(
            grade=pl.when(pl.col("grade").is_null()).then(UNJUDGED).otherwise(graded),
            wanted=pl.col("wanted").fill_null(False) & ~pl.col("repeated"),
        )
    )
    depth = int(rows["column"].max() or 0) + 1 if rows.height else 0  # type: ignore[arg-type]
    place = rows["row"].to_numpy(), rows["column"].to_numpy()
    grades = np.full((count, depth), UNJUDGED, dtype=np.int64)
    grades[place] = rows["grade"].to_numpy()
    wanted = np.zeros((count, depth), dtype=np.bool_)
    wanted[place] = rows["wanted"].to_numpy()
    return Lists(grades, np.bincount(place[0], minlength=count).astype(np.int64), wanted)


def _truth(known: pl.DataFrame, needed: pl.DataFrame, count: int) -> Truth:
    rows = known.sort(["row", "grade"], descending=[False, True]).with_columns(
        column=pl.int_range(pl.len()).over("row")
    )
    widest = int(rows["column"].max() or 0) + 1 if rows.height else 0  # type: ignore[arg-type]
    grades = np.full((count, widest), UNJUDGED, dtype=np.int64)
    grades[rows["row"].to_numpy(), rows["column"].to_numpy()] = rows["grade"].to_numpy()
    wanted = np.bincount(needed["row"].to_numpy(), minlength=count).astype(np.int64)
    return Truth(grades, wanted)


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
