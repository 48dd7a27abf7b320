"""The lines of `data/times.jsonl`: what was measured, of what, on which machine."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pipeline.errors import RecordError
from pipeline.times.components import END_TO_END, is_component
from pipeline.times.work import Work, parse_work

Mode = Literal["warm", "cold"]
MODES: tuple[Mode, ...] = ("warm", "cold")

# Keys that lines of earlier versions do not have. Those timed one caller, the branches one after
# the other, nothing fetched; what was a part of a system stood in its name, after a colon.
LATER = ("component", "callers", "depths", "session", "work")


@dataclass(frozen=True, slots=True)
class Timing:
    """One line: one component of one system's calls, in one mode.

    Args:
        system: a branch served alone; `selected`; or `selected@DEPTH`, that fusion with its
            branches cut to a depth.
        mode: `warm`, or `cold`: each call the first of a fresh process.
        calls_ms: each call, in milliseconds, in order.
        contracts: branch to contract digest, of every branch that took part.
        configuration: id of the fused configuration; None for a branch.
        machine: what it ran on.
        versions: of the packages that did the work.
        measured_at: ISO 8601.
        component: see `pipeline.times.components`.
        callers: how many asked at the same time.
        depths: branch to the depth it was asked for; empty in lines of earlier versions.
        session: the same in all lines of one run of `rankgate time`: within it, the calls of two
            systems at one place are of the same query, one right after the other.
        work: what the calls asked for together; stands with `end_to_end`.
    """

    system: str
    mode: str
    calls_ms: tuple[float, ...]
    contracts: Mapping[str, str]
    configuration: str | None
    machine: Mapping[str, Any]
    versions: Mapping[str, str]
    measured_at: str
    component: str = END_TO_END
    callers: int = 1
    depths: Mapping[str, int] = field(default_factory=dict)
    session: str = ""
    work: Work | None = None

    @property
    def run(self) -> str:
        """What tells this run of `rankgate time` from others."""
        return self.session or self.measured_at

    def line(self) -> dict[str, Any]:
        """The line as it stands in the record."""
        return {
            "system": self.system,
            "component": self.component,
            "mode": self.mode,
            "callers": self.callers,
            "calls": len(self.calls_ms),
            "calls_ms": list(self.calls_ms),
            "contracts": dict(self.contracts),
            "configuration": self.configuration,
            "depths": dict(self.depths),
            "work": None if self.work is None else self.work.line(),
            "machine": dict(self.machine),
            "versions": dict(self.versions),
            "measured_at": self.measured_at,
            "session": self.session,
        }


def parse_times(
    lines: Iterable[Mapping[str, Any]], *, where: object = "data/times.jsonl"
) -> list[Timing]:
    """Timings from the lines of the record, in its order, those of earlier versions too.

    Raises:
        RecordError: a line lacks a key or holds one too many, its mode or component is unknown,
            its calls are not that many times, or its counts are none.
    """
    return [_timing(line, f"{where}:{number}") for number, line in enumerate(lines, start=1)]


def _timing(line: Mapping[str, Any], where: str) -> Timing:
    keys = {*Timing.__dataclass_fields__, "calls"}
    if not keys - set(LATER) <= set(line) <= keys:
        raise RecordError(
            "not a timing", where=where, found=sorted(line), expected=", ".join(sorted(keys))
        )
    values = {key: line[key] for key in Timing.__dataclass_fields__ if key in line}
    if "component" not in line:
        system, _, part = str(line["system"]).partition(":")
        values |= {"system": system, "component": part or END_TO_END}
    _refuse_strange(values, where)
    _refuse_untimely(line, where)
    values["work"] = _work(line.get("work"), where)
    return Timing(**{**values, "calls_ms": tuple(map(float, line["calls_ms"]))})


def _refuse_strange(values: Mapping[str, Any], where: str) -> None:
    if values["mode"] not in MODES:
        raise RecordError(
            "unknown mode", where=where, found=values["mode"], expected=" or ".join(MODES)
        )
    if not is_component(str(values["component"])):
        raise RecordError("unknown component", where=where, found=values["component"])
    callers = values.get("callers", 1)
    if type(callers) is not int or callers < 1:
        raise RecordError(
            "not a number of callers", where=where, found=callers, expected="1 or more"
        )


def _work(said: object, where: str) -> Work | None:
    work = parse_work(said)
    if said is not None and work is None:
        expected = ", ".join(Work.__dataclass_fields__)
        raise RecordError("work is not counted", where=where, found=said, expected=expected)
    return work


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
