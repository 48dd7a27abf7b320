"""The sweep beside ranx, `fuse` and `evaluate`, for the same configurations and measures.

First the values of every configuration are compared, query by query, then both sides are timed in
turn. With `--fresh` our side is a new process that runs 1,000 configurations, imports and all,
beside ranx, already warm, doing a part of them.

    python -m benchmarks.sweep [--quick] [--fresh]
"""

import argparse
import os
import subprocess
import sys
import warnings
from collections.abc import Sequence

os.environ.setdefault("NUMBA_DISABLE_PERFORMANCE_WARNINGS", "1")

import numpy as np
import polars as pl
import ranx

from benchmarks.lists import Lists, made_lists
from benchmarks.measuring import alternate, conclude, introduce
from benchmarks.sweep_ours import (
    BRANCHES,
    DEPTH,
    MEASURES,
    QUERIES,
    grid,
    judged_of,
    ours_of,
)
from pipeline.fusion import Configuration
from pipeline.sweep.truth import Judged

FRESH = 1_000
CODE = "from benchmarks.sweep_ours import run_fresh; run_fresh({})"


def main() -> None:
    """Prints the ratio per configuration, or that of a fresh process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--fresh", action="store_true")
    given = parser.parse_args()
    ours, theirs = (20, 2) if given.quick else (200, 20)
    lists = made_lists(QUERIES, BRANCHES, DEPTH)
    judged, foreign = judged_of(lists), Foreign(lists)
    inputs = {"queries": QUERIES, "branches": BRANCHES, "deep": DEPTH}
    name = f"sweep: {', '.join(MEASURES)}"
    introduce(name, ["numpy", "polars", "ranx", "numba"], inputs)
    _compare(lists, judged, foreign, grid(ours)[:: max(1, ours // theirs)])
    if given.fresh:
        _fresh(foreign, FRESH if not given.quick else 100, theirs)
        return
    points = grid(ours)
    pairs = alternate(
        lambda: ours_of(lists, judged, points),
        lambda: foreign.values(points[:theirs]),
        2 if given.quick else 7,
    )
    print(pairs.lines(f"{ours} configurations here", f"{theirs} configurations ranx"))
    conclude(pairs.faster * ours / theirs, "times faster per configuration than ranx")


def _fresh(foreign: "Foreign", points: int, theirs: int) -> None:
    chosen = grid(points)[:theirs]
    command = [sys.executable, "-c", CODE.format(points)]
    pairs = alternate(
        lambda: subprocess.run(command, check=True), lambda: foreign.values(chosen), 3
    )
    print(pairs.lines(f"{points} in a new process", f"{theirs} configurations ranx"))
    conclude(
        pairs.faster * points / theirs,
        f"times faster than ranx over {points} configurations, start-up and lists included",
    )


class Foreign:
    """ranx with the same lists.

    RRF in ranx takes no weights, so its weighted sum adds runs whose scores are w / (k + rank)
    already; what is timed is its own fusing and measuring alone.
    """

    def __init__(self, lists: Lists) -> None:
        self.qrels = ranx.Qrels.from_dict(_nested(lists.judgments, "evidence_id", "grade"))
        self._ranks = {
            name: lists.candidates.filter(pl.col("branch") == name)
            for name in sorted(lists.candidates["branch"].unique())
        }
        self._runs: dict[str, list[ranx.Run]] = {}

    def values(self, points: Sequence[Configuration]) -> list[dict[str, np.ndarray]]:
        """Each configuration's values, query by query."""
        return [self._values(point) for point in points]

    def prepare(self, points: Sequence[Configuration]) -> None:
        """Makes the runs of some configurations: no part of what is timed."""
        for point in points:
            self._runs[point.id] = [
                ranx.Run.from_dict(_nested(self._scored(name, weight, point), "doc_id", "score"))
                for name, weight in point.weights
            ]

    def _scored(self, name: str, weight: float, point: Configuration) -> pl.DataFrame:
        score = pl.lit(weight) / (pl.lit(point.rank_constant) + pl.col("rank"))
        return self._ranks[name].with_columns(score=score)

    def _values(self, point: Configuration) -> dict[str, np.ndarray]:
        if point.id not in self._runs:
            self.prepare([point])
        fused = ranx.fuse(runs=self._runs[point.id], norm=None, method="sum")
        found = ranx.evaluate(
            self.qrels, fused, list(MEASURES.values()), return_mean=False, make_comparable=True
        )
        return {ours: np.asarray(found[theirs]) for ours, theirs in MEASURES.items()}


def _nested(frame: pl.DataFrame, item: str, value: str) -> dict[str, dict[str, object]]:
    grouped = frame.group_by("query_id", maintain_order=True).agg(item, value)
    return {q: dict(zip(ids, values, strict=True)) for q, ids, values in grouped.rows()}


def _compare(
    lists: Lists, judged: Judged, foreign: Foreign, points: Sequence[Configuration]
) -> None:
    """Equal values, query by query, but where equal scores stand at a cutoff.

    ranx settles those by the order of its dictionaries. So the values are compared where no
    fused score stands twice.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        foreign.prepare(points)
        theirs = foreign.values(points)
    ours = ours_of(lists, judged, points)
    settled = np.array([_without_ties(lists, judged, point) for point in points])
    apart = max(
        float(np.abs(ours[place, number] - found[name])[settled[place]].max(initial=0.0))
        for place, found in enumerate(theirs)
        for number, name in enumerate(MEASURES)
    )
    if apart > 1e-9 or settled.mean() < 0.2:
        raise SystemExit(f"values differ by {apart}; {settled.mean():.0%} of the queries compared")
    print(f"values    equal on {settled.mean():.0%} of the query × configuration pairs, the others")
    print("          have equal scores within 101 ranks; largest difference", f"{apart:.1e}")


def _without_ties(lists: Lists, judged: Judged, point: Configuration) -> np.ndarray:
    weights = pl.col("branch").replace_strict(dict(point.weights))
    worth = weights / (pl.lit(point.rank_constant) + pl.col("rank"))
    scores = lists.candidates.group_by("query_id", "doc_id").agg(worth.sum().round(14))
    top = scores.group_by("query_id").agg(
        pl.col("branch").sort(descending=True).head(DEPTH + 1).is_duplicated().any().alias("tied")
    )
    tied = dict(top.rows())
    return np.array([not tied[query] for query in judged.queries])


if __name__ == "__main__":
    main()
