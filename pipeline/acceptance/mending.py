"""Lists put right again, where that needs no guess."""

import polars as pl

from pipeline.acceptance.known import Known

_LIST = ["branch", "query_id"]


def in_order(rows: pl.DataFrame, known: Known) -> pl.DataFrame:
    """Lists in which a score rises, back in order of score, equal scores by the branch's rule.

    Args:
        rows: CANDIDATES with `rises`, sorted by branch, query_id, rank; other lists stay.
        known: the branches' rules.

    Returns:
        The same rows, ranks renumbered where a list was put in order.
    """
    wrong = rows.filter(pl.col("rises")).select(_LIST).unique()
    if wrong.is_empty():
        return rows
    descending = [name for name, falls in known.ties.items() if falls]
    mixed = rows.join(wrong, on=_LIST, how="semi")
    parts = [
        mixed.filter(pl.col("branch").is_in(descending) == falls).sort(
            *_LIST, "score", "doc_id", descending=[False, False, True, falls]
        )
        for falls in (False, True)
    ]
    whole = rows.join(wrong, on=_LIST, how="anti")
    return pl.concat([whole, *map(_renumbered, parts)]).sort(*_LIST, "rank")


def without_repeats(rows: pl.DataFrame) -> pl.DataFrame:
    """The first place of each document in each list, ranks closed up.

    Args:
        rows: CANDIDATES with `repeated`, sorted by branch, query_id, rank.
    """
    wrong = rows.filter(pl.col("repeated")).select(_LIST).unique()
    if wrong.is_empty():
        return rows
    mixed = rows.join(wrong, on=_LIST, how="semi", maintain_order="left")
    single = mixed.unique([*_LIST, "doc_id"], keep="first", maintain_order=True)
    whole = rows.join(wrong, on=_LIST, how="anti")
    return pl.concat([whole, _renumbered(single)]).sort(*_LIST, "rank")


def _renumbered(rows: pl.DataFrame) -> pl.DataFrame:
    rank = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over(_LIST)
    return rows.with_columns(rank=rank)
