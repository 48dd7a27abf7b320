"""Which protocol a new study is given: crossfit where a holdout would leave too little."""

from typing import Literal

from pipeline.collection import Collection
from pipeline.params import Params
from pipeline.splits.grouping import group_queries

FEW_GROUPS = 100


def protocol_for(collection: Collection, params: Params) -> Literal["holdout", "crossfit"]:
    """`crossfit` below 100 query groups, else `holdout`; an official split is kept as it is.

    Args:
        collection: its queries are grouped as the study would.
        params: `splits` and `collection`.
    """
    if collection.queries["split"].is_in(["dev", "test"]).any():
        return "holdout"
    queries, judgments = collection.queries, collection.judgments
    grouping = group_queries(queries, judgments, collection.documents, params)
    return "crossfit" if len(grouping.members) < FEW_GROUPS else "holdout"
