"""What ties the sides together in spite of the split: reported, never repaired in silence."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import polars as pl

from pipeline.params import Params
from pipeline.splits.assignment import shares_by_part, strata_of
from pipeline.splits.grouping import Grouping, Links
from pipeline.splits.sides import Part, Side

NAMED = 20  # offenders that are named; all are counted


def leakage_report(
    queries: pl.DataFrame, grouping: Grouping, known: Mapping[str, Side], params: Params
) -> dict[str, Any]:
    """The leakage report.

    Args:
        queries: table QUERIES.
        grouping: what ties queries together now.
        known: query to its side, every query of the collection among others.
        params: `splits`.

    Returns:
        JSON-able: `grouping` (keys used and dropped), `groups`, `sides` (declared and realised
        shares), `strata` (counts by side, empty cells), `crossing` (groups on several sides),
        `shared` (by key: values on several sides, dropped keys too), `official` (queries whose
        recorded side differs from the collection's), `record`.
    """
    part_of = {query: known[query].part for query in grouping.component}
    crossing = _crossing(grouping, part_of)
    return {
        "grouping": {
            "independent": params.splits.independent,
            "keys": list(grouping.keys),
            "dropped": [
                {"key": drop.key, "largest": drop.largest, "queries": drop.queries}
                for drop in grouping.dropped
            ],
        },
        "groups": _groups(known[query] for query in part_of),
        "sides": _sides(part_of, known, params),
        "strata": _strata(strata_of(queries, params.splits), part_of),
        "crossing": {"count": len(crossing), "first": crossing[:NAMED]},
        "shared": _shared(grouping.links, part_of),
        "official": _official(queries, known),
        "record": {"queries_gone": len(known.keys() - part_of.keys())},
    }


def _groups(sides: Iterable[Side]) -> dict[str, Any]:
    sizes = Counter(side.group_id for side in sides)
    largest = max(sizes.values(), default=0)
    share = largest / sizes.total() if sizes else 0.0
    return {"count": len(sizes), "largest": largest, "largest_share": round(share, 6)}


def _sides(
    part_of: Mapping[str, Part], known: Mapping[str, Side], params: Params
) -> list[dict[str, Any]]:
    declared = shares_by_part(params.splits)
    sizes = Counter(part_of.values())
    return [
        {
            "side": part.side,
            "fold": part.fold if part.side == "crossfit" else None,
            "declared": round(declared.get(part, 0.0), 6),
            "share": round(sizes[part] / len(part_of), 6),
            "queries": sizes[part],
            "groups": len({known[q].group_id for q, where in part_of.items() if where == part}),
        }
        for part in sorted(declared.keys() | sizes.keys())
    ]


def _strata(strata: Mapping[str, str], part_of: Mapping[str, Part]) -> dict[str, Any]:
    cells = Counter((strata[query], part) for query, part in part_of.items())
    parts = sorted(set(part_of.values()))
    rows = sorted(set(strata.values()))
    return {
        "columns": [part.name for part in parts],
        "rows": [[name, *(cells[name, part] for part in parts)] for name in rows],
        "empty": [[name, part.name] for name in rows for part in parts if not cells[name, part]],
    }


def _crossing(grouping: Grouping, part_of: Mapping[str, Part]) -> list[dict[str, list[str]]]:
    groups = []
    for members in grouping.members.values():
        spread: dict[str, list[str]] = {}
        for query in members:
            spread.setdefault(part_of[query].name, []).append(query)
        if len(spread) > 1:
            groups.append(dict(sorted(spread.items())))
    return groups


def _shared(links: Links, part_of: Mapping[str, Part]) -> dict[str, int]:
    counts = {}
    for key, found in links.items():
        parts: dict[str, set[Part]] = {}
        for query, shared in found:
            if query in part_of:
                parts.setdefault(shared, set()).add(part_of[query])
        counts[key] = sum(len(several) > 1 for several in parts.values())
    return counts


def _official(queries: pl.DataFrame, known: Mapping[str, Side]) -> dict[str, Any]:
    given = queries.select("query_id", "split").drop_nulls().sort("query_id").rows()
    differing = [query for query, side in given if known[query].side != side]
    return {"queries": len(given), "differ": len(differing), "first": differing[:NAMED]}
