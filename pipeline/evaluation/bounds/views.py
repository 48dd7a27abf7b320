"""The views of what nobody judged, side by side."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import polars as pl

from pipeline.evaluation.bounds.any_grades import any_grades
from pipeline.evaluation.bounds.duel import duels
from pipeline.evaluation.bounds.extremes import extremes
from pipeline.evaluation.bounds.joining import UNGRADED, joining
from pipeline.evaluation.bounds.plausible import imputed_differences, pooled
from pipeline.evaluation.bounds.rates import Cell, Rates, places_of
from pipeline.evaluation.differences import Differences, compare_queries, primary_differences
from pipeline.measures import parse_measure
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.slices import ALL_QUERIES
from pipeline.statistics import group_numbers, named_generator
from pipeline.systems import SELECTED
from pipeline.tables import BOUNDS


@dataclass(frozen=True, slots=True)
class View:
    """The differences under one view of unjudged evidence.

    Args:
        differences: by query.
        exact: whether some assignment of grades reaches each of them.
    """

    differences: Differences
    exact: bool


def bounds(
    runs: pl.DataFrame,
    baselines: Iterable[str],
    part: Part,
    params: Params,
    rates: Rates | None = None,
) -> pl.DataFrame:
    """The selected configuration against each baseline on the primary measure, in several views.

    `non_relevant`: unjudged evidence has grade 0. `condensed`: it is taken out of the lists
    before they are cut. `worst`, `best`: per query the least and the greatest difference over
    all grades of the evidence that either list holds, unjudged, within the cutoff; the ideal
    list grows with them. `any`, `tried`: L and U over every assignment of these grades, also of
    those that bring a query into the mean that nothing relevant is known for, see `any_grades`.
    `plausible`: that evidence is given grades as often as judged evidence of dev has them, many
    times over. A measure that ir_measures computes has the first view only.

    Args:
        runs: RUNS of this part, with a system `selected`.
        baselines: systems.
        part: whose queries, judgments, groups and level.
        params: primary measure, scale, regime, resamples, seed.
        rates: of dev's judged evidence; None: there is no plausible view.

    Returns:
        BOUNDS; empty under another regime than pooled, and without ranked queries.
    """
    measured = part.ranked and SELECTED in runs["system"].unique().to_list()
    if params.collection.regime != "pooled" or not measured:
        return BOUNDS.empty()
    ours = runs.filter(pl.col("system") == SELECTED)
    names = sorted(baselines)
    places = places_of(runs, names) if rates else {}
    rows = [
        row
        for baseline in names
        for row in _rows(baseline, ours, _of(runs, baseline), part, params)
    ]
    if rates and _imputable(params):
        theirs = {baseline: _of(runs, baseline) for baseline in names}
        rows += [
            row
            for baseline, run in theirs.items()
            for row in _plausible_rows(baseline, ours, run, rates, places, part, params)
        ]
    return BOUNDS.check(pl.DataFrame(rows, schema=dict(BOUNDS.columns), orient="row"))


def _of(runs: pl.DataFrame, system: str) -> pl.DataFrame:
    return runs.filter(pl.col("system") == system)


def _views(ours: pl.DataFrame, theirs: pl.DataFrame, part: Part, params: Params) -> dict[str, View]:
    plain = primary_differences(ours, theirs, part, params)
    if parse_measure(params.selection.measure).foreign:
        return {"non_relevant": View(plain, True)}
    condensed = View(primary_differences(ours, theirs, part, params, condensed=True), True)
    worst, best = _extreme_views(ours, theirs, plain, part, params)
    return {"non_relevant": View(plain, True), "condensed": condensed, "worst": worst, "best": best}


def _extreme_views(
    ours: pl.DataFrame, theirs: pl.DataFrame, plain: Differences, part: Part, params: Params
) -> tuple[View, View]:
    measure = parse_measure(params.selection.measure)
    if measure.family in UNGRADED:
        return View(plain, True), View(plain, True)
    found = extremes(
        # A query for which the measure is not defined stays out, as everywhere.
        duels(ours, theirs, part.judgments, sorted(plain)),
        measure,
        rel=params.collection.rel,
        scale=params.collection.scale,
    )
    exact = all(one.exact for one in found)
    # Sums in another order differ in the last digit: the plain view lies between the two.
    worst = {one.query_id: min(one.worst, plain[one.query_id]) for one in found}
    best = {one.query_id: max(one.best, plain[one.query_id]) for one in found}
    return View(worst, exact), View(best, exact)


def _rows(
    baseline: str, ours: pl.DataFrame, theirs: pl.DataFrame, part: Part, params: Params
) -> Iterator[dict[str, object]]:
    views = _views(ours, theirs, part, params)
    shown = {name: view for name, view in views.items() if view.differences}
    for name, view in shown.items():
        yield _row(baseline, name, view, part, params)
    if "worst" in shown and "best" in shown:
        worst, best = shown["worst"], shown["best"]
        yield from any_grades(
            worst.differences,
            best.differences,
            baseline,
            exact=worst.exact and best.exact,
            part=part,
            params=params,
            outside=joining(ours, theirs, worst.differences, part, params),
        )


def _row(baseline: str, name: str, view: View, part: Part, params: Params) -> dict[str, object]:
    # The plain view is the comparison's own interval: the same draws, to the last digit.
    comparison = compare_queries(view.differences, ALL_QUERIES, part=part, params=params)
    return {
        "baseline": baseline,
        "split": part.split,
        "measure": params.selection.measure,
        "view": name,
        "delta": comparison.delta,
        "low": comparison.low,
        "high": comparison.high,
        "exact": view.exact,
        "joining": 0,
    }


def _imputable(params: Params) -> bool:
    measure = parse_measure(params.selection.measure)
    return not measure.foreign and measure.family not in UNGRADED


def _plausible_rows(
    baseline: str,
    ours: pl.DataFrame,
    theirs: pl.DataFrame,
    rates: Rates,
    places: Mapping[tuple[str, str], Cell],
    part: Part,
    params: Params,
) -> Iterator[dict[str, object]]:
    measure = parse_measure(params.selection.measure)
    queries = sorted(primary_differences(ours, theirs, part, params))
    if not queries:
        return
    imputed = imputed_differences(
        [duel.cut(measure.cutoff) for duel in duels(ours, theirs, part.judgments, queries)],
        rates,
        places,
        replace(measure, judged_only=False),
        rel=params.collection.rel,
        generator=named_generator(
            params.seed, "plausible", part.split, params.selection.measure, baseline
        ),
    )
    found = pooled(imputed, group_numbers(queries, part.groups), part.alpha)
    yield {
        "baseline": baseline,
        "split": part.split,
        "measure": params.selection.measure,
        "view": "plausible",
        "delta": found.delta,
        "low": found.low,
        "high": found.high,
        "exact": False,
        "joining": 0,
    }
