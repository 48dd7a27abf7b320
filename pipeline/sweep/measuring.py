"""The values of every configuration, query by query: the sweep's fast path.

A reader who wants to know what is computed reads `pipeline.fusion.fuse` and
`pipeline.measures.per_query`; a test holds the two to the same values.
"""

from collections.abc import Iterable, Sequence
from functools import partial

import numpy as np
import polars as pl

from pipeline.fusion import METHODS, Configuration
from pipeline.fusion.settings import Depths
from pipeline.grid.memory import KEPT_BYTES, WORKERS
from pipeline.measures import parse_measure
from pipeline.params import FusionParams
from pipeline.progress import Advance, progress
from pipeline.sweep.arrays import Items, arrange_items
from pipeline.sweep.blocks import Blocks
from pipeline.sweep.collapsed import Collapsed, Reals
from pipeline.sweep.families import Family, families
from pipeline.sweep.kernel import Asked, measure_family
from pipeline.sweep.store import Values
from pipeline.sweep.truth import Judged
from pipeline.threads import in_threads, usable_cores


def measure_grid(
    candidates: pl.DataFrame,
    configurations: Sequence[Configuration],
    judged: Judged,
    *,
    measures: Sequence[str],
    fusion: FusionParams,
    threads: int | None = None,
    kept: int = KEPT_BYTES,
) -> Values:
    """Every configuration on every query, every measure.

    Args:
        candidates: CANDIDATES.
        configurations: any; those of the same branches and depths share their preparation.
        judged: the queries, in the order of the result, and what is known about them.
        measures: names.
        fusion: the part of the contract that is not a grid axis.
        threads: how many work; as many as there are cores if None. The values are the same.
        kept: values up to this many bytes stay in memory.

    Returns:
        (configurations, measures, queries); NaN where a measure is undefined.

    Raises:
        ContractError: a list breaks the rules of fusion, or a method on scores meets a branch
            without.
        ParameterError: a name that is not a measure's.
    """
    asked = Asked([parse_measure(name) for name in measures], fusion.output_depth)
    # Not so many that memory would be theirs.
    workers = min(usable_cores(), WORKERS) if threads is None else threads
    blocks = Blocks.of(candidates, _deepest(configurations), judged, fusion, least=2 * workers)
    values = Values(len(configurations), len(measures), blocks.bounds, kept=kept)
    tried = families(configurations, past_depth=fusion.missing == "past_depth")

    def measured(block: int, advance: Advance) -> None:
        lists, known = blocks.collapsed(block)
        shape = len(configurations), len(measures), len(known.queries)
        found = np.full(shape, np.nan)
        _measure(tried, lists, known, asked, fusion, found, advance)
        values.put(block, found)

    steps = len(judged.queries) * len(configurations)
    with progress("sweep", steps, unit="rankings") as advance:
        work = partial(measured, advance=advance)
        for _ in in_threads(work, range(len(blocks)), workers):
            pass  # each block puts its values itself
    return values


def measure_configurations(
    candidates: pl.DataFrame,
    configurations: Sequence[Configuration],
    judged: Judged,
    *,
    measures: Sequence[str],
    fusion: FusionParams,
    threads: int | None = None,
) -> Reals:
    """As `measure_grid`, in one array."""
    values = measure_grid(
        candidates, configurations, judged, measures=measures, fusion=fusion, threads=threads
    )
    return values.some(0, len(configurations))


def _deepest(configurations: Iterable[Configuration]) -> dict[str, int]:
    deepest: dict[str, int] = {}
    for depths in {point.depths for point in configurations}:
        for name, depth in depths:
            deepest[name] = max(depth, deepest.get(name, 0))
    return dict(sorted(deepest.items()))


def _measure(
    tried: Sequence[Family],
    lists: Collapsed,
    judged: Judged,
    asked: Asked,
    fusion: FusionParams,
    out: Reals,
    advance: Advance,
) -> None:
    past_depth = fusion.missing == "past_depth"
    arranged: dict[tuple[Depths, bool], Items] = {}
    for family in tried:
        # Where what stands higher never scores less, what cannot reach the top is left out.
        method = METHODS[family.method]
        falling = method.monotone and (lists.falling or not method.needs_scores)
        key = family.depths, falling
        if key not in arranged:
            wanted = asked.deepest() if falling else None
            arranged[key] = arrange_items(lists, family.depths, fusion, wanted=wanted)
        measure_family(family, arranged[key], judged, asked, out, past_depth=past_depth)
        # Of a few queries and many configurations a block takes minutes.
        advance(len(family.places) * len(judged.queries))
