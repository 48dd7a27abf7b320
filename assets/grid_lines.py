"""What a bare study tries, said before it begins: how many configurations, and how to try fewer."""

from collections.abc import Iterator
from dataclasses import replace

from assets.checking.extent import extent_of
from assets.checking.inputs import Inputs
from assets.checking.seconds import of_the_grid, slowness
from pipeline.collection import Collection
from pipeline.errors import RankgateError
from pipeline.grid.memory import thinner_grids, tried_points
from pipeline.params import Params

TOLD = 10.0  # seconds from which on the time is named: less is over before it is read
LONG = 60.0  # seconds from which on a smaller grid is named


def grid_lines(collection: Collection, params: Params) -> Iterator[str]:
    """The number of configurations; where they take long, for how long, and what shortens it.

    Args:
        collection: the queries.
        params: branches, grid; the lines name parameters of these that make it smaller.

    Returns:
        One line or two; none where the study will refuse the grid.
    """
    try:
        declared = extent_of(collection, params, tried_points(params), Inputs(collection))
        # The lists are here and often shorter than their branch's depth.
        extent = replace(declared, entries=min(declared.entries, declared.recorded))
        estimate = of_the_grid(extent)
    except RankgateError:
        return
    line = f"grid: {extent.points:,} configurations on {extent.queries:,} queries"
    if estimate < TOLD:
        yield line
        return
    slow = slowness()
    yield f"{line}, which take roughly {_duration(slow * estimate)}"
    if slow * estimate < LONG:
        return
    thinner = [
        (slow * of_the_grid(replace(extent, points=tried_points(one))), tried_points(one), words)
        for words, one in thinner_grids(params)
    ]
    # The finest that does not take long; where all do, the quickest.
    fitting = [each for each in thinner if each[0] < LONG]
    best = max(fitting, default=min(thinner, default=None))
    if best is not None and best[1] < extent.points:
        seconds, points, words = best
        yield (
            f"to try fewer set {words} in the file of --params: "
            f"{points:,} configurations, roughly {_duration(seconds)}"
        )


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.0f} hours"
