"""The stage `candidates`: what does one branch return for every query?"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.cache import Cache
from pipeline.candidates.manifest import engine_of, manifest_of
from pipeline.candidates.opening import open_branch
from pipeline.candidates.probing import probe
from pipeline.candidates.recorded import recorded_lists
from pipeline.candidates.retriever import Retriever
from pipeline.candidates.searching import search_all
from pipeline.errors import InputError, MissingError, ParameterError
from pipeline.params import AnyBranch, Params, RecordedBranch
from pipeline.probes import plan_probes
from pipeline.recorded import RecordedRun, Vectors
from pipeline.tables import BRANCH_CANDIDATES, BRANCH_QUERIES, PROBES


@dataclass(frozen=True, slots=True)
class BranchResult:
    """One branch's lists.

    Args:
        candidates: table BRANCH_CANDIDATES.
        queries: table BRANCH_QUERIES, a row for every query.
        probes: table PROBES; empty unless `operations.probes` asks for it.
        manifest: contract, digests, notes.
        summary: the figures a person wants to see.
    """

    candidates: pl.DataFrame
    queries: pl.DataFrame
    probes: pl.DataFrame
    manifest: dict[str, Any]
    summary: dict[str, object]


@dataclass(frozen=True, slots=True)
class _Inputs:
    documents: pl.DataFrame
    queries: pl.DataFrame
    run: RecordedRun | None
    vectors: Vectors | None
    name: str
    params: Params
    cache: Cache | None


_Found = tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, dict[str, Any]]


def compute(
    *,
    documents: pl.DataFrame,
    queries: pl.DataFrame,
    run: RecordedRun | None = None,
    vectors: Vectors | None = None,
    branch: str,
    params: Params,
    cache: Cache | None = None,
) -> BranchResult:
    """Retrieves once, to the branch's depth, under every query's own eligibility.

    Args:
        documents: table DOCUMENTS.
        queries: table QUERIES.
        run: the recorded run, for kind `recorded`.
        vectors: the collection's vectors, for encoder `precomputed`.
        branch: the branch's name in `params.candidates`.
        params: all parameters.
        cache: where indexes and embeddings may be kept; None keeps nothing.

    Returns:
        The lists, one state for each query, the manifest.

    Raises:
        ParameterError: no such branch.
        MissingError: the run, the vectors, the model or the engine is not there.
        InputError: no documents, or no text where the branch reads text.
        ContractError: a recorded list that breaks its rules, or holds unknown documents.
    """
    declared = _declared(branch, params)
    ordered, asked = documents.sort("doc_id"), queries.sort("query_id")
    inputs = _Inputs(ordered, asked, run, vectors, branch, params, cache)
    lists, states, probes, said = _KINDS[declared.kind](declared, inputs)
    candidates = BRANCH_CANDIDATES.check(lists, where=f"branch {branch}")
    states = BRANCH_QUERIES.check(states, where=f"branch {branch}")
    general = manifest_of(branch, declared, documents=ordered, queries=asked, states=states)
    manifest = general | said
    return BranchResult(candidates, states, probes, manifest, _summary(manifest, states))


def _declared(branch: str, params: Params) -> AnyBranch:
    if branch not in params.candidates:
        raise ParameterError(
            "no such branch",
            where="candidates",
            found=branch,
            expected=" or ".join(sorted(params.candidates)),
        )
    return params.candidates[branch]


def _search(branch: AnyBranch, inputs: _Inputs) -> _Found:
    retriever = open_branch(
        branch,
        inputs.documents,
        inputs.vectors,
        seed=inputs.params.seed,
        name=inputs.name,
        cache=inputs.cache,
    )
    _refuse_silence(retriever.reads, inputs)
    lists, states = search_all(
        retriever, documents=inputs.documents, queries=inputs.queries, depth=branch.depth
    )
    said = engine_of(
        retriever, documents=inputs.documents, queries=inputs.queries, depth=branch.depth
    )
    return lists, states, _probes(branch, retriever, inputs), said


def _probes(branch: AnyBranch, retriever: Retriever, inputs: _Inputs) -> pl.DataFrame:
    """The branch asked again, beside planted documents; nothing where it is not asked for."""
    params = inputs.params
    if not params.operations.probes:
        return PROBES.empty()

    def reopen(documents: pl.DataFrame) -> Retriever:
        return open_branch(branch, documents, inputs.vectors, seed=params.seed, name=inputs.name)

    plan = plan_probes(inputs.documents, inputs.queries, params.operations.probes, params.seed)
    return probe(plan, retriever, reopen, documents=inputs.documents, depth=branch.depth)


def _refuse_silence(reads: str, inputs: _Inputs) -> None:
    asked = inputs.queries[reads]
    if len(asked) and asked.null_count() == len(asked):
        raise InputError(
            "the branch searches text, and no query has any",
            where=f"branch {inputs.name}",
            expected="text in queries.jsonl, or kind: recorded",
        )


def _take(branch: AnyBranch, inputs: _Inputs) -> _Found:
    if inputs.run is None or not isinstance(branch, RecordedBranch):
        raise MissingError(
            "the recorded run is not there",
            where=f"branch {inputs.name}",
            expected=f"runs/{getattr(branch, 'run', inputs.name)} in the collection",
            next_command="rankgate check",
        )
    lists, states = recorded_lists(
        branch,
        inputs.run,
        documents=inputs.documents,
        queries=inputs.queries,
        duplicates=inputs.params.fusion.duplicates,
        name=inputs.name,
    )
    others = inputs.run.queries.join(inputs.queries, on="query_id", how="anti").height
    return lists, states, PROBES.empty(), _recorded_contract(branch, others)


def _recorded_contract(branch: RecordedBranch, others: int) -> dict[str, Any]:
    warning = f"the run also answers {others} queries that are not in the collection"
    return {
        "contract": {
            "run": branch.run,
            "order": branch.order,
            "ties": "score descending, then doc_id descending" if branch.order == "score" else None,
            "eligibility": "as recorded: ineligible documents stay",
        },
        "index_digest": None,
        "model_digest": None,
        "notes": {"other_queries": others},
        "warnings": [warning] if others else [],
        "prefix": {"queries": None, "holds": True, "reason": "one recorded list, cut"},
    }


def _summary(manifest: Mapping[str, Any], states: pl.DataFrame) -> dict[str, object]:
    counts = states.group_by("status").agg(
        queries=pl.len(), mean_returned=pl.col("returned").mean().round(1)
    )
    return {
        "branch": manifest["branch"],
        "kind": manifest["parameters"]["kind"],
        "depth": manifest["parameters"]["depth"],
        "queries": states.height,
        "returned": int(states["returned"].sum()),
        "warnings": manifest["warnings"],
        "table": {
            "columns": ["status", "queries", "mean returned"],
            "rows": [list(row) for row in counts.sort("status").rows()],
        },
    }


_KINDS: Mapping[str, Callable[[AnyBranch, _Inputs], _Found]] = {
    "bm25": _search,
    "dense": _search,
    "recorded": _take,
}
