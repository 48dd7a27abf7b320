"""Axes of retrieval and fusion: what ranks, and how.

Each yields what it was in A and what it is in B, or nothing.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from pipeline.comparing.changed import changed, keyed, section
from pipeline.comparing.content import content_hash
from pipeline.comparing.view import StudyView
from pipeline.params import Bm25Branch, DenseBranch, Params, RecordedBranch


def branches(a: StudyView, b: StudyView) -> Iterator[str]:
    """Branches that came or went, or became another kind; production."""
    ours = {name: one.kind for name, one in a.params.candidates.items()}
    theirs = {name: one.kind for name, one in b.params.candidates.items()}
    yield from changed(keyed("candidates", ours), keyed("candidates", theirs))
    yield from changed({"production": a.params.production}, {"production": b.params.production})


def recorded(a: StudyView, b: StudyView) -> Iterator[str]:
    """Another recorded run under a branch's name, or the same read in another order."""
    for name, ours, theirs in _pairs(a, b, RecordedBranch):
        yield from changed(_options(name, ours), _options(name, theirs))
        hashes = (
            content_hash(a, "runs").get(ours["run"]),
            content_hash(b, "runs").get(theirs["run"]),
        )
        if hashes[0] != hashes[1]:
            yield f"candidates.{name}: the recorded run has other content"


def analyzer(a: StudyView, b: StudyView) -> Iterator[str]:
    """How lexical branches take texts apart."""
    for name, _, _ in _pairs(a, b, Bm25Branch):
        kept = [_contract(view, name, only=("analyzer", "fields")) for view in (a, b)]
        yield from changed(*kept)


def scoring(a: StudyView, b: StudyView) -> Iterator[str]:
    """The constants and the formula of lexical branches."""
    for name, _, _ in _pairs(a, b, Bm25Branch):
        kept = [_contract(view, name, without=("analyzer", "fields")) for view in (a, b)]
        yield from changed(*kept)


def embedding(a: StudyView, b: StudyView) -> Iterator[str]:
    """What makes the vectors, and how they are compared.

    A model that is fitted on the documents is told apart by its digest only where the documents
    are the same.
    """
    for name, ours, theirs in _pairs(a, b, DenseBranch):
        options = list(changed(_options(name, ours), _options(name, theirs)))
        yield from options or changed(_contract(a, name), _contract(b, name))
        if options or content_hash(a, "documents") != content_hash(b, "documents"):
            continue
        models = [_manifest(view, name).get("model_digest") for view in (a, b)]
        if models[0] != models[1]:
            yield f"candidates.{name}: the model itself is another one"
        if content_hash(a, "vectors").get(ours["vectors"]) != content_hash(b, "vectors").get(
            theirs["vectors"]
        ):
            yield f"candidates.{name}: the vectors have other content"


def filters(a: StudyView, b: StudyView) -> Iterator[str]:
    """What each branch was allowed to return for the queries and branches of both."""
    lists = [view.read("candidate_queries").drop("returned") for view in (a, b)]
    both = lists[0].join(lists[1], on=["branch", "query_id"], suffix="_b")
    other = both.filter(pl.col("filter").ne_missing(pl.col("filter_b")))
    for branch, rows in sorted(other.group_by("branch"), key=lambda one: str(one[0][0])):
        yield f"{branch[0]}: another filter on {rows.height} queries"


def depths(a: StudyView, b: StudyView) -> Iterator[str]:
    """How deep each branch retrieves, how deep fusion may read, how much is handed on."""
    yield from changed(_declared_depths(a.params), _declared_depths(b.params))


def fusion(a: StudyView, b: StudyView) -> Iterator[str]:
    """The contract, the grid and the rule that chooses from it."""
    yield from changed(_declared_fusion(a.params), _declared_fusion(b.params))


def seed(a: StudyView, b: StudyView) -> Iterator[str]:
    """What chance is drawn by: fitted encoders, weightings of the choice, resamples of bounds."""
    yield from changed({"seed": a.params.seed}, {"seed": b.params.seed})


def selected(a: StudyView, b: StudyView) -> Iterator[str]:
    """The configurations themselves."""
    ours, theirs = (_description(view) for view in (a, b))
    if ours != theirs:
        yield f"selected: {ours} → {theirs}"


def _pairs(
    a: StudyView, b: StudyView, kind: type
) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """The branches of that kind in both, with their options."""
    for name in sorted({*a.params.candidates} & {*b.params.candidates}):
        ours, theirs = a.params.candidates[name], b.params.candidates[name]
        if isinstance(ours, kind) and isinstance(theirs, kind):
            yield name, ours.model_dump(mode="json"), theirs.model_dump(mode="json")


def _options(name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    return keyed(f"candidates.{name}", {k: v for k, v in options.items() if k != "depth"})


def _of_part(part: str, view: StudyView, name: str) -> Any:
    return content_hash(view, part).get(name)


def _manifest(view: StudyView, branch: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = view.read("branch_manifests")[branch]
    return found


def _contract(
    view: StudyView, branch: str, *, only: tuple[str, ...] = (), without: tuple[str, ...] = ()
) -> dict[str, Any]:
    contract = _manifest(view, branch).get("contract") or {}
    kept = {k: v for k, v in contract.items() if k not in without and (not only or k in only)}
    return keyed(f"candidates.{branch}", kept)


def _declared_depths(params: Params) -> dict[str, Any]:
    own = {f"candidates.{name}.depth": one.depth for name, one in params.candidates.items()}
    return {**own, "sweep.depths": params.sweep.depths, "context.depth": params.context.depth}


def _declared_fusion(params: Params) -> dict[str, Any]:
    grid = ("methods", "rank_constants", "weight_step", "joint", "target")
    rule = ("mode", "configuration", "measure", "stable_share")
    return {
        **keyed("fusion", params.fusion.model_dump(mode="json", exclude={"minima"})),
        **keyed("fusion.minima", dict(params.fusion.minima)),
        **keyed("sweep", section(params.sweep, grid)),
        **keyed("selection", section(params.selection, rule)),
    }


def _description(view: StudyView) -> str:
    chosen = view.read("selection").get("configuration")
    return "nothing" if chosen is None else str(chosen["description"])
