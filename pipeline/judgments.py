"""From many assessors' opinions to one judgment for each pair of query and evidence."""

from collections.abc import Callable, Mapping

import polars as pl

from pipeline.errors import ParameterError, RecordError, first_three
from pipeline.tables import QRELS_COLUMNS

PAIR = ["query_id", "evidence_id"]


def resolve(judgments: pl.DataFrame, rule: str) -> pl.DataFrame:
    """One row for each pair.

    Each assessor counts once, with the opinion of the latest round (by file name). A pair is
    judged if any assessor graded it; otherwise unknown if anyone said so; otherwise abstained.

    Args:
        judgments: table JUDGMENTS.
        rule: `majority` (most frequent grade, ties to the lower), `max`, or `latest` (last
            round by file name, then last line).

    Returns:
        query_id, evidence_id, grade (null unless judged), status; key query_id and
        evidence_id, sorted by it.

    Raises:
        RecordError: one assessor gave one pair two opinions in one round.
        ParameterError: no such rule.
    """
    if rule not in RULES:
        raise ParameterError(
            "no such rule of assessors",
            where="collection.assessors",
            found=rule,
            expected=" or ".join(RULES),
            next_command="write one of these in params.yaml",
        )
    opinions = _latest_of_each_assessor(judgments)
    graded = RULES[rule](opinions.filter(pl.col("grade").is_not_null()))
    ungraded = (
        opinions.join(graded, on=PAIR, how="anti")
        .group_by(PAIR)
        .agg(unknown=(pl.col("status") == "unknown").any())
        .with_columns(
            grade=pl.lit(None, pl.Int64()),
            status=pl.when("unknown").then(pl.lit("unknown")).otherwise(pl.lit("abstained")),
        )
    )
    columns = list(QRELS_COLUMNS)
    judged = graded.with_columns(status=pl.lit("judged")).select(columns)
    return pl.concat([judged, ungraded.select(columns)]).sort(PAIR)


def _latest_of_each_assessor(judgments: pl.DataFrame) -> pl.DataFrame:
    one = [*PAIR, "assessor", "round"]
    repeated = judgments.filter(pl.struct(one).is_duplicated())
    if repeated.height:
        raise RecordError(
            "one assessor gave one pair several opinions in one round",
            found=first_three(repeated.select(one).unique().sort(one).rows()),
            expected="one opinion; a later round may revise it",
            next_command="take one of the lines out, or move it to a later judgments/ROUND.jsonl",
        )
    return judgments.sort(one).unique([*PAIR, "assessor"], keep="last", maintain_order=True)


def _majority(graded: pl.DataFrame) -> pl.DataFrame:
    return (
        graded.group_by([*PAIR, "grade"])
        .len("votes")
        .sort([*PAIR, "votes", "grade"], descending=[False, False, True, False])
        .unique(PAIR, keep="first", maintain_order=True)
        .select(*PAIR, "grade")
    )


def _max(graded: pl.DataFrame) -> pl.DataFrame:
    return graded.group_by(PAIR).agg(pl.col("grade").max())


def _latest(graded: pl.DataFrame) -> pl.DataFrame:
    return (
        graded.sort([*PAIR, "round", "line", "assessor"])
        .unique(PAIR, keep="last", maintain_order=True)
        .select(*PAIR, "grade")
    )


RULES: Mapping[str, Callable[[pl.DataFrame], pl.DataFrame]] = {
    "majority": _majority,
    "max": _max,
    "latest": _latest,
}
