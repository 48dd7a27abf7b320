"""The lines of `data/times.jsonl`: what was measured, of what, on which machine."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.errors import RecordError
from pipeline.systems import SELECTED

# A part of the selected system; a branch's name holds no colon.
FUSION = f"{SELECTED}:fusion"

MODES = ("warm", "cold")


@dataclass(frozen=True, slots=True)
class Timing:
    """One line: the calls of one system in one mode.

    Args:
        system: a branch, `selected` (end to end) or `selected:fusion` (that part of it).
        mode: `warm`, or `cold`: each call the first of a fresh process.
        calls_ms: each call, in milliseconds, in order.
        contracts: branch to contract digest, of every branch that took part.
        configuration: id of the selected configuration; None for a branch.
        machine: what it ran on.
        versions: of the packages that did the work.
        measured_at: ISO 8601.
    """

    system: str
    mode: str
    calls_ms: tuple[float, ...]
    contracts: Mapping[str, str]
    configuration: str | None
    machine: Mapping[str, Any]
    versions: Mapping[str, str]
    measured_at: str

    def line(self) -> dict[str, Any]:
        """The line as it stands in the record."""
        return {
            "system": self.system,
            "mode": self.mode,
            "calls": len(self.calls_ms),
            "calls_ms": list(self.calls_ms),
            "contracts": dict(self.contracts),
            "configuration": self.configuration,
            "machine": dict(self.machine),
            "versions": dict(self.versions),
            "measured_at": self.measured_at,
        }


def parse_times(
    lines: Iterable[Mapping[str, Any]], *, where: object = "data/times.jsonl"
) -> list[Timing]:
    """Timings from the lines of the record, in its order.

    Raises:
        RecordError: a line lacks a key or holds one too many, its mode is unknown, or its calls
            are not that many times.
    """
    return [_timing(line, f"{where}:{number}") for number, line in enumerate(lines, start=1)]


def _timing(line: Mapping[str, Any], where: str) -> Timing:
    keys = {*Timing.__dataclass_fields__, "calls"}
    if set(line) != keys:
        raise RecordError(
            "not a timing", where=where, found=sorted(line), expected=", ".join(sorted(keys))
        )
    if line["mode"] not in MODES:
        raise RecordError(
            "unknown mode", where=where, found=line["mode"], expected=" or ".join(MODES)
        )
    _refuse_untimely(line, where)
    fields = {key: line[key] for key in Timing.__dataclass_fields__}
    return Timing(**{**fields, "calls_ms": tuple(map(float, line["calls_ms"]))})


def _refuse_untimely(line: Mapping[str, Any], where: str) -> None:
    calls = line["calls_ms"]
    timely = isinstance(calls, list) and all(
        isinstance(one, int | float) and math.isfinite(one) and one >= 0 for one in calls
    )
    if not timely or len(calls) != line["calls"] or not calls:
        raise RecordError(
            "calls are not times",
            where=where,
            found=f"calls {line['calls']!r} beside calls_ms of {type(calls).__name__}",
            expected="calls_ms: that many milliseconds, at least one",
        )
