"""Which queries belong together: connected components of what they share."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.identity import same_text
from pipeline.judgments import resolve
from pipeline.params import Params

FEW = 50  # below so many queries no key is dropped
LARGEST_SHARE = 0.2  # a key that ties more than this share together is dropped
TEXT = "text"  # the key of identical normalised text; always used, never dropped
PARAPHRASE = "paraphrase_of"
SHARED = ("relevant_evidence", "source")  # the keys where none is declared

Link = tuple[str, str]  # query, and what it shares with others
Links = Mapping[str, Sequence[Link]]  # by key


@dataclass(frozen=True, slots=True)
class DroppedKey:
    """A key that ties too much together to split by.

    Args:
        key: its name.
        largest: queries in its largest component.
        queries: all queries.
    """

    key: str
    largest: int
    queries: int


@dataclass(frozen=True, slots=True)
class Grouping:
    """Queries in groups.

    Args:
        component: query to the smallest query id of its component.
        keys: the keys that tie queries together here.
        dropped: keys that were left out, with the reason in figures.
        links: what the queries share, by key, the dropped ones too.
    """

    component: Mapping[str, str]
    keys: tuple[str, ...]
    dropped: tuple[DroppedKey, ...]
    links: Links

    @property
    def members(self) -> dict[str, list[str]]:
        """Component to its queries, both sorted."""
        members: dict[str, list[str]] = {}
        for query in sorted(self.component):
            members.setdefault(self.component[query], []).append(query)
        return dict(sorted(members.items()))


def group_queries(
    queries: pl.DataFrame, judgments: pl.DataFrame, documents: pl.DataFrame, params: Params
) -> Grouping:
    """Puts queries that share something into one group.

    Keys are those of `splits.group_by` that any query has, and identical normalised text. With
    none of them: shared relevant evidence and shared source. With 50 queries or more, a key
    whose largest component exceeds 20 % of them is dropped. A query marked `independent`, or
    all under `splits.independent`, is a group by itself.

    Args:
        queries: table QUERIES.
        judgments: table JUDGMENTS, or resolved ones.
        documents: table DOCUMENTS.
        params: `splits`, `collection.rel`, `collection.assessors`.
    """
    ids = queries["query_id"].sort().to_list()
    links = find_links(queries, judgments, documents, params)
    if params.splits.independent:
        return Grouping({query: query for query in ids}, (), (), links)
    tied = _without_independent(links, queries)
    sizes = {key: _largest(ids, tied[key]) for key in tied if key != TEXT}
    too_large = LARGEST_SHARE * len(ids) if len(ids) >= FEW else len(ids)
    dropped = tuple(
        DroppedKey(key, largest, len(ids)) for key, largest in sizes.items() if largest > too_large
    )
    keys = tuple(key for key in tied if key not in {drop.key for drop in dropped})
    # The same value under two keys is a coincidence, not a tie.
    together = [(query, (key, shared)) for key in keys for query, shared in tied[key]]
    return Grouping(components(ids, together), keys, dropped, links)


def components(queries: Sequence[str], links: Iterable[tuple[str, Hashable]]) -> dict[str, str]:
    """Query to the smallest query id of its connected component.

    Args:
        queries: all of them.
        links: pairs of a query and something it shares; of other queries they are ignored.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ids = sorted(queries)
    row = {query: index for index, query in enumerate(ids)}
    column: dict[Hashable, int] = {}
    edges = [
        (row[query], len(ids) + column.setdefault(shared, len(column)))
        for query, shared in links
        if query in row
    ]
    nodes = len(ids) + len(column)
    ends = tuple(zip(*edges, strict=True)) or ((), ())
    graph = coo_array(([True] * len(edges), ends), shape=(nodes, nodes))
    labels = connected_components(graph, directed=False)[1][: len(ids)]
    first: dict[int, str] = {}
    return {
        query: first.setdefault(int(label), query) for query, label in zip(ids, labels, strict=True)
    }


def find_links(
    queries: pl.DataFrame, judgments: pl.DataFrame, documents: pl.DataFrame, params: Params
) -> dict[str, list[Link]]:
    """What queries share, by key: the declared keys that any query has, else shared evidence."""
    declared: dict[str, list[Link]] = {
        key: found for key in params.splits.group_by if (found := _declared(queries, key))
    }
    return {**(declared or _shared(judgments, documents, params)), TEXT: _texts(queries)}


def _declared(queries: pl.DataFrame, key: str) -> list[Link]:
    given = queries.select("query_id", key).drop_nulls().sort("query_id")
    links: list[Link] = given.rows()
    if key == PARAPHRASE:
        links = links + [(seed, seed) for seed in sorted(set(given[key]))]
    return links


def _texts(queries: pl.DataFrame) -> list[Link]:
    given = queries.select("query_id", "text").drop_nulls().sort("query_id").rows()
    forms = [(query, same_text(text)) for query, text in given]
    return [(query, form) for query, form in forms if form]


def _shared(
    judgments: pl.DataFrame, documents: pl.DataFrame, params: Params
) -> dict[str, list[Link]]:
    raw = "assessor" in judgments.columns
    one = resolve(judgments, params.collection.assessors) if raw else judgments
    relevant = one.filter(pl.col("grade") >= params.collection.rel)
    sources = relevant.join(
        documents.select("evidence_id", "source_id").unique(), on="evidence_id", how="inner"
    )
    return {
        key: sorted(set(frame.select("query_id", column).rows()))
        for key, frame, column in (
            (SHARED[0], relevant, "evidence_id"),
            (SHARED[1], sources, "source_id"),
        )
    }


def _without_independent(links: Links, queries: pl.DataFrame) -> dict[str, list[Link]]:
    alone = set(queries.filter(pl.col("independent").fill_null(False))["query_id"])
    return {key: [link for link in found if link[0] not in alone] for key, found in links.items()}


def _largest(ids: Sequence[str], links: Sequence[Link]) -> int:
    return max(Counter(components(ids, links).values()).values(), default=0)
