"""What a study costs before it runs: grid points, and rough seconds, memory and disk."""

import os
from collections.abc import Iterator

from assets.checking.environment import engine_of
from assets.checking.extent import Extent, extent_of
from assets.checking.findings import Finding, tried
from assets.checking.inputs import Inputs
from assets.checking.seconds import seconds, slowness
from pipeline.errors import RankgateError
from pipeline.grid.memory import WORKERS, refuse_large, tried_points
from pipeline.grid.points import cut_depths, declared_points
from pipeline.params import Params

# Resident bytes of the processes, and what they grow with; seven collections' peaks by stage are
# in docs/benchmarks.md, sweep's and selection's constants in `pipeline.grid.memory`.
TRACKING_BYTES = 0.35e9  # MLflow and Dagster, on every study
START_BYTES = 0.15e9  # a branch's process with its engine's numpy and polars
EVALUATION_BYTES = 0.17e9  # with scipy and its bootstrap, however small the lists (MEDLINE)
ENGINE_BYTES = {"bm25": 0.05e9, "static": 0.13e9, "lsa": 0.2e9}  # imported
INDEX_BYTES_PER_WORD = {"bm25": 46, "static": 35, "lsa": 65}
TEXT_COPIES = 3  # of the documents' letters, in a branch's process
LISTED_BYTES = 300  # of a row of evaluation's lists: once whole, and what is worked on beside it
# On disk; DVC's cache holds a copy of every output.
COPIES = 2
PAGES_ON_DISK = 5e6  # the databases of MLflow and Dagster, the page
ENTRY_BYTES_ON_DISK, LISTED_BYTES_ON_DISK = 12, 3.7  # of the candidates, of evaluation's lists
LETTER_BYTES_ON_DISK = 0.4
INDEX_BYTES_ON_DISK = 5  # for each word and engine
VALUE_BYTES_ON_DISK = 2.7  # of the sweep
LINE_BYTES_ON_DISK = 15  # of recorded runs
POINT_BYTES_ON_DISK = 700  # of a configuration in MLflow's database


def cost_findings(params: Params, inputs: Inputs) -> Iterator[Finding]:
    """Grid points, and an estimate of a first `dvc repro`: seconds, memory, disk.

    Args:
        params: branches, grid, resamples.
        inputs: the collection, where it could be read.
    """
    try:
        declared = declared_points(params)
    except RankgateError:
        return
    points = tried_points(params)
    yield Finding(
        "fact", f"grid: {declared} points, {points} with what it is compared with and repeated on"
    )
    yield from (Finding("warning", note) for note in cut_depths(params))
    if inputs.collection is None:
        return
    try:
        extent = extent_of(inputs.collection, params, points, inputs)
    except RankgateError:
        return  # such as a branch with the name of a system: told where parameters are checked
    yield from tried(lambda: refuse_large(extent.load, params))
    slow = slowness()
    text = (
        f"a first run takes roughly {seconds(extent, params) * slow:.0f} s,"
        f" {memory(extent, params) / 1e9:.1f} GB of memory, {disk(extent, params) / 1e6:.0f} MB of"
        f" disk (an estimate, within a factor of two; work takes {slow:.1f} times as long here and"
        " now as on the machine of the rates)"
    )
    yield Finding("fact", text)


def memory(extent: Extent, params: Params) -> float:
    """The largest stage's resident bytes, about."""
    engines = [engine_of(branch) for branch in params.candidates.values()]
    text = START_BYTES + TEXT_COPIES * extent.letters
    index = max(
        ENGINE_BYTES.get(name, 0) + extent.words * INDEX_BYTES_PER_WORD.get(name, 0)
        for name in engines
    )
    lists = EVALUATION_BYTES + LISTED_BYTES * extent.listed
    workers = min(WORKERS, os.cpu_count() or 1)
    return max(TRACKING_BYTES, text + index, lists, extent.load.bytes(workers))


def disk(extent: Extent, params: Params) -> float:
    """Bytes of outputs, DVC's copies of them, indexes and databases, about."""
    lists = ENTRY_BYTES_ON_DISK * extent.entries + LISTED_BYTES_ON_DISK * extent.listed
    outputs = (
        LETTER_BYTES_ON_DISK * extent.letters
        + LINE_BYTES_ON_DISK * extent.recorded
        + lists
        + VALUE_BYTES_ON_DISK * extent.values
    )
    indexed = sum(engine_of(branch) in ENGINE_BYTES for branch in params.candidates.values())
    made_again = INDEX_BYTES_ON_DISK * extent.words * indexed + POINT_BYTES_ON_DISK * extent.points
    return COPIES * outputs + made_again + PAGES_ON_DISK
