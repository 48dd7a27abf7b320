"""Stage splits: which queries may be looked at while tuning, and which only at the end?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.eligibility import visible_judgments
from pipeline.errors import RecordError, first_three
from pipeline.judgments import resolve
from pipeline.params import Params
from pipeline.splits.assignment import refuse_empty_parts, shares_by_part
from pipeline.splits.grouping import group_queries
from pipeline.splits.leakage import leakage_report
from pipeline.splits.sides import RECORD, Side, by_query, refuse_unassigned
from pipeline.tables import DEV_JUDGMENTS, SPLITS, TEST_JUDGMENTS

# Which sides' judgments go into which file: under crossfit every query is both.
DEV_SIDES, TEST_SIDES = ("dev", "crossfit"), ("test", "crossfit")
PROTOCOL_SIDES = {"holdout": ("dev", "test"), "crossfit": ("crossfit",)}


@dataclass(frozen=True, slots=True)
class Splits:
    """Queries on sides, and the judgments of each side.

    Args:
        splits: table SPLITS.
        dev_judgments: table DEV_JUDGMENTS: one row for each pair, only what the query's
            principal may see at its date.
        test_judgments: table TEST_JUDGMENTS, the same for the other side.
        leakage: the leakage report.
        summary: the few figures a person wants to see.
    """

    splits: pl.DataFrame
    dev_judgments: pl.DataFrame
    test_judgments: pl.DataFrame
    leakage: dict[str, Any]
    summary: dict[str, object]


def compute(
    *,
    documents: pl.DataFrame,
    queries: pl.DataFrame,
    judgments: pl.DataFrame,
    sides: Sequence[Side],
    params: Params,
) -> Splits:
    """Puts every query on its recorded side.

    Args:
        documents: table DOCUMENTS.
        queries: table QUERIES.
        judgments: table JUDGMENTS, raw.
        sides: the record.
        params: `splits`, `collection`.

    Returns:
        The splits; an old query never changes sides, and what crosses is in `leakage`.

    Raises:
        RecordError: a query has no side, the record contradicts itself or was made under
            another protocol, one assessor contradicts himself.
        ParameterError: a side with a positive share is empty; nothing to group by.
    """
    known = by_query(sides)
    refuse_unassigned(queries["query_id"], known)
    present = {query: known[query] for query in queries["query_id"].sort()}
    _refuse_other_protocol(present, params)
    refuse_empty_parts({side.part for side in present.values()}, shares_by_part(params.splits))
    grouping = group_queries(queries, judgments, documents, params)
    resolved = visible_judgments(
        resolve(judgments, params.collection.assessors), documents, queries
    )
    splits = _table(present)
    dev = DEV_JUDGMENTS.check(_judged(resolved, splits, DEV_SIDES))
    test = TEST_JUDGMENTS.check(_judged(resolved, splits, TEST_SIDES))
    leakage = leakage_report(queries, grouping, known, params)
    return Splits(splits, dev, test, leakage, _summary(leakage, dev, test))


def _table(present: Mapping[str, Side]) -> pl.DataFrame:
    rows = [(s.query_id, s.group_id, s.side, s.fold) for s in present.values()]
    return SPLITS.check(pl.DataFrame(rows, schema=dict(SPLITS.columns), orient="row"))


def _judged(resolved: pl.DataFrame, splits: pl.DataFrame, sides: Sequence[str]) -> pl.DataFrame:
    chosen = splits.filter(pl.col("split").is_in(sides))
    return resolved.join(chosen, on="query_id", how="semi")


def _refuse_other_protocol(present: Mapping[str, Side], params: Params) -> None:
    protocol = params.splits.protocol
    other = PROTOCOL_SIDES["crossfit" if protocol == "holdout" else "holdout"]
    foreign = [query for query, side in present.items() if side.side in other]
    if foreign:
        raise RecordError(
            "sides were recorded under another protocol",
            where=RECORD,
            found=f"{len(foreign)} queries on {' or '.join(other)}: {first_three(foreign)}",
            expected=f"sides of protocol {protocol}",
            next_command="put splits.protocol back, or start a new study",
        )


def _summary(
    leakage: Mapping[str, Any], dev: pl.DataFrame, test: pl.DataFrame
) -> dict[str, object]:
    sides = leakage["sides"]
    columns = ["side", "fold", "declared", "share", "queries", "groups"]
    return {
        "queries": sum(side["queries"] for side in sides),
        "groups": leakage["groups"]["count"],
        "largest_group_share": leakage["groups"]["largest_share"],
        "groups_crossing": leakage["crossing"]["count"],
        "keys_dropped": [drop["key"] for drop in leakage["grouping"]["dropped"]],
        "dev_judgments": dev.height,
        "test_judgments": test.height,
        "table": {"columns": columns, "rows": [[side[name] for name in columns] for side in sides]},
    }
