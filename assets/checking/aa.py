"""A/A: does a system differ from itself by more than the noise declared for it?"""

from collections.abc import Iterator

import polars as pl

from assets.artifacts import is_stored, stored
from assets.checking.findings import Finding, problem
from assets.folder import StudyFolder
from pipeline.choices import final_choice
from pipeline.errors import MissingError, RankgateError
from pipeline.params import Params
from pipeline.parts import DEV, TEST, Part, visible_parts
from pipeline.same_system import SHUFFLES, SameSystem, same_systems
from pipeline.seal import Seal
from pipeline.systems import BEST_CONVEX, RRF_60, SELECTED, System, baselines

FUSED = (RRF_60, BEST_CONVEX, SELECTED)


def aa_findings(folder: StudyFolder) -> Iterator[Finding]:
    """Each branch and what is fused from them, against itself on dev's labels.

    Args:
        folder: a study whose stored candidates are there; nothing is retrieved or opened.
    """
    try:
        yield from _findings(folder)
    except RankgateError as error:
        yield from problem(error)


def _findings(folder: StudyFolder) -> Iterator[Finding]:
    params = folder.params
    if not is_stored(folder, "splits"):
        raise MissingError(
            "nothing to compare with itself",
            where=folder.data,
            expected="stored candidates and splits",
            next_command="dvc repro",
        )
    candidates = stored(folder, "candidates")
    found = same_systems(_systems(folder, params), candidates, _dev(folder, params), params)
    if not found:
        yield Finding("warning", "aa: no dev query is judged, so nothing can be measured")
    for one in found:
        yield Finding("problem" if one.beyond else "fact", _said(one, params))


def _systems(folder: StudyFolder, params: Params) -> list[System]:
    if not is_stored(folder, "selection"):
        made = baselines(params)
    else:
        choice = final_choice(stored(folder, "selection"))
        made = baselines(params, selected=choice.selected, best_convex=choice.best_convex)
    return [one for one in made if one.role == "branch" or one.name in FUSED]


def _dev(folder: StudyFolder, params: Params) -> Part:
    """Dev's queries and labels; the test's are not read."""
    labels: pl.DataFrame = stored(folder, "dev_judgments")
    alpha = params.evaluation.alpha
    return visible_parts(
        stored(folder, "queries"),
        stored(folder, "splits"),
        {DEV: labels, TEST: labels.clear()},
        Seal(None, alpha, alpha),
        params,
    )[0]


def _said(one: SameSystem, params: Params) -> str:
    measure = params.selection.measure
    start = f"aa: {one.system}, {one.again}"
    if not one.largest and not one.beyond:
        return f"{start}: no difference on {one.queries} dev queries"
    times = f"at most {one.largest:.4f}" + (
        f" in {SHUFFLES} shuffles" if one.again == "ties shuffled" else ""
    )
    mean = "" if one.low is None else f", mean {one.delta:+.4f}, {one.low:+.4f} to {one.high:+.4f}"
    allowed = (
        f", its ties allow {one.allowed[0]:+.4f} to {one.allowed[1]:+.4f}" if one.allowed else ""
    )
    text = f"{start}: {measure} moves by {times}{mean}{allowed}"
    if not one.beyond:
        return f"{text}: noise"
    return (
        f"{text}: more than noise; the order of tied items decides something. "
        "Next: give the branch scores that differ, or a rank column and order: rank"
    )
