"""What the systems of a study are worth, as a small table for the terminal."""

from collections.abc import Iterator, Sequence

import polars as pl

from pipeline.params import Params

# Systems that somebody could run or would compare with; ablations and diagnostics are for the page.
SHOWN = ("branch", "baseline", "comparator", "selected")
MEASURES = 4  # what fits into a line of a terminal
HELD_OUT = ("test", "crossfit")


def values_lines(systems: pl.DataFrame, params: Params) -> list[str]:
    """One line for each system, best first; one column for each of the first measures.

    Args:
        systems: SYSTEMS.
        params: `selection.measure` is the first column, then `evaluation.measures` in order.

    Returns:
        Means over the held-out queries, where there are any, else over dev; empty without a
        value.
    """
    split = next((s for s in (*HELD_OUT, "dev") if s in set(systems["split"])), None)
    rows = systems.filter((pl.col("split") == split) & pl.col("role").is_in(SHOWN))
    known = set(rows.drop_nulls("value")["measure"])
    wanted = dict.fromkeys([params.selection.measure, *params.evaluation.measures])
    measures = [one for one in wanted if one in known][:MEASURES]
    if not measures:
        return []
    return list(_lines(rows, measures, str(split)))


def _lines(rows: pl.DataFrame, measures: Sequence[str], split: str) -> Iterator[str]:
    wide = (
        rows.filter(pl.col("measure").is_in(measures))
        .sort("system", "measure")
        .pivot(on="measure", index=["system", "role"], values="value")
        .sort(measures[0], "system", descending=[True, False], nulls_last=True)
    )
    counted = max(rows.filter(pl.col("measure") == measures[0])["queries"].to_list())
    width = max(len("system"), *(len(name) for name in wide["system"]))
    heads = "".join(f"  {one:>{max(6, len(one))}}" for one in measures)
    yield f"{'system':<{width}}  {'role':<10}{heads}   ({counted} {split} queries)"
    for row in wide.iter_rows(named=True):
        values = "".join(f"  {_figure(row[one]):>{max(6, len(one))}}" for one in measures)
        yield f"{row['system']:<{width}}  {row['role']:<10}{values}"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.4f}"
