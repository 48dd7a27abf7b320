"""Everything opened, so that a call does only what a service does for one query."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from pipeline.cache import Cache
from pipeline.candidates.opening import open_branch
from pipeline.candidates.retriever import Mask, Retriever
from pipeline.eligibility import eligible, is_restricted, principal_of
from pipeline.errors import InputError, ParameterError
from pipeline.identity import carried
from pipeline.params import Params
from pipeline.recorded import Vectors
from pipeline.serving import Reply

Query = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Bench:
    """The opened branches and what stands beside them.

    Args:
        documents: DOCUMENTS, sorted by doc_id.
        carried: what each of them carries, in the same order.
        places: doc_id to row.
        restricted: whether any document is not for everybody.
        retrievers: branch to its opened engine.
        params: the study's parameters.
    """

    documents: pl.DataFrame
    carried: pl.DataFrame
    places: Mapping[str, int]
    restricted: bool
    retrievers: Mapping[str, Retriever]
    params: Params

    def mask(self, query: Query) -> Mask | None:
        """Which documents the query may see; None where nothing is restricted."""
        return eligible(self.documents, principal_of(dict(query))) if self.restricted else None

    def search(self, branch: str, query: Query, mask: Mask | None, depth: int) -> Reply:
        """One branch's reply."""
        if mask is not None and not mask.any():
            return Reply("filtered")
        retriever = self.retrievers[branch]
        ranking = retriever.search(query[retriever.reads], mask, depth)
        if not len(ranking):
            return Reply("empty")
        listed = self.carried[ranking.positions].select(
            pl.lit(query["query_id"]).alias("query_id"),
            pl.int_range(1, len(ranking) + 1, dtype=pl.Int64).alias("rank"),
            pl.all(),
            pl.Series("score", ranking.scores, dtype=pl.Float64),
        )
        return Reply("ok", listed)

    def fetch(self, doc_ids: Sequence[str]) -> list[str | None]:
        """Titles and texts of documents."""
        rows = self.documents[[self.places[doc_id] for doc_id in doc_ids]]
        return [*rows["title"], *rows["text"]]


@dataclass(frozen=True, slots=True)
class Sources:
    """What branches are opened on.

    Args:
        documents: DOCUMENTS.
        vectors: branch to its vectors, for `precomputed` ones.
        params: the study's parameters.
        cache: where indexes and embeddings may be kept; None keeps nothing.
    """

    documents: pl.DataFrame
    vectors: Mapping[str, Vectors]
    params: Params
    cache: Cache | None = None

    def of(self, branches: Sequence[str]) -> "Sources":
        """Without the vectors of other branches."""
        needed = {name: self.vectors[name] for name in branches if name in self.vectors}
        return replace(self, vectors=needed)


def open_bench(sources: Sources, branches: Sequence[str]) -> Bench:
    """Opens each of the branches.

    Raises:
        MissingError: as `open_branch`.
    """
    ordered, params = sources.documents.sort("doc_id"), sources.params
    retrievers = {
        name: open_branch(
            params.candidates[name],
            ordered,
            sources.vectors.get(name),
            seed=params.seed,
            name=name,
            cache=sources.cache,
        )
        for name in branches
    }
    return Bench(
        documents=ordered,
        carried=carried(ordered),
        places={doc_id: place for place, doc_id in enumerate(ordered["doc_id"])},
        restricted=is_restricted(ordered),
        retrievers=retrievers,
        params=params,
    )


def timeable_branches(params: Params) -> list[str]:
    """The branches that have an engine here, sorted.

    Raises:
        ParameterError: there is none.
    """
    names = [name for name, one in sorted(params.candidates.items()) if one.kind != "recorded"]
    if not names:
        raise ParameterError(
            "nothing here can be timed: every branch is recorded",
            where="candidates",
            expected="a branch of kind bm25 or dense",
        )
    return names


def askable(bench: Bench, queries: pl.DataFrame) -> list[Query]:
    """The queries that every branch can be asked, by id.

    Raises:
        InputError: there is none.
    """

    def can_ask(query: Query) -> bool:
        return all(
            query[one.reads] is not None and one.knows(query[one.reads])
            for one in bench.retrievers.values()
        )

    rows: list[Query] = list(queries.sort("query_id").iter_rows(named=True))
    asked = [query for query in rows if can_ask(query)]
    if not asked:
        raise InputError(
            "no query can be asked of every branch",
            where="queries",
            found=f"{queries.height} queries",
            expected="at least one with text, and with a vector where vectors are given",
        )
    return asked
