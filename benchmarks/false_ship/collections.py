"""The judged collections that are drawn from, read or imported into a temporary folder."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.false_ship.populations import population_params, prepared_once
from pipeline.collection import Collection, import_collection, read_collection
from pipeline.params import Params
from pipeline.study import Prepared

HANDBOOK = Path(__file__).parents[2] / "data" / "collections" / "handbook"


@dataclass(frozen=True, slots=True)
class Source:
    """A collection, and how its study would be declared.

    Unjudged counts as grade 0 everywhere: the regime changes when a study says hold, and never
    when it says ship, unless `robust` is asked for, which is looked at by itself.

    Args:
        name: the collection's.
        scale: of its grades.
        splits: how queries are grouped where shared evidence ties nearly all of them together.
    """

    name: str
    scale: tuple[int, int] = (0, 1)
    splits: Mapping[str, Any] = field(default_factory=dict)

    def params(self, grid: int, **sections: Any) -> Params:
        """Parameters of a study of it."""
        content = {"path": self.name, "scale": list(self.scale), "regime": "exhaustive"}
        content |= sections.pop("collection", {})
        return population_params(
            self.name, grid, collection=content, splits=dict(self.splits), **sections
        )


SOURCES: Mapping[str, Source] = {
    one.name: one
    for one in (
        Source("scifact"),
        Source("cranfield", (0, 4), {"independent": True}),
        Source("handbook", (0, 3)),
        Source("stackfaq"),
        Source("medline"),
    )
}


def retrieve(source: Source, beside: Path, folder: Path) -> Prepared:
    """Its queries, judgments and candidates.

    Args:
        source: which.
        beside: the folder of collections in BEIR's form; the handbook is in this repository.
        folder: where they are imported to.
    """
    params = source.params(1)
    return prepared_once(_read(source, beside, folder, params), params)


def _read(source: Source, beside: Path, folder: Path, params: Params) -> Collection:
    if source.name == "handbook":
        return read_collection(HANDBOOK, params=params.collection)
    import_collection(
        beside / source.name, format="beir", target=folder, name=source.name, splits=["test"]
    )
    return read_collection(folder / source.name, params=params.collection)
