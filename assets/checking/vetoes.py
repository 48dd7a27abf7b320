"""Slices that may veto: can their tolerances be resolved?"""

import math
from collections.abc import Iterator, Mapping

import polars as pl

from assets.checking.findings import Finding
from assets.checking.spread import Spread, spread_of
from pipeline.collection import Collection
from pipeline.gates.interval import GROUPS
from pipeline.ledger import TESTED
from pipeline.params import Params
from pipeline.query_states import RANKED
from pipeline.splits import Splits
from pipeline.statistics.power import smallest_detectable
from pipeline.systems import PRODUCTION, SELECTED


def veto_findings(
    collection: Collection,
    ranked: pl.DataFrame,
    values: Mapping[str, pl.DataFrame],
    splits: Splits,
    alpha: float,
    params: Params,
) -> Iterator[Finding]:
    """Whether a configuration that loses nothing on such a slice would pass.

    Args:
        collection: its queries name their slices.
        ranked: `query_id, group_id, split, state`.
        values: system to its stored dev values, where there are any.
        splits: the query groups.
        alpha: one-sided level of the next opening.
        params: `decision.slices`, and the least number of queries.
    """
    values = _compared(values)
    tested = ranked.filter((pl.col("state") == RANKED) & pl.col("split").is_in(TESTED))
    for name, veto in sorted(params.decision.slices.items()):
        named = pl.col("slices").list.contains(name).fill_null(value=False)
        members = collection.queries.filter(named)["query_id"].to_list()
        inside = tested.filter(pl.col("query_id").is_in(members))
        groups, start = inside["group_id"].n_unique(), f"decision.slices.{name}"
        if inside.height < params.evaluation.slices.minimum:
            text = f"{inside.height} test queries; below {params.evaluation.slices.minimum}"
            yield Finding("warning", f"{start}: {text} (evaluation.slices.minimum) it cannot pass")
        elif groups < GROUPS:
            text = f"{groups} groups are tested; an interval gate needs {GROUPS} to pass"
            yield Finding("warning", f"{start}: {text}")
        else:
            spread = spread_of(values, splits, within=members)
            yield _slice(start, groups, spread, alpha, veto.tolerance)


def _compared(values: Mapping[str, pl.DataFrame]) -> Mapping[str, pl.DataFrame]:
    """The selected system, and what the gate compares it with: production, else the best branch."""
    rivals = {name: rows for name, rows in values.items() if name != SELECTED}
    best = max(sorted(rivals), key=lambda name: _mean(rivals[name]), default=None)
    kept = {SELECTED, PRODUCTION if PRODUCTION in rivals else best}
    return {name: rows for name, rows in values.items() if name in kept}


def _mean(rows: pl.DataFrame) -> float:
    return float(rows["value"].to_numpy().mean())


def _slice(start: str, groups: int, spread: Spread, alpha: float, tolerance: float) -> Finding:
    effect = smallest_detectable(spread.deviation / math.sqrt(groups), groups, alpha) or 0.0
    with_groups = f"{start}: with {groups} groups at level {alpha:.4g}"
    if effect <= tolerance:
        text = f"{with_groups} no loss passes the tolerance {tolerance:g} in 80 % of studies"
        return Finding("fact", f"{text} ({spread.source})")
    needed = math.ceil(groups * (effect / tolerance) ** 2) if tolerance else None
    step = f"; about {needed} groups would" if needed else ""
    text = (
        f"{with_groups} the tolerance {tolerance:g} will hardly be resolved: without any loss there"
        f" it passes in fewer than 80 % of studies{step} ({spread.source})"
    )
    return Finding("warning", text)
