"""Sides, groups and leakage."""

from collections.abc import Mapping
from typing import Any

from pipeline.report.blocks import Block, Facts, Section, Table
from pipeline.report.numbers import cell, count
from pipeline.report.stored import Stored


def splits(stored: Stored) -> Section:
    """How queries were put on sides, and what ties the sides together in spite of it."""
    leakage = stored.leakage
    return Section(
        "splits",
        "Sides and leakage",
        "Was the test kept apart from what chose the configuration?",
        [_sides(stored), Facts(_facts(stored)), *_strata(leakage), *_crossing(leakage)],
    )


def _sides(stored: Stored) -> Table:
    return Table(
        f"Sides, protocol {stored.params.splits.protocol}",
        ["side", "fold", "queries", "groups", "share", "declared"],
        [
            [
                one["side"],
                "" if one["fold"] is None else str(one["fold"]),
                cell(one["queries"]),
                cell(one["groups"]),
                cell(f"{one['share']:.1%}"),
                cell(f"{one['declared']:.1%}"),
            ]
            for one in stored.leakage["sides"]
        ],
        note=_PROTOCOLS[stored.params.splits.protocol],
    )


_PROTOCOLS = {
    "holdout": "Configurations are chosen on dev; test is looked at once it is opened.",
    "crossfit": "Each fold is measured with what was chosen without it; test rows are held out, "
    "dev rows are in-sample.",
}


def _facts(stored: Stored) -> list[tuple[str, str]]:
    leakage = stored.leakage
    grouping, official = leakage["grouping"], leakage["official"]
    other = f"{official['differ']} of {official['queries']} queries with one"
    return [
        ("groups", _groups(leakage["groups"])),
        ("queries are tied by", _tied(grouping)),
        ("keys dropped", _dropped(grouping["dropped"])),
        ("groups on several sides", str(leakage["crossing"]["count"])),
        ("shared by several sides", _shared(leakage["shared"])),
        ("other side than the collection's own", other),
        ("recorded queries now gone", str(leakage["record"]["queries_gone"])),
    ]


def _groups(groups: Mapping[str, Any]) -> str:
    largest = count(groups["largest"], "query", "queries")
    return f"{groups['count']:,}; the largest has {largest} ({groups['largest_share']:.1%})"


def _tied(grouping: Mapping[str, Any]) -> str:
    if grouping["independent"]:
        return "nothing: declared independent, each query is its own group"
    return ", ".join(grouping["keys"]) or "nothing"


def _dropped(dropped: list[dict[str, Any]]) -> str:
    said = [
        f"{one['key']} (would tie {one['largest']} of {count(one['queries'], 'query', 'queries')})"
        for one in dropped
    ]
    return ", ".join(said) or "none"


def _shared(shared: dict[str, int]) -> str:
    said = [f"{name.replace('_', ' ')} {number}" for name, number in sorted(shared.items())]
    return ", ".join(said) or "nothing"


def _strata(leakage: Mapping[str, Any]) -> list[Block]:
    strata = leakage["strata"]
    if len(strata["rows"]) < 2:
        return []
    return [
        Table(
            "Queries by stratum and side",
            ["stratum", *strata["columns"]],
            [[row[0] or "(none)", *(cell(number) for number in row[1:])] for row in strata["rows"]],
            folded=len(strata["rows"]) > 12,
        )
    ]


def _crossing(leakage: Mapping[str, Any]) -> list[Block]:
    first = leakage["crossing"]["first"]
    if not first:
        return []
    return [
        Table(
            f"Groups on several sides: {len(first)} of {leakage['crossing']['count']}",
            ["sides", "queries"],
            [
                [", ".join(group), "; ".join(f"{s}: {', '.join(q)}" for s, q in group.items())]
                for group in first
            ],
        )
    ]
