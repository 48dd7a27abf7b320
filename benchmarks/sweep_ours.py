"""This program's side of the benchmark `sweep`: no import of what it is compared with."""

from collections.abc import Sequence
from itertools import product

import numpy as np

from benchmarks.lists import Lists, made_lists
from pipeline.fusion import Configuration
from pipeline.params import FusionParams
from pipeline.sweep.measuring import measure_configurations
from pipeline.sweep.truth import Judged, judge_queries

QUERIES, BRANCHES, DEPTH = 300, 2, 100
# Our names and theirs. ranx gives a grade below 1 no gain, as we do with rel = 1.
MEASURES = {"nDCG@10": "ndcg@10", "R@100": "recall@100", "RR@10": "mrr@10"}
CONSTANTS = (1, 5, 10, 20, 30, 40, 50, 60, 80, 100)


def grid(points: int) -> list[Configuration]:
    """RRF at ten constants, with as many weights as that takes."""
    shares = range(1, 1 + -(-points // len(CONSTANTS)))
    step = 1 / (len(shares) + 1)
    every = (
        Configuration.of(
            "rrf",
            rank_constant=k,
            weights={"b0": share * step, "b1": 1 - share * step},
            depths={"b0": DEPTH, "b1": DEPTH},
        )
        for share, k in product(shares, CONSTANTS)
    )
    return list(every)[:points]


def judged_of(lists: Lists) -> Judged:
    """What is known about the queries."""
    return judge_queries(lists.splits, lists.judgments, None, rel=1)


def ours_of(lists: Lists, judged: Judged, points: Sequence[Configuration]) -> np.ndarray:
    """(configurations, measures, queries)."""
    return measure_configurations(
        lists.candidates, points, judged, measures=list(MEASURES), fusion=FusionParams()
    )


def run_fresh(points: int) -> None:
    """What the new process does."""
    lists = made_lists(QUERIES, BRANCHES, DEPTH)
    ours_of(lists, judged_of(lists), grid(points))
