"""What a slice's figures come to, in plain words."""

from collections.abc import Mapping
from typing import Any

import polars as pl

from pipeline.report.stored import Stored
from pipeline.systems import SELECTED

# From this share of a slice's relevant evidence on, what no branch found is the story.
_MOST = 0.5


def reading(stored: Stored, row: Mapping[str, Any]) -> str:
    """One comparison on one slice, read.

    Args:
        stored: what the stages stored.
        row: a row of COMPARISONS on the primary measure, of the selected configuration.
    """
    said = [_verdict(stored, row)]
    if _fell_on_test(stored, row):
        said.append("rose on dev and fell on test: overfit")
    if _unfound(stored, row) >= _MOST:
        said.append("no branch found most of it: candidate generation, not fusion")
    return "; ".join(said)


def _verdict(stored: Stored, row: Mapping[str, Any]) -> str:
    sign = 1 if stored.more_is_better else -1
    if row["low"] is None or row["high"] is None:
        return "too little to say"
    low, high = sorted((row["low"] * sign, row["high"] * sign))
    identifier = row["slice"] == "exact_identifier"
    if low > 0:
        return "fusion helps"
    if high < 0:
        return "fusion hurts" + _damage(stored, row)
    if identifier and row["losses"] == 0:
        return "fusion kept every exact match"
    return "not settled"


def _damage(stored: Stored, row: Mapping[str, Any]) -> str:
    """Whether most of what was lost to this baseline was lost by fusing."""
    members = _members(stored, row)
    lost = stored.diagnosis.filter(
        (pl.col("system") == SELECTED)
        & (pl.col("split") == row["split"])
        & (pl.col("against") == row["baseline"])
        & pl.col("query_id").is_in(members)
    )["lost_at"].to_list()
    if lost and lost.count("fusion") > _MOST * len(lost):
        return ": it damaged strong ranks"
    return ""


def _members(stored: Stored, row: Mapping[str, Any]) -> list[str]:
    inside = (pl.col("split") == row["split"]) & (pl.col("slice") == row["slice"])
    return stored.slices.filter(inside)["query_id"].to_list()


def _fell_on_test(stored: Stored, row: Mapping[str, Any]) -> bool:
    if row["split"] != "test":
        return False
    dev = stored.compared(side="dev", slice_name=row["slice"])
    before = dev.filter(pl.col("baseline") == row["baseline"])["delta"].to_list()
    sign = 1 if stored.more_is_better else -1
    after = row["delta"]
    if not before or before[0] is None or after is None:
        return False
    return bool(before[0] * sign > 0 > after * sign)


def _unfound(stored: Stored, row: Mapping[str, Any]) -> float:
    """The share of the slice's relevant evidence that no branch holds."""
    held = stored.complementarity.filter(
        (pl.col("split") == row["split"]) & (pl.col("slice") == row["slice"])
    )
    total = int(held["evidence"].sum())
    none = int(held.filter(pl.col("found_by") == "none")["evidence"].sum())
    return none / total if total else 0.0
