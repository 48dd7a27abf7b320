"""Appends measured times to the record, and says when an unattended run needs them."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import polars as pl

from assets.artifacts import ARTIFACTS
from assets.folder import StudyFolder
from assets.records import TIMES
from pipeline.operations.latency import branch_contracts, latency_table
from pipeline.params import Params
from pipeline.statistics.percentiles import calls_needed, percentile
from pipeline.storage import append_lines
from pipeline.systems import SELECTED
from pipeline.times import Timing, parse_times
from pipeline.times.measurement import CALLS, measure

SHOWN = (50, 95, 99)


def calls_for(params: Params) -> int:
    """How many warm calls are made: enough for the declared limit's percentile."""
    limit = params.decision.latency
    return CALLS if limit is None else max(CALLS, calls_needed(limit.percentile))


def measure_times(folder: StudyFolder, *, calls: int | None = None) -> list[Timing]:
    """Times every branch and the stored selection, and appends the lines to `data/times.jsonl`.

    Args:
        folder: a study whose `snapshot` and `selection` are there.
        calls: warm calls of each system; see `calls_for`.

    Returns:
        What was measured.

    Raises:
        RankgateError: as `pipeline.times.measurement.measure`; an input is not there.
    """
    vectors = {name: ARTIFACTS["vectors"].read(folder, name) for name in folder.params.candidates}
    timings = measure(
        documents=_stored(folder, "documents"),
        queries=_stored(folder, "queries"),
        vectors={name: made for name, made in vectors.items() if made is not None},
        selection=_stored(folder, "selection"),
        params=folder.params,
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        calls=calls or calls_for(folder.params),
        cache=folder.cache,
    )
    append_lines(folder.root / TIMES, (timing.line() for timing in timings))
    return timings


def lacks_times(folder: StudyFolder) -> bool:
    """Whether a latency limit is declared and the record has no time of the stored selection.

    A selection with a recorded branch cannot be timed here and lacks nothing.

    Raises:
        RankgateError: an input is not there, or the record contradicts itself.
    """
    limit = folder.params.decision.latency
    chosen = _stored(folder, "selection")["configuration"]
    if limit is None or chosen is None:
        return False
    if any(folder.params.candidates[name].kind == "recorded" for name in chosen["weights"]):
        return False
    contracts = branch_contracts(_stored(folder, "documents"), folder.params)
    known = latency_table(parse_times(_stored(folder, "times")), contracts, chosen["id"])
    wanted = (pl.col("system") == SELECTED) & (pl.col("percentile") == limit.percentile)
    return known.filter(wanted).is_empty()


def times_text(timings: Sequence[Timing]) -> str:
    """What was measured, as a small table; a percentile that needs more calls is left empty."""
    heads = [f"p{share} ms" for share in SHOWN]
    rows = [["system", "mode", "calls", *heads]]
    for one in timings:
        calls = [_at(one, share) for share in SHOWN]
        rows.append([one.system, one.mode, str(len(one.calls_ms)), *calls])
    return "\n".join(_aligned(row) for row in rows)


def _at(timing: Timing, share: int) -> str:
    calls = timing.calls_ms
    return f"{percentile(calls, share):.2f}" if len(calls) >= calls_needed(share) else "-"


def _aligned(row: Sequence[str]) -> str:
    system, mode, *figures = row
    return f"{system:<24} {mode:<5}" + "".join(f" {figure:>9}" for figure in figures)


def _stored(folder: StudyFolder, name: str) -> Any:
    return ARTIFACTS[name].read(folder, None)
