"""What serving takes: time, ratios of it, work, and what each depth costs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.operations.cost import cost_table
from pipeline.operations.depths import depths_table
from pipeline.operations.latency import latency_table, missing_times, present_timings
from pipeline.operations.latency_ratios import latency_ratios
from pipeline.operations.recorded_latency import recorded_latencies
from pipeline.operations.served import Served
from pipeline.params import Params
from pipeline.tables import RECORDED_TIMES
from pipeline.times import END_TO_END, Timing, parse_times
from pipeline.times.current import branch_contracts, of_these_branches


@dataclass(frozen=True, slots=True)
class Service:
    """What serving the selected configuration takes.

    Args:
        latency: LATENCY.
        ratios: LATENCY_RATIOS.
        cost: COST.
        depths: DEPTHS.
        missing: why the selected configuration has no times; None where it has.
    """

    latency: pl.DataFrame
    ratios: pl.DataFrame
    cost: pl.DataFrame
    depths: pl.DataFrame
    missing: str | None

    def summary(self) -> dict[str, object]:
        """End to end and ratios, and why there are none."""
        whole = self.latency.filter(pl.col("component") == END_TO_END)
        return {
            "latency": whole.to_dicts(),
            "latency_ratios": self.ratios.to_dicts(),
            "latency_missing": self.missing,
        }


def serving(
    served: Served, times: Sequence[Mapping[str, Any]], recorded_times: pl.DataFrame | None
) -> Service:
    """Reads the times record and the recorded runs' own milliseconds, and counts the work.

    Args:
        served: what is served; what depth buys is measured on its dev side.
        times: the lines of the times record, in its order.
        recorded_times: RECORDED_TIMES; None where no run says any.

    Raises:
        RecordError: a line of the record is not a timing.
    """
    selection, params = served.selection, served.params
    record = parse_times(times)
    contracts = branch_contracts(served.documents, params) if record else {}
    timings = of_these_branches(record, contracts)
    chosen = selection.get("configuration")
    present = _present(timings, chosen, params)
    said = recorded_latencies(
        RECORDED_TIMES.empty() if recorded_times is None else recorded_times, selection
    )
    alpha = params.evaluation.alpha
    latency = latency_table(present, said, alpha=alpha)
    return Service(
        latency=latency,
        ratios=latency_ratios(present, said, alpha=alpha, seed=params.seed),
        cost=cost_table(served, present),
        depths=depths_table(served, timings),
        missing=missing_times(latency, record, selection, params),
    )


def _present(
    timings: Sequence[Timing], chosen: Mapping[str, Any] | None, params: Params
) -> list[Timing]:
    configuration = None if chosen is None else str(chosen["id"])
    return present_timings(timings, configuration, branches=list(params.candidates))
