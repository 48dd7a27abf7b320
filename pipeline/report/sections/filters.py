"""Parts of the section on authorization: planted canaries, and a filter after the search."""

from collections.abc import Mapping, Sequence
from typing import Any

from pipeline.report.blocks import Block, Table
from pipeline.report.numbers import cell, difference, value


def canaries(authorization: Mapping[str, Any]) -> list[Block]:
    """How many planted canaries could have been found, and were."""
    rows = [one for one in authorization.get("planted", ()) if one["reason"] is None]
    if not rows:
        return []
    columns = ["planted", "reachable", "meant", "seen_by_own", "leaked"]
    return [
        Table(
            "Canaries planted for the probes",
            [
                "branch",
                "planted",
                "found without filter",
                "for a principal",
                "seen by it",
                "leaked",
            ],
            [[one["branch"], *(cell(one[name]) for name in columns)] for one in rows],
            note="A canary holds the words of a query. One is for nobody, one for the query's own "
            "principal and date alone.",
        )
    ]


def filters(authorization: Mapping[str, Any]) -> list[Block]:
    """What a filter after the search would lose and show."""
    rows = [one for one in authorization.get("filtering", ()) if one["asked"]]
    if not rows:
        return []
    return [_shown(rows), *([_lost(rows)] if any(one["measures"] for one in rows) else [])]


def _shown(rows: Sequence[Mapping[str, Any]]) -> Table:
    names = ["asked", "queries", "forbidden", "in_context"]
    return Table(
        "Forbidden rows of lists without a filter",
        ["branch", "queries asked", "with any", "rows", "within the context"],
        [[one["branch"], *(cell(one[name]) for name in names)] for one in rows],
        note="What would be shown without a filter, or has to be taken out by one after the "
        "search. A recorded branch's rows are its own lists'.",
    )


def _lost(rows: Sequence[Mapping[str, Any]]) -> Table:
    return Table(
        "A filter inside the search against one after it",
        ["branch", "side", "measure", "inside", "after", "difference", "narrow", "lost", "queries"],
        [
            [
                one["branch"],
                part["split"],
                part["measure"],
                cell(value(part["before"])),
                cell(value(part["after"])),
                difference(part["difference"]),
                cell(value(part["after_narrow"])),
                cell(part["lost"]),
                cell(part["queries"]),
            ]
            for one in rows
            for part in one["measures"]
        ],
        note="After: as many fetched, then filtered. Narrow: only what a context takes fetched, "
        "then filtered. Lost: relevant evidence that only the filter inside the search keeps.",
    )
