"""What a fault is: which calls of a branch it strikes, and what the engine replies then."""

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from pipeline.acceptance import Known, Replies
from pipeline.statistics.seeds import named_generator


@dataclass(frozen=True, slots=True)
class Hit:
    """The healthy replies that a fault spoils.

    Args:
        replies: those of the calls it strikes.
        known: documents, eligibility, snapshot.
        seed: the study's seed.
    """

    replies: Replies
    known: Known
    seed: int


@dataclass(frozen=True, slots=True)
class Fault:
    """One way in which an engine fails.

    Args:
        words: a few words for it, {} the branches.
        happens: what the engine does, in words.
        declared: what must become of it.
        spoil: the replies it gives instead.
        share: the part of a branch's calls that it strikes.
        by_score_only: whether it can befall only branches whose lists are in order of score.
    """

    words: str
    happens: str
    declared: str
    spoil: Callable[[Hit], Replies]
    share: float = 1.0
    by_score_only: bool = False


def inject(
    name: str, fault: Fault, branch: str, replies: Replies, known: Known, *, seed: int
) -> Replies:
    """The replies that a fault makes of a branch's.

    Args:
        name: the fault's name, for its own random numbers.
        fault: the fault.
        branch: the branch that it befalls.
        replies: healthy replies, of any branches.
        known: documents, eligibility, snapshot.
        seed: the study's seed.

    Returns:
        The spoiled replies only: those of the calls struck. Which calls they are depends on
        seed, fault, branch and query ids alone.
    """
    asked = replies.states.filter(pl.col("branch") == branch).select("branch", "query_id")
    if fault.by_score_only and branch not in known.ties:
        asked = asked.clear()
    return fault.spoil(Hit(replies.of(_struck(asked, fault, seed, name, branch)), known, seed))


def _struck(asked: pl.DataFrame, fault: Fault, seed: int, *names: str) -> pl.DataFrame:
    calls = asked.sort("query_id")
    if fault.share >= 1.0:
        return calls
    drawn = named_generator(seed, "fault", *names).random(calls.height)
    return calls.filter(pl.Series(drawn < fault.share))


def no_list(hit: Hit, *, status: str) -> Replies:
    """Replies of nothing, in this state."""
    states = hit.replies.states.with_columns(status=pl.lit(status), returned=pl.lit(0, pl.Int64()))
    return Replies(hit.replies.lists.clear(), states)
