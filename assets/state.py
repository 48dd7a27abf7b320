"""Where a study stands: what is stale, sealed or unjudged, and what to run next."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.artifacts import ARTIFACTS
from assets.folder import StudyFolder
from assets.freshness import stale_stages
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
    """

    study: str
    stale: Sequence[str]
    word: str | None
    opening: int | None
    unjudged: dict[str, tuple[int, int]]
    steps: Sequence[str]

    @property
    def next_command(self) -> str:
        """What to run next: stale stages first, then what the decision asks for."""
        if self.stale or self.word is None:
            return "dvc repro"
        return self.steps[0] if self.steps else "rankgate decide"

    def lines(self) -> Iterator[str]:
        """The state as a person reads it, one line each."""
        yield f"study     {self.study}"
        yield f"stale     {', '.join(self.stale) or 'nothing'}"
        earlier = self.word is not None and set(self.stale) - AFTER_DECISION
        yield f"decision  {self.word or 'none yet'}{' (of earlier inputs)' if earlier else ''}"
        yield f"test      {'sealed' if self.opening is None else f'opened, as no. {self.opening}'}"
        for side, (unjudged, pairs) in self.unjudged.items():
            share = unjudged / pairs if pairs else 0.0
            yield f"unjudged  {side}: {unjudged} of {pairs} pairs of the pool ({share:.0%})"
        yield f"next      {self.next_command}"


def state_of(folder: StudyFolder) -> State:
    """Reads where a study stands; what is not there yet is told as such.

    Raises:
        RankgateError: DVC cannot tell what is stale, or a stored output is unreadable.
    """
    decision = _if_there(folder, "decision", "decision/decision.json") or {}
    summary = _if_there(folder, "evaluation_summary", "evaluation/summary.json") or {}
    return State(
        study=folder.params.study,
        stale=stale_stages(folder),
        word=decision.get("word"),
        opening=summary.get("opening"),
        unjudged=_unjudged(folder),
        steps=decision.get("next", []),
    )


def _unjudged(folder: StudyFolder) -> dict[str, tuple[int, int]]:
    pool = _if_there(folder, "pool", "pool/pool.parquet")
    splits = _if_there(folder, "splits", "splits/splits.parquet")
    if not isinstance(pool, pl.DataFrame) or not isinstance(splits, pl.DataFrame):
        return {}
    rows = judging_progress(pool, splits).select("split", "unjudged", "pairs").iter_rows()
    return {side or "no side": (unjudged, pairs) for side, unjudged, pairs in rows}


def _if_there(folder: StudyFolder, name: str, path: str) -> Any:
    return ARTIFACTS[name].read(folder, None) if (folder.data / path).exists() else None
