"""Replay: A's configuration on B's candidates and judgments, beside B's own."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.choices import final_choice
from pipeline.comparing.paired import Paired, pair
from pipeline.comparing.view import StudyView
from pipeline.errors import ParameterError, RankgateError
from pipeline.evaluation.split_values import measure_names, per_query_values
from pipeline.fusion import Configuration
from pipeline.parts import DEV, TEST, Part
from pipeline.systems import SELECTED, System, rank_systems

REPLAYED = "replayed"


@dataclass(frozen=True, slots=True)
class Replay:
    """What a replay says.

    Args:
        side: dev, or test where B has opened it.
        configuration: A's, in words.
        own: B's, in words.
        pairs: each measure of B, its primary one first; `a` is A's configuration, `b` B's own,
            both on B's candidates and judgments.
        seen_by_a: how many of the compared queries A chose its configuration on.
        seen_by_b: likewise B.
    """

    side: str
    configuration: str
    own: str
    pairs: Sequence[Paired]
    seen_by_a: int
    seen_by_b: int

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "side": self.side,
            "a": self.configuration,
            "b": self.own,
            "pairs": [one.record() for one in self.pairs],
            "seen_by_a": self.seen_by_a,
            "seen_by_b": self.seen_by_b,
        }


def replay(a: StudyView, b: StudyView) -> Replay:
    """Ranks B's candidates with A's configuration and contract, and pairs it with B's own.

    Args:
        a: whose configuration is replayed, with the fixed part of its fusion contract.
        b: whose candidates, judgments, groups and measures are taken.

    Raises:
        RankgateError: one of them selected nothing.
        ParameterError: A's configuration needs a branch or a depth that B has not.
    """
    theirs, ours = _selected(a), _selected(b)
    refuse_unserved(theirs, b)
    part = b.part(DEV if b.seal.sealed else TEST)
    system = System(REPLAYED, "configuration", theirs)
    lists = rank_systems([system], b.read("candidates"), a.params.fusion)
    before = per_query_values(lists, [REPLAYED], part, b.params)
    stored = b.read("per_query").filter(
        (pl.col("split") == part.split) & (pl.col("system") == SELECTED)
    )
    pairs = [
        pair(_of(before, name), _of(stored, name), b, system=SELECTED, measure=name)
        for name in measure_names(b.params)
    ]
    return Replay(
        side=part.split,
        configuration=theirs.describe(),
        own=ours.describe(),
        pairs=pairs,
        seen_by_a=len(_chosen_on(a) & set(part.ranked)),
        seen_by_b=_seen_by_itself(b, part),
    )


def refuse_unserved(configuration: Configuration, b: StudyView) -> None:
    """Refuses a configuration that a study's candidates cannot serve.

    Raises:
        ParameterError: a branch that is not there, or is not retrieved so deep.
    """
    for name, depth in configuration.depths:
        branch = b.params.candidates.get(name)
        if branch is None or branch.depth < depth:
            raise ParameterError(
                "A's configuration cannot be replayed here",
                where=f"{b.name}: candidates.{name}",
                found="no such branch" if branch is None else f"depth {branch.depth}",
                expected=f"depth {depth} or more",
                next_command=f"declare the branch so in {b.name}, then dvc repro",
            )


def _selected(view: StudyView) -> Configuration:
    chosen = final_choice(view.read("selection")).selected
    if chosen is None:
        raise RankgateError(
            "no configuration was selected", where=view.name, next_command="rankgate status"
        )
    return chosen


def _of(values: pl.DataFrame, measure: str) -> pl.DataFrame:
    return values.filter(pl.col("measure") == measure).select("query_id", "value")


def _chosen_on(view: StudyView) -> set[str]:
    """The queries whose labels its choice could see."""
    splits: pl.DataFrame = view.read("splits")
    return set(splits.filter(pl.col("split").is_in(["dev", "crossfit"]))["query_id"])


def _seen_by_itself(b: StudyView, part: Part) -> int:
    # Under crossfit the held-out values of a query come from a choice made without it.
    return len(part.ranked) if part.split == DEV else 0
