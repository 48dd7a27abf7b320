"""Of which state of the index recorded runs are, as far as they say it in `snapshot`.

Lists of several states of an index are lists of several corpora: what was deleted in between stands
in some, what was added is missing from others, and a comparison measures the indexing too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import polars as pl

from pipeline.errors import first_three
from pipeline.identity import digest
from pipeline.params import Params

# What the manifest calls the documents: only such a name can be told to be of other documents.
_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Stale:
    """Recorded lists that are not all of the one corpus that is studied.

    Args:
        branches: whose lists, sorted.
        sign: `several` (one run names several snapshots), `apart` (the branches name different
            ones) or `other` (not the one that is served).
        queries: answered from another snapshot than most, or than the one served.
        text: the finding in one sentence.
    """

    branches: tuple[str, ...]
    sign: str
    queries: int
    text: str

    def record(self) -> dict[str, object]:
        """As it stands in a summary."""
        return asdict(self) | {"branches": list(self.branches)}


def stale_states(told: pl.DataFrame, documents: pl.DataFrame, params: Params) -> list[Stale]:
    """Every sign that recorded lists are of several corpora, or of another one.

    Args:
        told: RECORDED_SNAPSHOTS; what runs do not say cannot be looked at.
        documents: DOCUMENTS: a snapshot named by their digest is this one.
        params: `operations.snapshot`, the name that runs of the served index say.

    Returns:
        First runs of several snapshots, then runs of another one than is served, then branches
        that part from each other.
    """
    named = {
        str(name): rows.sort("queries", "snapshot", descending=[True, False])
        for (name,), rows in told.sort("branch").group_by(["branch"], maintain_order=True)
    }
    served = _served(told, documents, params)
    several = [_several(name, rows) for name, rows in named.items() if rows.height > 1]
    other = [one for name, rows in named.items() for one in _other(name, rows, served)]
    return [*several, *other, *_apart(named)]


def _served(told: pl.DataFrame, documents: pl.DataFrame, params: Params) -> str | None:
    if params.operations.snapshot is not None:
        return params.operations.snapshot
    by_digest = any(_DIGEST.fullmatch(name) for name in told["snapshot"])
    return digest(documents) if by_digest else None


def _several(branch: str, rows: pl.DataFrame) -> Stale:
    named = [f"{one} ({count} queries)" for one, count in _counts(rows)]
    few = int(rows["queries"].sum()) - int(rows["queries"][0])
    text = f"{branch}: its run was answered from {rows.height} snapshots: {first_three(named)}"
    return Stale((branch,), "several", few, text)


def _other(branch: str, rows: pl.DataFrame, served: str | None) -> Iterator[Stale]:
    """Whatever is older than the corpus served is stale; so is what is newer."""
    if served is None:
        return
    # Names of an engine's own say nothing about documents that are named by their digest.
    comparable = [
        (one, count)
        for one, count in _counts(rows)
        if one != served and (not _DIGEST.fullmatch(served) or _DIGEST.fullmatch(one))
    ]
    queries = sum(count for _, count in comparable)
    if queries:
        names = first_three([one for one, _ in comparable])
        text = f"{branch}: {queries} queries were answered from {names}, not from {served}"
        yield Stale((branch,), "other", queries, text)


def _apart(named: dict[str, pl.DataFrame]) -> Iterator[Stale]:
    single = {name: rows["snapshot"][0] for name, rows in named.items() if rows.height == 1}
    if len(set(single.values())) > 1:
        said = ", ".join(f"{name} from {one}" for name, one in single.items())
        queries = min(int(named[name]["queries"].sum()) for name in single)
        text = f"the branches were answered from different snapshots: {said}"
        yield Stale(tuple(single), "apart", queries, text)


def _counts(rows: pl.DataFrame) -> Sequence[tuple[str, int]]:
    return [(str(one), int(count)) for one, count in rows.select("snapshot", "queries").iter_rows()]
