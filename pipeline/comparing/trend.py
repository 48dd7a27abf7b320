"""Several versions of a study over the queries that none of them changed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.comparing.paired import Paired, pair
from pipeline.comparing.view import StudyView, shared_side
from pipeline.errors import RankgateError
from pipeline.parts import side_of
from pipeline.systems import SELECTED

TRUTH = ("query_id", "evidence_id", "grade", "status")


@dataclass(frozen=True, slots=True)
class Trend:
    """What a trend says.

    Args:
        side: the test where every version has opened it, else dev.
        measure: the first version's primary one.
        core: how many queries are the same in all.
        queries: how many the last version has on that side.
        names: the versions, in the order given.
        steps: each later version's selected configuration against the one before it.
        whole: the last against the first.
    """

    side: str
    measure: str
    core: int
    queries: int
    names: Sequence[str]
    steps: Sequence[Paired]
    whole: Paired

    def record(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "side": self.side,
            "measure": self.measure,
            "core": self.core,
            "queries": self.queries,
            "versions": list(self.names),
            "steps": [one.record() for one in self.steps],
            "whole": self.whole.record(),
        }


def trend(views: Sequence[StudyView]) -> Trend:
    """The selected configuration of each version, on the core of queries.

    The core: on the same side in all, with the same text, principal, date and answerability, the
    same judgments, and a value in all. Documents and branches may differ: they are what a trend
    is about.

    Args:
        views: two or more versions, the oldest first.

    Raises:
        RankgateError: no query is the same in all of them.
    """
    side, measure = shared_side(*views), views[0].params.selection.measure
    values = [_values(view, side, measure) for view in views]
    core = _core(views, values, side)
    if not core:
        raise RankgateError(
            "no query is the same in all versions",
            where=", ".join(view.name for view in views),
            expected=f"queries on {side} with the same text and judgments, measured by {measure}",
        )
    kept = [frame.filter(pl.col("query_id").is_in(core)) for frame in values]
    last = views[-1]
    steps = [
        pair(before, after, view, system=SELECTED, measure=measure)
        for before, after, view in zip(kept, kept[1:], views[1:], strict=False)
    ]
    return Trend(
        side=side,
        measure=measure,
        core=len(core),
        queries=side_of(side, last.read("splits")).height,
        names=[view.name for view in views],
        steps=steps,
        whole=pair(kept[0], kept[-1], last, system=SELECTED, measure=measure),
    )


def _values(view: StudyView, side: str, measure: str) -> pl.DataFrame:
    mine = (
        (pl.col("split") == side) & (pl.col("system") == SELECTED) & (pl.col("measure") == measure)
    )
    values: pl.DataFrame = view.read("per_query")
    return values.filter(mine).select("query_id", "value").drop_nulls()


def _core(views: Sequence[StudyView], values: Sequence[pl.DataFrame], side: str) -> list[str]:
    """The queries that are the same in all, sorted."""
    truths = [_truth(view, side) for view in views]
    measured = set.intersection(*(set(frame["query_id"]) for frame in values))
    return sorted(
        query
        for query in measured
        if all(truth.get(query) == truths[0].get(query) for truth in truths)
    )


def _truth(view: StudyView, side: str) -> dict[str, tuple[object, ...]]:
    """Each query of the side: what is asked for whom, and what was judged."""
    members = side_of(side, view.read("splits")).select("query_id")
    queries = view.read("queries").join(members, on="query_id", how="semi")
    labels = pl.concat([view.read("dev_judgments"), view.read("test_judgments")])
    judged: dict[str, list[tuple[object, ...]]] = {}
    for query, *rest in labels.select(TRUTH).unique().sort("query_id", "evidence_id").iter_rows():
        judged.setdefault(query, []).append(tuple(rest))
    return {
        row["query_id"]: (
            row["text"],
            row["tenant"],
            row["groups"],
            row["as_of"],
            row["answerable"],
            judged.get(row["query_id"]),
        )
        for row in queries.iter_rows(named=True)
    }
