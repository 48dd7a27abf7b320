"""Roughly what a study costs: seconds, memory, disk. Rates of one ordinary core of 2024."""

from collections.abc import Iterator
from dataclasses import dataclass

from assets.checking.environment import engine_of
from assets.checking.findings import Finding, tried
from assets.checking.inputs import Inputs
from assets.stages import STAGES
from pipeline.collection import Collection
from pipeline.errors import RankgateError
from pipeline.grid.memory import Load, refuse_large, tried_points
from pipeline.grid.points import cut_depths, declared_points
from pipeline.params import AnyBranch, DenseBranch, Params
from pipeline.sweep.stage import swept_measures

LETTERS_PER_WORD = 6
# Words analysed and indexed in a second; bytes of index for each word.
WORDS_PER_SECOND = {"bm25": 800_000, "static": 550_000, "lsa": 230_000}
INDEX_BYTES_PER_WORD = {"bm25": 46, "static": 35, "lsa": 65}
PRODUCTS_PER_SECOND = 1e10  # of vector search
ENTRIES_PER_SECOND = 1e7  # list entries that the sweep fuses
RESAMPLED_PER_SECOND = 3e7  # values that the bootstraps of an evaluation draw
START_SECONDS = 1.0  # of a stage's process, and DVC's own
START_BYTES = 0.4e9
LIST_BYTES, LIST_BYTES_ON_DISK = 120, 8
SYSTEMS = 10  # lists that an evaluation keeps


@dataclass(frozen=True, slots=True)
class Extent:
    """What a study's cost grows with.

    Args:
        letters: of all documents.
        documents: how many.
        queries: how many.
        entries: of all candidate lists together.
        points: configurations tried, comparators' among them.
        measures: of the sweep.
    """

    letters: int
    documents: int
    queries: int
    entries: int
    points: int
    measures: int

    @property
    def words(self) -> float:
        """Of all documents."""
        return self.letters / LETTERS_PER_WORD

    @property
    def load(self) -> Load:
        """What sweep and selection keep in memory."""
        return Load(self.points, self.queries, self.measures, self.entries)

    @property
    def values(self) -> int:
        """Of the sweep's matrix."""
        return self.points * self.queries * self.measures


def cost_findings(params: Params, inputs: Inputs) -> Iterator[Finding]:
    """Grid points, and rough seconds, memory and disk of a first `dvc repro`.

    Args:
        params: branches, grid, resamples.
        inputs: the collection, where it could be read.
    """
    try:
        declared = declared_points(params)
    except RankgateError:
        return
    points = tried_points(params)
    yield Finding("fact", f"grid: {declared} points, {points} with the comparators' own")
    yield from (Finding("warning", note) for note in cut_depths(params))
    if inputs.collection is None:
        return
    extent = _extent(inputs.collection, params, points)
    yield from tried(lambda: refuse_large(extent.load, params))
    figures = f"{_seconds(extent, params):.0f} s, {_memory(extent, params) / 1e9:.1f} GB of memory"
    disk = f"{_disk(extent) / 1e6:.0f} MB of disk"
    yield Finding("fact", f"a first run takes roughly {figures}, {disk}")


def _extent(collection: Collection, params: Params, points: int) -> Extent:
    documents, queries = collection.documents, collection.queries.height
    letters = sum(documents[name].str.len_chars().sum() or 0 for name in ("title", "text"))
    return Extent(
        letters=int(letters),
        documents=documents.height,
        queries=queries,
        entries=queries * sum(branch.depth for branch in params.candidates.values()),
        points=points,
        measures=len(swept_measures(params)),
    )


def _seconds(extent: Extent, params: Params) -> float:
    branches = params.candidates.values()
    indexing = sum(
        extent.words / WORDS_PER_SECOND[name]
        for name in map(engine_of, branches)
        if name in WORDS_PER_SECOND
    )
    products = extent.documents * extent.queries * sum(map(_dimensions, branches))
    return (
        START_SECONDS * (len(STAGES) + len(branches))
        + indexing
        + products / PRODUCTS_PER_SECOND
        + extent.points * extent.entries / ENTRIES_PER_SECOND
        + SYSTEMS * extent.queries * params.evaluation.resamples / RESAMPLED_PER_SECOND
    )


def _dimensions(branch: AnyBranch) -> int:
    return branch.dimensions if isinstance(branch, DenseBranch) else 0


def _memory(extent: Extent, params: Params) -> float:
    engines = map(engine_of, params.candidates.values())
    index = max(extent.words * INDEX_BYTES_PER_WORD.get(engine, 0) for engine in engines)
    lists = LIST_BYTES * extent.entries * SYSTEMS
    return max(START_BYTES + 3 * extent.letters + index + lists, extent.load.bytes())


def _disk(extent: Extent) -> float:
    lists = LIST_BYTES_ON_DISK * extent.entries * (1 + SYSTEMS)
    return extent.letters / 2 + lists + 2 * extent.values
