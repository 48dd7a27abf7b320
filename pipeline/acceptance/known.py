"""What a service knows by itself, whatever its engines say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.eligibility import eligibility_groups
from pipeline.fusion.lists import Flags, Wholes
from pipeline.params import Params, RecordedBranch
from pipeline.tables import WHOLE

_NOWHERE = -1


@dataclass(frozen=True, slots=True)
class Known:
    """The documents served, who may see them, and what kind of lists each branch gives.

    Args:
        snapshot: digest of the documents.
        place: doc_id, place: each document's row.
        group: query_id, group, eligible: queries that see the same, and how many documents.
        masks: for each group, which documents it may see.
        ties: the branches whose lists are in order of score, and whether equal scores stand in
            descending order of id.
        always_lists: branches that list something wherever a document is eligible.
        duplicates: a list that repeats a document is refused (`reject`) or mended (`keep_first`).
    """

    snapshot: str
    place: pl.DataFrame
    group: pl.DataFrame
    masks: Sequence[Flags]
    ties: Mapping[str, bool]
    always_lists: frozenset[str]
    duplicates: str

    def places(self, doc_ids: pl.Series) -> Wholes:
        """Each document's row, -1 for a document that is not served."""
        rows = doc_ids.to_frame("doc_id").join(
            self.place, on="doc_id", how="left", maintain_order="left"
        )
        return rows["place"].fill_null(_NOWHERE).to_numpy()

    def groups(self, query_ids: pl.Series) -> Wholes:
        """Each query's group; -1 for a query nobody is known to ask."""
        rows = query_ids.to_frame("query_id").join(
            self.group, on="query_id", how="left", maintain_order="left"
        )
        return rows["group"].fill_null(_NOWHERE).to_numpy()

    def may_see(self, group: Wholes, place: Wholes) -> Flags:
        """Whether each pair of a query's group and a document's row is allowed."""
        seen = np.zeros(group.size, dtype=np.bool_)
        order = np.argsort(group, kind="stable")
        bounds = np.searchsorted(group[order], np.arange(len(self.masks) + 1))
        for mask, first, last in zip(self.masks, bounds[:-1], bounds[1:], strict=True):
            rows = order[first:last]
            rows = rows[place[rows] != _NOWHERE]
            seen[rows] = mask[place[rows]]
        return seen


def known_of(
    documents: pl.DataFrame, queries: pl.DataFrame, params: Params, *, snapshot: str
) -> Known:
    """What the service of a study knows.

    Args:
        documents: DOCUMENTS.
        queries: QUERIES.
        params: kinds of branches, the rule for duplicates.
        snapshot: digest of the documents.
    """
    together = eligibility_groups(documents, queries)
    rows = [
        (query, number, int(one.mask.sum()))
        for number, one in enumerate(together)
        for query in one.query_ids
    ]
    kinds = params.candidates
    recorded = {name: one for name, one in kinds.items() if isinstance(one, RecordedBranch)}
    return Known(
        snapshot=snapshot,
        place=documents.select("doc_id").with_row_index("place").cast({"place": WHOLE}),
        group=pl.DataFrame(
            rows,
            schema={"query_id": pl.String(), "group": WHOLE, "eligible": WHOLE},
            orient="row",
        ),
        masks=[one.mask for one in together],
        ties={
            name: name in recorded
            for name in kinds
            if name not in recorded or recorded[name].order == "score"
        },
        always_lists=frozenset(name for name, one in kinds.items() if one.kind == "dense"),
        duplicates=params.fusion.duplicates,
    )
