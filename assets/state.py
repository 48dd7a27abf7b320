"""Where a study stands: what is stale, sealed or unjudged, and what to run next."""

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from assets.artifacts import is_stored, stored
from assets.folder import StudyFolder
from assets.freshness import changes, misrecorded
from assets.making_present import REPRODUCE, making_present
from assets.misrecorded import Misrecorded, mending
from assets.records import Lost, absent_records, lost_records
from pipeline.worksheets import judging_progress

# Stages that only show the decision.
AFTER_DECISION = {"report", "tracking"}


@dataclass(frozen=True, slots=True)
class State:
    """Where a study stands.

    Args:
        study: its name.
        stale: stages whose inputs or outputs changed, as DVC names them.
        word: of the stored decision; None without one.
        opening: which opening of the test set the stored evaluation is; None while sealed.
        unjudged: side to unjudged and all pairs of the pool.
        steps: what the stored decision asks for next.
        lost: records that are missing here and that git has; None where there are none.
        absent: records that are missing here, and in git.
        others: stages that are not stale and were made of other parameters than dvc.lock says, to
            those parameters.
        making: the command that makes stale stages present.
    """

    study: str
    stale: Sequence[str]
    word: str | None
    opening: int | None
    unjudged: dict[str, tuple[int, int]]
    steps: Sequence[str]
    lost: Lost | None = None
    absent: Sequence[Path] = ()
    others: Misrecorded = field(default_factory=dict)
    making: str = REPRODUCE

    @property
    def next_command(self) -> str:
        """What to run next: missing records first, stale stages, then the decision's own steps."""
        if self.lost is not None:
            return self.lost.command
        if self.absent:  # DVC would only say "No such file or directory"
            return f"touch {shlex.join(map(str, self.absent))}"
        if self.others:
            return f"{mending(self.others)}, then dvc repro"
        if self.stale or self.word is None:
            return self.making
        return self.steps[0] if self.steps else "rankgate decide"

    def lines(self) -> Iterator[str]:
        """The state as a person reads it, one line each."""
        yield f"study     {self.study}"
        yield f"stale     {', '.join(self.stale) or 'nothing'}"
        if self.others:
            told = ", ".join(f"{name} ({', '.join(of)})" for name, of in self.others.items())
            yield f"not used  {told}: what dvc.lock says of these parameters"
        earlier = self.word is not None and {*self.stale, *self.others} - AFTER_DECISION
        yield f"decision  {self.word or 'none yet'}{' (of earlier inputs)' if earlier else ''}"
        yield f"test      {'sealed' if self.opening is None else f'opened, as no. {self.opening}'}"
        for side, (unjudged, pairs) in self.unjudged.items():
            share = unjudged / pairs if pairs else 0.0
            yield f"unjudged  {side}: {unjudged} of {pairs} pairs of the pool ({share:.0%})"
        if self.lost is not None:
            yield f"lost      {', '.join(self.lost.shown)}: missing here, and git has it"
        if self.absent:
            yield f"missing   {', '.join(map(str, self.absent))}: neither here nor in git"
        yield f"next      {self.next_command}"


def state_of(folder: StudyFolder) -> State:
    """Reads where a study stands; what is not there yet is told as such.

    Raises:
        RankgateError: DVC cannot tell what is stale, or a stored output is unreadable.
    """
    study = folder.params.study  # first: what is wrong with params.yaml DVC tells less well
    decision = _if_there(folder, "decision") or {}
    summary = _if_there(folder, "evaluation_summary") or {}
    lost = lost_records(folder)
    changed = changes(folder)
    stale = sorted(changed)
    return State(
        study=study,
        stale=stale,
        word=decision.get("word"),
        opening=summary.get("opening"),
        unjudged=_unjudged(folder),
        steps=decision.get("next", []),
        lost=lost,
        absent=absent_records(folder, lost),
        others=misrecorded(folder, stale),
        making=making_present(folder, changed),
    )


def _unjudged(folder: StudyFolder) -> dict[str, tuple[int, int]]:
    pool = _if_there(folder, "pool")
    splits = _if_there(folder, "splits")
    if not isinstance(pool, pl.DataFrame) or not isinstance(splits, pl.DataFrame):
        return {}
    rows = judging_progress(pool, splits).select("split", "unjudged", "pairs").iter_rows()
    return {side or "no side": (unjudged, pairs) for side, unjudged, pairs in rows}


def _if_there(folder: StudyFolder, name: str) -> Any:
    return stored(folder, name) if is_stored(folder, name) else None
