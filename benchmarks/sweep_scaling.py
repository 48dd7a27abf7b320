"""The sweep beside itself: 1, 2, 4 and 8 times the configurations, and one thread against two.

The smallest run takes 5 seconds or more. The ratio is how much faster two threads are than one.

    python -m benchmarks.sweep_scaling [--quick]
"""

import argparse
import math

import numpy as np

from benchmarks.lists import Lists, made_lists
from benchmarks.measuring import alternate, conclude, introduce, seconds
from pipeline.fusion import Configuration
from pipeline.params import FusionParams
from pipeline.sweep.measuring import measure_grid
from pipeline.sweep.truth import Judged, judge_queries

BRANCHES, DEPTH = 3, 200
MEASURES = ["nDCG@10", "R@100"]
LEAST = 5.0  # seconds of the smallest run
TIMES = (1, 2, 4, 8)


def main() -> None:
    """Prints seconds per unit of work, and the ratio of two threads to one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    queries = 100 if quick else 1_000
    lists = made_lists(queries, BRANCHES, DEPTH)
    judged = judge_queries(lists.splits, lists.judgments, None, rel=1)
    unit = 4 if quick else _unit(lists, judged)
    inputs = {"queries": queries, "branches": BRANCHES, "deep": DEPTH, "configurations": unit}
    introduce("sweep_scaling", ["numpy", "polars"], inputs)
    same = run(lists, judged, unit, 1) == run(lists, judged, unit, 2)
    if not same:
        raise SystemExit("two threads give other bytes than one")
    print("values    the same bytes with one thread and with two")
    _linear(lists, judged, unit, rounds=1 if quick else 3)
    points = 2 * unit
    pairs = alternate(
        lambda: run(lists, judged, points, 2),
        lambda: run(lists, judged, points, 1),
        1 if quick else 5,
    )
    print(pairs.lines("two threads", "one thread"))
    conclude(pairs.faster, "times faster on two threads than on one")


def run(lists: Lists, judged: Judged, points: int, threads: int) -> bytes:
    """The values' bytes."""
    values = measure_grid(
        lists.candidates,
        grid(points),
        judged,
        measures=MEASURES,
        fusion=FusionParams(),
        threads=threads,
    )
    return values.some(0, points).tobytes()


def grid(points: int) -> list[Configuration]:
    """RRF at one constant, weights all different."""
    random = np.random.default_rng(0)
    return [
        Configuration.of(
            "rrf",
            rank_constant=60,
            weights={f"b{branch}": float(share) for branch, share in enumerate(shares)},
            depths={f"b{branch}": DEPTH for branch in range(BRANCHES)},
        )
        for shares in random.integers(1, 1000, (points, BRANCHES))
    ]


def _unit(lists: Lists, judged: Judged) -> int:
    """So many configurations that one thread needs the least time and some."""
    points = 50
    run(lists, judged, points, 1)
    # The first configurations also pay for what all share, so the time of a few says too little.
    while (took := _seconds(lists, judged, points)) < LEAST:
        points = math.ceil(points * min(4.0, 1.2 * LEAST / took))
    return points


def _linear(lists: Lists, judged: Judged, unit: int, *, rounds: int) -> None:
    spent = [[_seconds(lists, judged, unit * times) for times in TIMES] for _ in range(rounds)]
    middle = np.median(np.array(spent), axis=0)
    for times, took in zip(TIMES, middle, strict=True):
        each = took / times / (middle[0] or 1.0)
        print(f"{times} × the work           median {took:9.3f} s   {each:.3f} of linear")


def _seconds(lists: Lists, judged: Judged, points: int) -> float:
    return seconds(lambda: run(lists, judged, points, 1))


if __name__ == "__main__":
    main()
