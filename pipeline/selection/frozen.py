"""What each mode freezes: searched for, declared by hand, or kept from the last opening."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.errors import MissingError, ParameterError
from pipeline.fusion import Configuration
from pipeline.grid.points import depths_at
from pipeline.ledger import Opening, last_of
from pipeline.params import Params
from pipeline.selection.dev import Dev
from pipeline.selection.latency import TooSlow
from pipeline.selection.out_of_bag import Repeated, repeat
from pipeline.selection.search import Verdict, search
from pipeline.selection.simplicity import by_simplicity
from pipeline.selection.wording import search_reason
from pipeline.systems import declared_configuration

NOT_APPLICABLE = "not_applicable"


@dataclass(frozen=True, slots=True)
class Study:
    """What a mode may look at.

    Args:
        dev: the stored values of dev.
        slow: what was measured to be over the latency limit.
        test_set: the hash of the test set.
        ledger: the record of openings, in its order.
        splits: SPLITS.
        depth_recall: DEPTH_RECALL, by which the depth was chosen.
        params: all parameters.
    """

    dev: Dev
    slow: TooSlow
    test_set: str
    ledger: Sequence[Opening]
    splits: pl.DataFrame
    depth_recall: pl.DataFrame
    params: Params

    def repeat(self, verdict: Verdict) -> Repeated:
        """The whole rule on bootstrap samples of dev."""
        return repeat(self.dev, verdict, self.params, self.slow, self.splits, self.depth_recall)


@dataclass(frozen=True, slots=True)
class Frozen:
    """What a mode froze.

    Args:
        configuration: for all queries.
        by_fold: under crossfit, for each fold; else empty.
        stability: pass, fail, unresolved or not_applicable.
        reason: why, in one sentence.
        verdict: of the search, where there was one.
        kept: the opening it was kept from, where it was.
    """

    configuration: Configuration
    by_fold: Mapping[int, Configuration]
    stability: str
    reason: str
    verdict: Verdict | None = None
    kept: Opening | None = None


def searched(study: Study) -> Frozen:
    """The rule's choice on the declared grid; without labels the plainest fusion."""
    dev, params = study.dev, study.params
    verdicts = search(dev, "declared", params, slow=study.slow)
    verdict = verdicts.get(None)
    if verdict is None:
        plain = _plainest(dev.grid("declared"), params)
        reason = f"no judged query on dev: the plainest fusion, {plain.describe()}"
        return Frozen(plain, dict.fromkeys(dev.held_out, plain), NOT_APPLICABLE, reason)
    # Where the other folds hold no judged query nothing was learned.
    by_fold = {
        fold: verdicts[fold].chosen if fold in verdicts else _plainest(verdict.points, params)
        for fold in dev.held_out
    }
    reason = search_reason(verdict, params)
    return Frozen(verdict.chosen, by_fold, stability_of(verdict), reason, verdict)


def declared(study: Study) -> Frozen:
    """The configuration in params.yaml, on every fold alike."""
    configuration = declared_configuration(study.params)
    folds = dict.fromkeys(study.dev.held_out, configuration)
    reason = f"declared in params.yaml: {configuration.describe()}"
    return Frozen(configuration, folds, NOT_APPLICABLE, reason)


def kept(study: Study) -> Frozen:
    """The configuration of the ledger's last line for this test set, its folds' too.

    Raises:
        MissingError: no selection was ever opened on this test set.
        ParameterError: the line's configuration needs a branch or a depth that is no more.
    """
    last = last_of(study.ledger, study.test_set)
    if last is None:
        raise MissingError(
            "nothing to keep: no selection was opened on this test set",
            where="data/ledger.jsonl",
            expected=f"a line with test_set {study.test_set[:12]}…",
            next_command="set selection.mode to search or declared, or run rankgate open",
        )
    configuration = _rebuilt(last.configuration, study.params)
    written = last.configuration.get("folds") or {}
    folds = {
        fold: _rebuilt(written.get(str(fold), last.configuration), study.params)
        for fold in study.dev.held_out
    }
    reason = f"kept from the opening of {last.opened_at}: {configuration.describe()}"
    return Frozen(configuration, folds, NOT_APPLICABLE, reason, kept=last)


MODES: Mapping[str, Callable[[Study], Frozen]] = {
    "search": searched,
    "declared": declared,
    "keep": kept,
}


def stability_of(verdict: Verdict) -> str:
    """Whether the choice is a region of the grid or a lucky point.

    fail: no tied point is stable; unresolved: the best lies on the edge of the grid;
    not_applicable: the grid is one point.
    """
    if len(verdict.points) == 1:
        return NOT_APPLICABLE
    if not verdict.firm.any():
        return "fail"
    return "unresolved" if verdict.edges else "pass"


def _plainest(points: Sequence[Configuration], params: Params) -> Configuration:
    """What to fuse with while nothing is known: unweighted RRF, k = 60, over all branches.

    The simplest point alone would leave branches out where there are more than two. A grid
    without RRF has its own simplest point.
    """
    if "rrf" not in params.sweep.methods:
        return by_simplicity(points)[0]
    depths = depths_at(params, max(params.sweep.depths))
    return Configuration.of(
        "rrf",
        weights=dict.fromkeys(params.fused_branches, 1.0),
        depths={name: depths[name] for name in params.fused_branches},
    )


def _rebuilt(written: Mapping[str, Any], params: Params) -> Configuration:
    configuration = Configuration.of(
        written["method"],
        rank_constant=written.get("rank_constant"),
        weights=written["weights"],
        depths=written["depths"],
    )
    for name, depth in configuration.depths:
        branch = params.candidates.get(name)
        if branch is None or branch.depth < depth:
            raise ParameterError(
                "the kept configuration cannot be served any more",
                where=f"candidates.{name}",
                found="no such branch" if branch is None else f"depth {branch.depth}",
                expected=f"depth {depth} or more",
            )
    return configuration
