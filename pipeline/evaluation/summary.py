"""What a one-screen reader, `dvc metrics` and the later stages want of an evaluation."""

from collections.abc import Mapping, Sequence

import polars as pl

from pipeline.evaluation.ablations import STARTING
from pipeline.evaluation.figures import Evaluated, Figures, part_figures
from pipeline.evaluation.outlook import test_outlook
from pipeline.evaluation.part import World
from pipeline.params import Params
from pipeline.parts import DEV, TEST
from pipeline.seal import Seal

COLUMNS = (
    "split",
    "system",
    "role",
    "value",
    "delta",
    "low",
    "high",
    "wins",
    "losses",
    "ties",
    "queries",
)


def summarise(
    evaluated: Sequence[Evaluated],
    world: World,
    seal: Seal,
    *,
    splits: pl.DataFrame,
    sweep: Figures,
    params: Params,
) -> dict[str, object]:
    """The summary: flat, stable keys, numbers at the leaves; no test figure while sealed.

    Args:
        evaluated: the parts that may be looked at.
        world: what is the same for all of them; it tells the branches' own query states.
        seal: the state of the test.
        splits: SPLITS.
        sweep: what is said of the sweep.
        params: the study's parameters.

    Returns:
        `sealed, opening, alpha` (the test's level, also of an opening to come), `measure`,
        `dev` and, once opened, `test` (see `part_figures`; while sealed, `test_outlook`);
        `sweep`; `branches.NAME.STATUS`: queries; `table`.
    """
    figures: dict[str, Figures] = {
        one.part.split: part_figures(one, world.documents, world.pool, params) for one in evaluated
    }
    if seal.sealed:
        dev = next(one for one in evaluated if one.part.split == DEV)
        figures[TEST] = test_outlook(dev, splits, world.pool, alpha=seal.test_alpha, params=params)
    return {
        "sealed": seal.sealed,
        "opening": seal.opening,
        "alpha": seal.test_alpha,
        "measure": params.selection.measure,
        **figures,
        "sweep": sweep,
        "branches": _branch_states(world.candidate_queries),
        "table": _table(evaluated, params.selection.measure),
    }


def _branch_states(candidate_queries: pl.DataFrame) -> dict[str, dict[str, int]]:
    counts = candidate_queries.group_by("branch", "status").len().sort("branch", "status")
    found: dict[str, dict[str, int]] = {}
    for branch, status, count in counts.iter_rows():
        found.setdefault(branch, {})[status] = count
    return found


def _table(evaluated: Sequence[Evaluated], measure: str) -> Mapping[str, object]:
    rows = [row for one in evaluated for row in _rows(one, measure)]
    return {"columns": list(COLUMNS), "rows": rows}


def _rows(one: Evaluated, measure: str) -> list[list[object]]:
    """Systems by role and value; the interval is that of the selected one's difference."""
    compared = one.comparisons.filter((pl.col("measure") == measure) & (pl.col("slice") == ""))
    differences = compared.select(
        pl.col("baseline").alias("system"), "delta", "low", "high", "wins", "losses", "ties"
    )
    shown = (pl.col("measure") == measure) & ~pl.col("system").str.starts_with(STARTING)
    ours = one.systems.filter(shown).drop("low", "high")
    joined = ours.join(differences, on="system", how="left").sort(
        ["value", "system"], descending=[True, False], nulls_last=True
    )
    return [list(row) for row in joined.select(COLUMNS).iter_rows()]
