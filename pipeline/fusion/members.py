"""Who stands behind a fused item: its representative and all its documents."""

import numpy as np
import polars as pl

from pipeline.fusion.lists import Lists, Wholes, first_of_pair


def members_of(lists: Lists, item: Wholes, count: int) -> pl.DataFrame:
    """The documents of each item.

    Args:
        lists: the collapsed lists.
        item: for each row of the lists, the number of its item, below `count`; -1 for none.
        count: how many items there are.

    Returns:
        doc_id and evidence_id (of the representative), members (best first: by collapsed rank
        in any list, place before collapsing, document id); one row per item, in order.
    """
    listed = np.flatnonzero(item >= 0)
    some = np.zeros(count, dtype=np.int64)
    some[item[listed]] = listed
    if (lists.document[some[item[listed]]] == lists.document[listed]).all():
        return lists.rows[some].select(
            "doc_id", "evidence_id", pl.concat_list("doc_id").alias("members")
        )
    return _several(lists, item, listed)


def _several(lists: Lists, item: Wholes, listed: Wholes) -> pl.DataFrame:
    keys = (lists.document, lists.position, lists.rank, item)
    rows = listed[np.lexsort(tuple(key[listed] for key in keys))]
    rows = rows[first_of_pair(item[rows], lists.document[rows])]
    return (
        lists.rows[rows]
        .select("doc_id", "evidence_id", pl.Series("item", item[rows]))
        .group_by("item", maintain_order=True)
        .agg(pl.first("doc_id", "evidence_id"), pl.col("doc_id").alias("members"))
        .drop("item")
    )
