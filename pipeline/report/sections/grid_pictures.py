"""Which pictures a grid gets: a map where it has two axes, profiles where it has more."""

from collections.abc import Iterator

import polars as pl

from pipeline.fusion import METHODS
from pipeline.report.blocks import Chart
from pipeline.report.charts import Spot, Step, heat, profile
from pipeline.report.stored import Stored

WEIGHT, DEPTH = "weight_", "depth_"
READ = (
    "Stronger cells are better; a border marks points tied with the grid's best, the star the "
    "selected configuration."
)
PROFILE = (
    "Bands go from the worst to the best point there; rings mark ties with the grid's best, the "
    "star the selected configuration."
)


def pictures(stored: Stored, points: pl.DataFrame) -> Iterator[Chart]:
    """The pictures of a grid.

    Args:
        stored: what the stages stored.
        points: see `grid_points`.
    """
    branches = [name for name in points.columns if name.startswith(WEIGHT)]
    used = [name for name in branches if points.filter(pl.col(name) > 0).height]
    two = len(used) == 2
    if two:
        yield from _maps(stored, points, used)
    yield from _profiles(stored, points, used if not two else used[:1])
    deep = points.with_columns(pl.max_horizontal(f"^{DEPTH}.*$").alias("depth"))
    if deep["depth"].n_unique() > 1:
        yield _by(stored, deep, "depth", "Depth")
    if points["method"].n_unique() > 1:
        yield _by(stored, points, "method", "Method")


def _maps(stored: Stored, points: pl.DataFrame, used: list[str]) -> Iterator[Chart]:
    reach = _reach(stored, points)
    for (method,), of_method in points.group_by("method", maintain_order=True):
        constants = sorted(of_method["rank_constant"].drop_nulls().unique())
        if len(constants) < 2 or not METHODS[str(method)].takes_weights:
            continue
        best = _best_of_each(stored, of_method, ["rank_constant", used[0]])
        weights = sorted(best[used[0]].unique())
        spots = [
            Spot(
                weights.index(row[used[0]]),
                constants.index(row["rank_constant"]),
                row["value"],
                row["tied"],
                row["selected"],
            )
            for row in best.iter_rows(named=True)
        ]
        title = METHODS[str(method)].title
        svg = heat(
            f"grid-{method}",
            spots,
            columns=[_weight(weight) for weight in weights],
            rows=[f"{constant:g}" for constant in constants],
            title=f"{title}: {stored.measure} on dev by rank constant and weight",
            axis=(_share(used), "rank constant k"),
            reach=reach,
        )
        yield Chart(f"{title}: {stored.measure} on dev by rank constant and weight. {READ}", svg)


def _share(used: list[str]) -> str:
    first, second = (name.removeprefix(WEIGHT) for name in used)
    return f"weight of {first}; the rest is {second}'s"


def _profiles(stored: Stored, points: pl.DataFrame, axes: list[str]) -> Iterator[Chart]:
    for name in axes:
        taking = [m for m in set(points["method"]) if METHODS[m].takes_weights]
        weighted = points.filter(pl.col("method").is_in(taking))
        if weighted[name].n_unique() > 1:
            yield _by(stored, weighted, name, f"Weight of {name.removeprefix(WEIGHT)}")
    constant = points.filter(pl.col("rank_constant").is_not_null())
    if constant["rank_constant"].n_unique() > 1:
        yield _by(stored, constant, "rank_constant", "Rank constant k")


def _by(stored: Stored, points: pl.DataFrame, axis: str, words: str) -> Chart:
    grouped = points.group_by(axis).agg(
        pl.col("value").min().alias("low"),
        pl.col("value").max().alias("high"),
        pl.col("tied").any(),
        pl.col("value").filter("selected").first().alias("selected"),
    )
    steps = [
        Step(_place(row[axis]), row["low"], row["high"], row["tied"], row["selected"])
        for row in grouped.sort(axis).iter_rows(named=True)
    ]
    title = f"{words}: {stored.measure} on dev over everything else in the grid"
    name = f"profile-{sorted(points.columns).index(axis)}"
    svg = profile(
        name,
        steps,
        title=title,
        axis=words.lower(),
        measure=stored.measure,
        ordered=axis != "method",
        better=stored.more_is_better,
    )
    return Chart(f"{title}. {PROFILE}", svg)


def _best_of_each(stored: Stored, points: pl.DataFrame, axes: list[str]) -> pl.DataFrame:
    """One point per cell, the selected one where it lies there, else the best of the depths."""
    ordered = points.sort(
        ["selected", "value", "configuration"],
        descending=[True, stored.more_is_better, False],
    )
    return ordered.unique(axes, keep="first", maintain_order=True)


def _reach(stored: Stored, points: pl.DataFrame) -> tuple[float, float]:
    """From the worst value to the best."""
    values = points["value"].to_list()
    ends = min(values), max(values)
    return ends if stored.more_is_better else (ends[1], ends[0])


def _place(value: str | float) -> str:
    if isinstance(value, str):
        return METHODS[value].title
    return f"{value:g}" if value >= 1 else _weight(value)


def _weight(weight: float) -> str:
    return f"{weight:.2f}".lstrip("0").rstrip("0").rstrip(".") or "0"
