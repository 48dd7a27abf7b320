"""Appends measured times to the record, and says when an unattended run needs them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from assets.artifacts import ARTIFACTS, stored
from assets.folder import StudyFolder
from assets.records import TIMES
from pipeline.appending import append_lines, refuse_torn
from pipeline.operations.latency import present_timings
from pipeline.params import Params
from pipeline.statistics.percentiles import calls_needed, percentile
from pipeline.stopwatch import Amount, measure
from pipeline.stopwatch.measurement import steps
from pipeline.systems import SELECTED
from pipeline.times import END_TO_END, Timing, parse_times
from pipeline.times.current import branch_contracts, of_these_branches

SHOWN = (50, 95, 99)

Progress = Callable[[int], None]


def amount_for(params: Params) -> Amount:
    """How much is measured: enough for the percentiles of the declared limits."""
    amount, limit = Amount(), params.decision.latency
    if limit is None:
        return amount
    needed = calls_needed(limit.percentile)
    if limit.callers == 1:
        amount = replace(amount, calls=max(amount.calls, needed))
    else:
        amount = replace(amount, loaded=max(amount.loaded, needed))
    cold = 0 if limit.cold is None else calls_needed(limit.cold.percentile)
    return replace(amount, cold=max(amount.cold, cold))


def measuring_steps(folder: StudyFolder, amount: Amount) -> int:
    """How many steps `measure_times` reports as progress.

    Raises:
        ParameterError: every branch is recorded.
    """
    return steps(stored(folder, "selection"), folder.params, amount)


def measure_times(
    folder: StudyFolder, *, amount: Amount | None = None, progress: Progress = lambda _: None
) -> list[Timing]:
    """Times every branch and the stored selection, and appends the lines to `data/times.jsonl`.

    Args:
        folder: a study whose `snapshot` and `selection` are there.
        amount: how much is measured; see `amount_for`.
        progress: told how many steps are done.

    Returns:
        What was measured.

    Raises:
        RankgateError: as `pipeline.stopwatch.measure`; an input is not there.
    """
    refuse_torn(folder.root / TIMES)  # before minutes of measuring, not after them
    vectors = {name: ARTIFACTS["vectors"].read(folder, name) for name in folder.params.candidates}
    timings = measure(
        documents=stored(folder, "documents"),
        queries=stored(folder, "queries"),
        vectors={name: made for name, made in vectors.items() if made is not None},
        selection=stored(folder, "selection"),
        params=folder.params,
        measured_at=datetime.now(UTC).isoformat(timespec="seconds"),
        amount=amount or amount_for(folder.params),
        progress=progress,
        cache=folder.cache,
    )
    append_lines(folder.root / TIMES, (timing.line() for timing in timings))
    return timings


def lacks_times(folder: StudyFolder) -> bool:
    """Whether a latency limit is declared and the record has too few times of the selection.

    A selection with a recorded branch cannot be timed here and lacks nothing.

    Raises:
        RankgateError: an input is not there, or the record contradicts itself.
    """
    limit = folder.params.decision.latency
    chosen = stored(folder, "selection")["configuration"]
    if limit is None or chosen is None:
        return False
    if any(folder.params.candidates[name].kind == "recorded" for name in chosen["weights"]):
        return False
    contracts = branch_contracts(stored(folder, "documents"), folder.params)
    timings = of_these_branches(parse_times(stored(folder, "times")), contracts)
    known = {
        (one.mode, one.callers): len(one.calls_ms)
        for one in present_timings(timings, chosen["id"], branches=())
        if one.component == END_TO_END
    }
    wanted = {("warm", limit.callers): limit.percentile}
    if limit.cold is not None:
        wanted["cold", 1] = limit.cold.percentile
    return any(known.get(how, 0) < calls_needed(share) for how, share in wanted.items())


def times_lines(timings: Sequence[Timing]) -> list[str]:
    """What was measured, as a table; a percentile that needs more calls is left empty.

    Of the selected configuration every component, of other systems the whole.
    """
    heads = ["system", "component", "mode", "callers", "calls", *(f"p{one} ms" for one in SHOWN)]
    return [_aligned(row) for row in [heads, *_rows(timings)]]


def _rows(timings: Sequence[Timing]) -> Iterator[list[str]]:
    for one in timings:
        if one.component != END_TO_END and (one.system, one.callers) != (SELECTED, 1):
            continue
        figures = [_at(one, share) for share in SHOWN]
        yield [
            one.system,
            one.component,
            one.mode,
            str(one.callers),
            str(len(one.calls_ms)),
            *figures,
        ]


def work_lines(timings: Sequence[Timing]) -> list[str]:
    """What a query asked for, in means: one line for each system."""
    lines = []
    for one in timings:
        if one.work is None or (one.mode, one.callers) != ("warm", 1):
            continue
        asked, calls = one.work, len(one.calls_ms)
        lines.append(
            f"{one.system}: {sum(asked.requests.values()) / calls:g} requests, "
            f"{asked.candidates / calls:.4g} candidates, {asked.documents / calls:.3g} documents, "
            f"{asked.context_tokens / calls:.4g} context tokens per query; "
            f"{asked.partial} of {calls} answers in part"
        )
    return lines


def _at(timing: Timing, share: int) -> str:
    calls = timing.calls_ms
    return f"{percentile(calls, share):.2f}" if len(calls) >= calls_needed(share) else "-"


def _aligned(row: Sequence[str]) -> str:
    system, component, mode, *figures = row
    return f"{system:<16} {component:<16} {mode:<5}" + "".join(f" {one:>8}" for one in figures)
