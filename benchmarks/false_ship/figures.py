"""The benchmark's figures as Markdown tables."""

from collections.abc import Iterable, Sequence

from benchmarks.false_ship.nulls import CROSSFIT, HOLDOUT
from benchmarks.false_ship.outcomes import Outcome, refuted
from benchmarks.false_ship.plan import BEST, EACH, EXCHANGED, TOGETHER, Plan, Results
from benchmarks.false_ship.practice import Practice
from benchmarks.false_ship.rates import Rate
from benchmarks.false_ship.sizes import BOUNDS

GATE_LIMIT = 0.05
Rows = Iterable[Sequence[object]]


def printed(results: Results, plan: Plan) -> str:
    """All tables, for a terminal."""
    return "\n\n".join(f"## {name}\n\n{text}" for name, text in all_tables(results, plan).items())


def all_tables(results: Results, plan: Plan) -> dict[str, str]:
    """Every table in Markdown, by name."""
    return {
        "demanded": _demanded(results),
        **{
            f"{null} ({protocol})": _by_groups(results.outcomes, null, protocol, plan)
            for null, protocol in (
                (BEST, HOLDOUT),
                (BEST, CROSSFIT),
                (TOGETHER, HOLDOUT),
                (TOGETHER, CROSSFIT),
                (EACH, HOLDOUT),
                (EXCHANGED, HOLDOUT),
            )
        },
        "tilts": _tilts(results),
        "gates": _gates(results),
        "practice": _practices(results, plan),
        "power": _power(results),
        "sizes": _sizes(results),
    }


def percent(rate: Rate) -> str:
    """A share with its Monte Carlo interval: `3.1 % (2.4–4.0)`."""
    low, high = rate.interval
    return f"{rate.share:.1%} ({100 * low:.1f}–{100 * high:.1f})".replace("%", " %", 1)


def table(columns: Sequence[str], rows: Rows) -> str:
    """A Markdown table; figures to the right."""
    lines = [columns, ["---", *["---:"] * (len(columns) - 1)], *rows]
    return "\n".join(f"| {' | '.join(str(cell) for cell in line)} |" for line in lines)


def _demanded(results: Results) -> str:
    rows = []
    for null, protocol in sorted({(one.null, one.protocol) for one in results.outcomes}):
        cells = [
            one
            for one in results.outcomes
            if (one.null, one.protocol) == (null, protocol) and one.groups >= 30 and one.limit
        ]
        if cells:
            worst = max(cells, key=lambda one: one.rate().share)
            place = f"{worst.population}, {worst.points} points, {worst.groups} groups"
            limit = f"{100 * (worst.limit or 0):.0f} %"
            count = f"{len(refuted(cells))} of {len(cells)}"
            rows.append([f"{null}, {protocol}", limit, count, percent(worst.rate()), place])
    return table(["null", "at most", "cells refuted", "highest share of ship", "where"], rows)


def _by_groups(outcomes: Sequence[Outcome], null: str, protocol: str, plan: Plan) -> str:
    mine = [one for one in outcomes if (one.null, one.protocol) == (null, protocol)]
    cells = {(one.population, one.points, one.groups): one for one in mine}
    rows = [
        [name, points, f"{margin:+.4f}"]
        + [_cell(cells[name, points, groups]) for groups in plan.groups]
        for name, points, margin in dict.fromkeys(
            (one.population, one.points, one.margin) for one in mine
        )
    ]
    return table(["population", "points", "margin", *(f"{g} groups" for g in plan.groups)], rows)


def _cell(outcome: Outcome) -> str:
    shown = f"{percent(outcome.rate())} of {outcome.rate().studies:,}"
    return shown if outcome.kept else f"**{shown}**"


def _tilts(results: Results) -> str:
    rows = [
        [
            one.population,
            one.points,
            f"{one.margin:+.4f}",
            f"{one.middle - one.margin:+.4f}",
            f"{one.least - one.margin:+.4f}",
            f"{one.evenness * one.groups:.0f} of {one.groups}",
        ]
        for one in results.tilts
    ]
    columns = [
        "population",
        "points",
        "margin",
        "median gain − margin",
        "least",
        "effective groups",
    ]
    return table(columns, rows)


def _gates(results: Results) -> str:
    rows = [
        [
            f"`{one.gate}`" + (f" ({one.note})" if one.note else ""),
            "interval" if one.interval else "figure",
            one.population,
            one.points,
            f"{one.limit:.3g}",
            one.groups,
            percent(one.passes),
            percent(one.ships),
            f"{one.passes.studies:,}",
        ]
        for one in results.gates
    ]
    columns = ["gate", "judges", "population", "points", "limit", "groups", "passes", "ship"]
    return table([*columns, "studies"], rows)


def _practices(results: Results, plan: Plan) -> str:
    cells = {
        (one.habit, one.null, one.population, one.points, one.groups): one
        for one in results.practices
    }
    rows = [
        [habit, null, population, points, *(_claim(cells, key, g) for g in plan.groups)]
        for key in dict.fromkeys(one[:4] for one in cells)
        for habit, null, population, points in [key]
    ]
    columns = ["habit", "null", "population", "points", *(f"{g} groups" for g in plan.groups)]
    return table(columns, rows)


def _claim(
    cells: dict[tuple[str, str, str, int, int], Practice],
    key: tuple[str, str, str, int],
    groups: int,
) -> str:
    one = cells.get((*key, groups))
    return "" if one is None else f"{percent(one.claims)} of {one.claims.studies:,}"


def _power(results: Results) -> str:
    rows = [
        [one.population, one.groups, *(f"{rate.share:.0%}" for rate in one.rates)]
        for one in results.powers
        if one.groups >= 30
    ]
    gains = results.powers[0].gains if results.powers else ()
    return table(["population", "groups", *(f"{gain:g}" for gain in gains)], rows)


def _sizes(results: Results) -> str:
    rows = [
        [one.population, one.configuration, f"{one.gain:+.4f}", f"{one.skew:+.1f}", one.groups]
        + [percent(one.false[bound]) for bound in BOUNDS]
        + [f"{one.power[bound].share:.0%}" for bound in BOUNDS]
        for one in results.sizes
    ]
    columns = ["population", "configuration", "true gain", "skew", "groups"]
    powers = [f"power: {bound}" for bound in BOUNDS]
    return table([*columns, *BOUNDS, *powers], rows)


def missed(results: Results) -> list[str]:
    """The demanded limits that the draws refute, in words.

    Nothing is demanded of a gate that judges a figure: it says nothing about the population.
    """
    found = [
        f"{one.null}, {one.protocol}, {one.population}, grid of {one.points}, "
        f"{one.groups} groups: ship in {percent(one.rate())} where "
        f"{100 * (one.limit or 0):.0f} % is demanded"
        for one in refuted(results.outcomes)
    ]
    return found + [
        f"gate `{one.gate}` at its limit, {one.population}, grid of {one.points}, "
        f"{one.groups} groups: passes in {percent(one.passes)} where 5 % is demanded"
        for one in results.gates
        if one.interval and one.groups >= 30 and not one.passes.keeps(GATE_LIMIT)
    ]
