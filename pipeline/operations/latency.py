"""Percentiles from the times record, for the branches as they are now."""

from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from pipeline.identity import contract_digest, digest
from pipeline.params import Params
from pipeline.statistics.percentiles import calls_needed, percentile
from pipeline.systems import SELECTED
from pipeline.tables import LATENCY
from pipeline.times import FUSION, Timing

PERCENTILES = (50, 90, 95, 99)


def branch_contracts(documents: pl.DataFrame, params: Params) -> dict[str, str]:
    """What each branch is now: times of anything else say nothing of it."""
    searched = digest(documents)
    return {name: contract_digest(one, searched) for name, one in params.candidates.items()}


def latency_table(
    timings: Iterable[Timing], contracts: Mapping[str, str], configuration: str | None
) -> pl.DataFrame:
    """The percentiles that the calls suffice for.

    Args:
        timings: the record, in its order; a later measurement of the same replaces an earlier.
        contracts: branch to contract digest, as they are now; machines are never matched.
        configuration: id of the selected configuration.

    Returns:
        LATENCY: system (a branch, `selected` end to end, or `selected:fusion`), mode,
        percentile, milliseconds, calls.
    """
    latest = {
        (one.system, one.mode): one for one in timings if _is_present(one, contracts, configuration)
    }
    rows = [
        {
            "system": one.system,
            "mode": one.mode,
            "percentile": share,
            "milliseconds": percentile(one.calls_ms, share),
            "calls": len(one.calls_ms),
        }
        for one in latest.values()
        for share in PERCENTILES
        if len(one.calls_ms) >= calls_needed(share)
    ]
    return LATENCY.check(pl.DataFrame(rows, schema=dict(LATENCY.columns)))


def missing_times(
    table: pl.DataFrame, timings: Iterable[Timing], selection: Mapping[str, Any], params: Params
) -> str | None:
    """Why the selected configuration has no times; None where it has."""
    if SELECTED in table["system"]:
        return None
    chosen = selection.get("configuration")
    if chosen is None:
        return "no configuration is selected"
    recorded = sorted(b for b in chosen["weights"] if params.candidates[b].kind == "recorded")
    if recorded:
        return f"{', '.join(recorded)}: a recorded branch cannot be timed on this machine"
    if any(True for _ in timings):
        return "the recorded times are of other branches, documents or another configuration"
    return "no times are recorded"


def _is_present(one: Timing, contracts: Mapping[str, str], configuration: str | None) -> bool:
    same = all(contracts.get(name) == known for name, known in one.contracts.items())
    return same and (one.system not in {SELECTED, FUSION} or one.configuration == configuration)
