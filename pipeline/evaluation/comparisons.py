"""The selected configuration against everything it must beat, query by query."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.evaluation.differences import Differences, compare_many
from pipeline.measures import parse_measure
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.statistics import (
    Comparison,
    group_numbers,
    highest_low_of,
    holm,
    paired_share_p,
)
from pipeline.systems import SELECTED
from pipeline.tables import COMPARISONS

RIVALS = ("branch", "baseline", "comparator")


def rivals(roles: Mapping[str, str]) -> list[str]:
    """The systems that the selected one is compared with, sorted."""
    return sorted(system for system, role in roles.items() if role in RIVALS)


def compare(
    per_query: pl.DataFrame,
    roles: Mapping[str, str],
    part: Part,
    params: Params,
    *,
    aliases: Mapping[str, str],
) -> pl.DataFrame:
    """Paired differences on all queries and on each slice shown, for every measure.

    On derived slices for the primary measure only: there are many of them.

    Args:
        per_query: the part's rows of PER_QUERY.
        roles: system to role; branches, baselines and comparators are compared with.
        part: its query groups, slices and level.
        params: resamples and seed.
        aliases: system to the one that it is by another name; its rows repeat that one's, and
            do not count again in `p_holm`.

    Returns:
        COMPARISONS; `p_holm` within this split, each measure and each family: the comparisons that
        were declared (all queries, the collection's slices, those that a gate names) are planned,
        those on derived slices explore. No row where no query has both
        values, none at all without a selected configuration.
    """
    own = {system: role for system, role in roles.items() if system not in aliases}
    rows = list(_rows(per_query, own, part, params))
    if not rows:
        return COMPARISONS.empty()
    frame = pl.DataFrame(rows, schema=dict(COMPARISONS.columns), orient="row")
    compared = _with_holm(frame.sort(COMPARISONS.key))
    copies = [
        compared.filter(pl.col("baseline") == meant).with_columns(pl.lit(name).alias("baseline"))
        for name, meant in sorted(aliases.items())
    ]
    return COMPARISONS.check(pl.concat([compared, *copies]))


@dataclass(frozen=True, slots=True)
class _Asked:
    """One comparison: on a slice, by a measure, with a baseline whose values are `theirs`."""

    measure: str
    baseline: str
    slice: str
    differences: Differences
    theirs: Mapping[str, float]


def _rows(
    per_query: pl.DataFrame, roles: Mapping[str, str], part: Part, params: Params
) -> Iterator[dict[str, object]]:
    if SELECTED not in roles:
        return
    exploring = part.slices.derived - set(params.decision.slices)
    asked: dict[str, list[_Asked]] = {}
    for one in _asked(per_query, rivals(roles), part, params):
        asked.setdefault(one.slice, []).append(one)
    for name, some in asked.items():
        compared = compare_many([one.differences for one in some], name, part=part, params=params)
        for one, comparison in zip(some, compared, strict=True):
            key = (SELECTED, one.baseline, part.split, name, one.measure)
            family = "derived" if name in exploring else "declared"
            yield {**_row(key, comparison), **_of_queries(one, part), "family": family}


def _asked(
    per_query: pl.DataFrame, baselines: Sequence[str], part: Part, params: Params
) -> Iterator[_Asked]:
    for (measure,), rows in per_query.group_by("measure", maintain_order=True):
        values = _by_system(rows)
        for baseline in baselines:
            theirs = values[baseline]
            differences = _differences(values[SELECTED], theirs)
            for name, members in part.slices.shown.items():
                if name in part.slices.derived and measure != params.selection.measure:
                    continue
                inside = {query: differences[query] for query in members if query in differences}
                if inside:
                    yield _Asked(str(measure), baseline, name, inside, theirs)


def _by_system(rows: pl.DataFrame) -> dict[str, dict[str, float]]:
    values: dict[str, dict[str, float]] = {name: {} for name in rows["system"]}
    for system, query, value in rows.select("system", "query_id", "value").iter_rows():
        if value is not None:
            values[system][query] = value
    return values


def _differences(ours: Mapping[str, float], theirs: Mapping[str, float]) -> Differences:
    """Only where both have a value: Judged of an empty list has none."""
    return {query: value - theirs[query] for query, value in ours.items() if query in theirs}


# What a row takes from its comparison as it is, by column.
COPIED: Mapping[str, str] = {
    "delta": "delta",
    "low": "low",
    "high": "high",
    "p": "p",
    "ties": "ties",
    "queries": "queries",
    "groups": "groups",
    "detectable": "detectable",
    "standard_error": "standard_error",
    "nonzero_groups": "nonzero_groups",
    "t_low": "t_low",
    "t_high": "t_high",
    "boot_low": "boot_low",
    "boot_high": "boot_high",
    "percentile_low": "percentile_low",
    "percentile_high": "percentile_high",
    "bca_low": "bca_low",
    "bca_high": "bca_high",
    "largest_group": "largest_group_share",
    "design_effect": "design_effect",
}


def _row(key: tuple[str, str, str, str, str], comparison: Comparison) -> dict[str, object]:
    named = dict(zip(COMPARISONS.key, key, strict=True))
    figures = {column: getattr(comparison, name) for column, name in COPIED.items()}
    without = comparison.leave_one_out or (None, None)
    won, lost = comparison.wins, comparison.losses
    # A win is the better value, which is the lower one of ZeroHit; the difference stays as it is.
    if not parse_measure(named["measure"]).higher_is_better:
        won, lost = lost, won
    return {
        **named,
        **figures,
        "wins": won,
        "losses": lost,
        "p_holm": None,
        "family_tests": 0,
        "without_one_low": without[0],
        "without_one_high": without[1],
    }


def _of_queries(asked: _Asked, part: Part) -> dict[str, float | None]:
    """What the queries' own values tell beside the interval."""
    queries, measure = sorted(asked.differences), parse_measure(asked.measure)
    groups = group_numbers(queries, part.groups)
    moved = np.array([asked.differences[query] for query in queries], dtype=np.float64)
    held = np.array([asked.theirs[query] for query in queries], dtype=np.float64)
    # How high a measure of another package can go is not known here.
    room = None if measure.foreign else 1.0 - held if measure.higher_is_better else held
    return {
        "highest_low": None if room is None else highest_low_of(room, groups, part.alpha),
        "p_paired": paired_share_p(moved, groups) if measure.is_share else None,
    }


def _with_holm(frame: pl.DataFrame) -> pl.DataFrame:
    adjusted = [
        rows.with_columns(
            pl.Series("p_holm", holm(rows["p"].to_list()), dtype=pl.Float64, strict=False),
            family_tests=pl.lit(rows["p"].count(), pl.Int64),
        )
        for _, rows in frame.group_by("split", "measure", "family", maintain_order=True)
    ]
    return pl.concat(adjusted)
