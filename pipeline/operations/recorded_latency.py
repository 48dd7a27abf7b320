"""The milliseconds that recorded runs bring with them: their own service's, never ours.

They have no bounds. Calls of one moment are alike, so a bound needs the order in which they were
made; a run's lines need not stand in it (answers come as files by query, runs are merged and
sorted), and by the order of ids a busy moment is scattered over all of them and not seen.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.systems import SELECTED
from pipeline.times.components import END_TO_END, RETRIEVAL

# The mode of such times in LATENCY and LATENCY_RATIOS.
RECORDED = "recorded"


@dataclass(frozen=True, slots=True)
class Recorded:
    """One system's recorded milliseconds.

    Args:
        system: a recorded branch, or `selected`.
        component: `end_to_end` of a branch; `retrieval` of the selected fusion.
        queries: ids, sorted; in which order they were asked is not known.
        took_ms: of each.
    """

    system: str
    component: str
    queries: tuple[str, ...]
    took_ms: tuple[float, ...]


def recorded_latencies(times: pl.DataFrame, selection: Mapping[str, Any]) -> list[Recorded]:
    """What each recorded branch took, and how long the selected fusion of them waits at least.

    Branches are asked at the same time, so a fusion waits for its slowest one: that is its
    `retrieval`. What collapse, fusion and fetching add is not in it, for no recorded run says.

    Args:
        times: RECORDED_TIMES.
        selection: selection.json.

    Returns:
        By system; the selected configuration only where all its branches say their time for at
        least one same query.
    """
    branches = [
        _recorded(str(name), END_TO_END, rows)
        for (name,), rows in times.sort("branch", "query_id").group_by(
            ["branch"], maintain_order=True
        )
    ]
    chosen = selection.get("configuration")
    names = [] if chosen is None else sorted(chosen["weights"])
    waited = (
        times.filter(pl.col("branch").is_in(names))
        .group_by("query_id")
        .agg(pl.col("took_ms").max(), said=pl.len())
        .filter(pl.col("said") == len(names))
        .sort("query_id")
    )
    whole = [] if waited.is_empty() else [_recorded(SELECTED, RETRIEVAL, waited)]
    return [*branches, *whole]


def _recorded(system: str, component: str, rows: pl.DataFrame) -> Recorded:
    return Recorded(system, component, tuple(rows["query_id"]), tuple(rows["took_ms"]))
