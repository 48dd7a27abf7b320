"""Which protocol a new study is given: crossfit where a holdout would leave too little."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pipeline.params import Params
from pipeline.splits.grouping import group_queries

if TYPE_CHECKING:
    from pipeline.collection import Collection

FEW_GROUPS = 100


@dataclass(frozen=True, slots=True)
class Protocol:
    """How a new study's queries are put on sides.

    Args:
        name: `crossfit` below 100 query groups, else `holdout`; an official split is kept as it
            is.
        folds: those declared, fewer where there are fewer groups; 2 at least.
    """

    name: Literal["holdout", "crossfit"]
    folds: int


def protocol_for(collection: "Collection", params: Params) -> Protocol:
    """The protocol that the number of query groups asks for.

    Args:
        collection: its queries are grouped as the study would.
        params: `splits` and `collection`.
    """
    declared = params.splits.folds
    if collection.queries["split"].is_in(["dev", "test"]).any():
        return Protocol("holdout", declared)
    queries, judgments = collection.queries, collection.judgments
    groups = len(group_queries(queries, judgments, collection.documents, params).members)
    if groups >= FEW_GROUPS:
        return Protocol("holdout", declared)
    return Protocol("crossfit", max(2, min(declared, groups)))
