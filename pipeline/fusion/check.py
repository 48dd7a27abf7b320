"""What a frame of ranked lists must be before it is fused."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from pipeline.errors import ContractError, first_three

COLUMNS = ("branch", "query_id", "rank", "doc_id", "evidence_id", "source_id", "score")
_IDS = ("branch", "query_id", "doc_id", "evidence_id", "source_id")
_WHERE = "candidates"


def check_lists(candidates: pl.DataFrame) -> pl.DataFrame:
    """The columns fusion reads, ranks as whole numbers.

    Raises:
        ContractError: a column is missing; an id is null or not text; a rank is null, below 1 or
            not whole; a score is NaN or infinite.
    """
    missing = [name for name in COLUMNS if name not in candidates.columns]
    if missing:
        raise ContractError(
            "columns are missing", where=_WHERE, found=missing, expected=", ".join(COLUMNS)
        )
    lists = candidates.select(COLUMNS)
    for name in _IDS:
        _check_ids(lists[name])
    return lists.with_columns(_whole_ranks(lists), _finite_scores(lists))


def _check_ids(column: pl.Series) -> None:
    if column.dtype != pl.String and column.len():
        raise ContractError(
            f"{column.name} is not text", where=_WHERE, found=column.dtype, expected="strings"
        )
    if column.null_count():
        raise ContractError(
            f"{column.name} has nulls",
            where=_WHERE,
            found=f"{column.null_count()} of {column.len()} rows",
            expected="an id in every row",
        )


def _whole_ranks(lists: pl.DataFrame) -> pl.Series:
    rank = lists["rank"]
    if rank.len() and not rank.dtype.is_numeric():
        raise ContractError("rank is not a number", where=_WHERE, found=rank.dtype)
    wrong = rank.is_null() | (rank < 1)
    if rank.dtype.is_float():
        wrong = wrong | ~rank.is_finite() | (rank.floor() != rank)
    refuse_rows(lists, wrong.fill_null(True), "a rank is refused", "whole numbers, 1 or more")
    return rank.cast(pl.Int64)


def _finite_scores(lists: pl.DataFrame) -> pl.Series:
    score = lists["score"]
    if score.len() and not (score.dtype.is_numeric() or score.dtype == pl.Null):
        raise ContractError("score is not a number", where=_WHERE, found=score.dtype)
    score = score.cast(pl.Float64)
    wrong = ~score.is_finite().fill_null(True)
    refuse_rows(lists, wrong, "a score is refused", "finite numbers, or none at all")
    return score


def refuse_rows(lists: pl.DataFrame, wrong: pl.Series, what: str, expected: str) -> None:
    """Raises ContractError naming the first three rows that are wrong, where any is."""
    if not wrong.any():
        return
    offenders = lists.filter(wrong).select("branch", "query_id", "doc_id", "rank", "score")
    raise ContractError(
        what,
        where=_WHERE,
        found=first_three(offenders.rows()),
        expected=f"{expected} (branch, query, document, rank, score are shown)",
    )


def refuse_places(
    lists: pl.DataFrame, places: Sequence[int] | np.ndarray, what: str, expected: str
) -> None:
    """As `refuse_rows`, for row numbers."""
    wrong = np.zeros(lists.height, dtype=bool)
    wrong[places] = True
    refuse_rows(lists, pl.Series(wrong, dtype=pl.Boolean), what, expected)
