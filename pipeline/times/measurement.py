"""Warm calls in one process, by one caller, the systems taking turns.

A branch's call is eligibility and search. The selected system's is eligibility, the search of
each of its branches one after the other, and fusion.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import cycle, islice
from time import perf_counter_ns
from typing import Any

import polars as pl

from pipeline.cache import Cache
from pipeline.candidates.opening import open_branch
from pipeline.candidates.retriever import Mask, Ranking, Retriever
from pipeline.choices import final_choice
from pipeline.collection.recorded import Vectors
from pipeline.eligibility import eligible, is_restricted, principal_of
from pipeline.errors import InputError, ParameterError
from pipeline.fusion import Configuration, fuse
from pipeline.identity import carried, contract_digest, digest
from pipeline.params import Params
from pipeline.systems import SELECTED
from pipeline.times.machine import describe_machine, package_versions
from pipeline.times.record import FUSION, Timing

CALLS = 200

# Calls that are made first and not counted: caches fill, pages are touched.
WARMING = 20

Query = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Bench:
    """Everything opened, so that a call does only what a service does for one query."""

    documents: pl.DataFrame
    carried: pl.DataFrame
    restricted: bool
    retrievers: Mapping[str, Retriever]
    params: Params
    configuration: Configuration | None

    def mask(self, query: Query) -> Mask | None:
        """Which documents the query may see; None where nothing is restricted."""
        return eligible(self.documents, principal_of(dict(query))) if self.restricted else None

    def search(self, branch: str, query: Query, mask: Mask | None, depth: int) -> Ranking:
        """One branch's list."""
        retriever = self.retrievers[branch]
        return retriever.search(query[retriever.reads], mask, depth)

    def candidates(
        self, query: Query, mask: Mask | None, depths: Mapping[str, int]
    ) -> pl.DataFrame:
        """The lists of the selected configuration's branches, as fusion takes them."""
        return pl.concat(
            self._rows(branch, query, self.search(branch, query, mask, depth))
            for branch, depth in depths.items()
        )

    def _rows(self, branch: str, query: Query, ranking: Ranking) -> pl.DataFrame:
        return self.carried[ranking.positions].with_columns(
            branch=pl.lit(branch),
            query_id=pl.lit(query["query_id"]),
            rank=pl.int_range(1, len(ranking) + 1, dtype=pl.Int64),
            score=pl.Series(ranking.scores, dtype=pl.Float64),
        )


def measure(
    *,
    documents: pl.DataFrame,
    queries: pl.DataFrame,
    vectors: Mapping[str, Vectors],
    selection: Mapping[str, Any],
    params: Params,
    measured_at: str,
    calls: int = CALLS,
    cache: Cache | None = None,
) -> list[Timing]:
    """Times every branch that has an engine, and the selected configuration end to end.

    Args:
        documents: DOCUMENTS.
        queries: QUERIES; they are asked in turn, from the first again where they are fewer.
        vectors: branch to its vectors, for `precomputed` ones.
        selection: selection.json; the whole is timed where all its branches have engines.
        params: the study's parameters.
        measured_at: ISO 8601, written as it is.
        calls: warm calls of each system.
        cache: where indexes and embeddings may be kept; None keeps nothing.

    Returns:
        One timing for each branch, by name, then the selected system and its fusion.

    Raises:
        ParameterError: every branch is recorded: their times are their own service's.
        InputError: no query can be asked of every branch.
        MissingError: as `open_branch`.
    """
    bench = _open(documents, vectors, selection, params, cache)
    asked = cycle(_askable(bench, queries))
    for query in islice(asked, min(WARMING, calls)):
        _one_turn(bench, query)
    spent: dict[str, list[float]] = {}
    for query in islice(asked, calls):
        for system, milliseconds in _one_turn(bench, query):
            spent.setdefault(system, []).append(milliseconds)
    return _timings(bench, spent, measured_at)


def _open(
    documents: pl.DataFrame,
    vectors: Mapping[str, Vectors],
    selection: Mapping[str, Any],
    params: Params,
    cache: Cache | None,
) -> _Bench:
    ordered = documents.sort("doc_id")
    names = [name for name, one in sorted(params.candidates.items()) if one.kind != "recorded"]
    if not names:
        raise ParameterError(
            "nothing here can be timed: every branch is recorded",
            where="candidates",
            expected="a branch of kind bm25 or dense",
        )
    retrievers = {
        name: open_branch(
            params.candidates[name],
            ordered,
            vectors.get(name),
            seed=params.seed,
            name=name,
            cache=cache,
        )
        for name in names
    }
    chosen = final_choice(selection).selected
    timeable = chosen is not None and set(chosen.branches) <= set(names)
    return _Bench(
        documents=ordered,
        carried=carried(ordered),
        restricted=is_restricted(ordered),
        retrievers=retrievers,
        params=params,
        configuration=chosen if timeable else None,
    )


def _askable(bench: _Bench, queries: pl.DataFrame) -> list[Query]:
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


def _one_turn(bench: _Bench, query: Query) -> Iterator[tuple[str, float]]:
    for branch in bench.retrievers:
        yield branch, _branch_call(bench, branch, query)
    if bench.configuration is not None:
        yield from _selected_call(bench, bench.configuration, query)


def _branch_call(bench: _Bench, branch: str, query: Query) -> float:
    start = perf_counter_ns()
    bench.search(branch, query, bench.mask(query), bench.params.candidates[branch].depth)
    return _since(start)


def _selected_call(
    bench: _Bench, configuration: Configuration, query: Query
) -> Iterator[tuple[str, float]]:
    start = perf_counter_ns()
    lists = bench.candidates(query, bench.mask(query), dict(configuration.depths))
    retrieved = perf_counter_ns()
    fuse(lists, configuration.contract(bench.params.fusion))
    yield FUSION, _since(retrieved)
    yield SELECTED, _since(start)


def _since(start: int) -> float:
    return round((perf_counter_ns() - start) / 1e6, 4)


def _timings(bench: _Bench, spent: Mapping[str, list[float]], measured_at: str) -> list[Timing]:
    searched = digest(bench.documents)
    contracts = {
        name: contract_digest(bench.params.candidates[name], searched) for name in bench.retrievers
    }
    chosen = bench.configuration
    machine, versions = describe_machine(), package_versions()

    def timing(system: str) -> Timing:
        whole = system in {SELECTED, FUSION} and chosen is not None
        parts = chosen.branches if whole and chosen is not None else (system,)
        return Timing(
            system=system,
            mode="warm",
            calls_ms=tuple(spent[system]),
            contracts={name: contracts[name] for name in parts},
            configuration=chosen.id if whole and chosen is not None else None,
            machine=machine,
            versions=versions,
            measured_at=measured_at,
        )

    order = [*bench.retrievers, SELECTED, FUSION]
    return [timing(system) for system in order if system in spent]
