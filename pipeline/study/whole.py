"""A bare study from a collection to a decision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.collection import Collection
from pipeline.decision import DecisionResult
from pipeline.evaluation import Evaluation
from pipeline.operations import Operations
from pipeline.params import Params
from pipeline.selection import Selection
from pipeline.study.prepared import Prepared, prepare
from pipeline.study.stages import decide, evaluate, opened, operate, select, sweep
from pipeline.sweep import Sweep


@dataclass(frozen=True, slots=True)
class Study:
    """Every stage's result, by the stage's name."""

    prepared: Prepared
    sweep: Sweep
    selection: Selection
    evaluation: Evaluation
    operations: Operations
    decision: DecisionResult


def run_study(
    collection: Collection, params: Params, *, times: Sequence[Mapping[str, Any]] = ()
) -> Study:
    """From a collection to a decision.

    Args:
        collection: see `read_collection` and `collection_from_files`.
        params: all parameters.
        times: lines of a times record, for the latency gate.

    Returns:
        Every stage's result.

    Raises:
        RankgateError: whatever a stage refuses.
    """
    return run_prepared(prepare(collection, params), params, times=times)


def run_prepared(
    prepared: Prepared, params: Params, *, times: Sequence[Mapping[str, Any]] = ()
) -> Study:
    """The rest of a study, from the sweep to the decision.

    Args:
        prepared: as from `prepare`, with sides of the caller's choice.
        params: all parameters.
        times: as for `run_study`.
    """
    swept = sweep(prepared, params)
    selected = select(prepared, swept, params, times=times)
    ledger = opened(selected)
    evaluated = evaluate(prepared, swept, selected, params, ledger=ledger)
    operated = operate(prepared, swept, selected, evaluated, params, ledger=ledger, times=times)
    decided = decide(prepared, selected, evaluated, operated, params)
    return Study(prepared, swept, selected, evaluated, operated, decided)
