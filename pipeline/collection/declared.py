"""What an import declares of judgments: how complete they are, and what their grades mean."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pipeline.collection.collection import Collection as Judged
from pipeline.collection.consistency import map_grades
from pipeline.collection.problems import Problems
from pipeline.errors import ParameterError
from pipeline.params import CollectionParams
from pipeline.storage import read_json

DECLARED = "import.json"  # in a collection's folder; its field `declared`

PARTS = ("regime", "scale", "rel")
ORIGINS = ("said", "source", "occurs", "default")

Ask = Callable[[str, Any], Any]
"""From the name of what is asked, and its default, to the answer."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """What a person says of a collection's judgments; None where they say nothing.

    Args:
        regime: exhaustive, pooled or sparse.
        scale: lowest and highest grade.
        rel: the grade from which on an item is relevant.
        grades: foreign grade to one of the scale.
    """

    regime: str | None = None
    scale: tuple[int, int] | None = None
    rel: int | None = None
    grades: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Declared:
    """What holds for a collection, and where each part of it comes from.

    Args:
        regime, scale, rel, grades: as in `Declaration`, all of them known.
        origin: regime, scale and rel to `said`, `default`, `occurs` (the grades that occur) or
            `source` (the collection said so itself).
    """

    regime: str
    scale: tuple[int, int]
    rel: int
    grades: Mapping[int, int]
    origin: Mapping[str, str]

    def content(self) -> dict[str, Any]:
        """As it stands in import.json: keys of `collection` in params.yaml, and their origin."""
        grades = {str(foreign): ours for foreign, ours in sorted(self.grades.items())}
        parts = {"regime": self.regime, "scale": list(self.scale), "rel": self.rel}
        return {**parts, "grades": grades, "origin": dict(self.origin)}

    def params(self) -> CollectionParams:
        """As parameters of a collection."""
        parts = {name: getattr(self, name) for name in ("regime", "scale", "rel", "grades")}
        return checked(parts, where="the declaration")


def declare(
    said: Declaration,
    collection: Judged,
    *,
    where: object,
    before: Declaration | None = None,
    ask: Ask | None = None,
) -> Declared:
    """Completes a declaration: by what the source says, by asking, by what occurs or is usual.

    Args:
        said: what the person said.
        collection: as read, its grades not mapped.
        where: the collection, for messages.
        before: what the source said of itself.
        ask: asks for what nobody said; None where there is nobody to ask.

    Raises:
        ParameterError: a scale that does not rise, or `rel` outside it.
        CollectionError: a grade that is neither on the scale nor mapped to it.
    """
    before = before or Declaration()
    grades = said.grades or before.grades
    occurring = _occurring(collection, grades)
    scale = occurring or CollectionParams(path=".").scale
    usual = {"regime": "pooled", "scale": scale, "rel": 1}
    parts: dict[str, Any] = {}
    origin: dict[str, str] = {}
    for name, default in usual.items():
        for source, value in (("said", getattr(said, name)), ("source", getattr(before, name))):
            if value is not None:
                parts[name], origin[name] = value, source
                break
        else:
            parts[name] = default if ask is None else ask(name, default)
            occurs = name == "scale" and occurring is not None
            origin[name] = "said" if ask else "occurs" if occurs else "default"
    params = checked({**parts, "grades": grades}, where="--regime, --scale, --rel")
    problems = Problems(where)
    rows = collection.judgments.select("round", "line", "grade").iter_rows(named=True)
    map_grades(rows, params, lambda name: f"{where}, judgments {name or 'in queries'}", problems)
    problems.raise_if_any()
    return Declared(params.regime, params.scale, params.rel, dict(grades), origin)


def checked(parts: Mapping[str, Any], *, where: object) -> CollectionParams:
    """These parts as parameters of a collection; raises ParameterError."""
    try:
        return CollectionParams.model_validate({"path": ".", **parts})
    except ValidationError as problem:
        told = "; ".join(error["msg"].removeprefix("Value error, ") for error in problem.errors())
        raise ParameterError(told, where=where) from None


def declared_of(folder: Path, *, origins: Collection[str] = ORIGINS) -> Declaration | None:
    """What a collection's import.json declares; None where there is none.

    Args:
        folder: the collection's.
        origins: only parts that come from these.

    Raises:
        InputError: the file is no JSON.
        ParameterError: it declares what cannot be.
    """
    path = folder / DECLARED
    content = read_json(path) if path.is_file() else None
    said = content.get("declared") if isinstance(content, dict) else None
    if not isinstance(said, dict):
        return None
    origin = said.get("origin", {})
    grades = _whole_keys(said.get("grades", {}), path)
    params = checked(
        {**{name: said[name] for name in PARTS if name in said}, "grades": grades}, where=path
    )
    kept = {
        name: getattr(params, name)
        for name in PARTS
        if name in said and origin.get(name, "said") in origins
    }
    return Declaration(**kept, grades=grades)


def _whole_keys(grades: Mapping[str, int], where: Path) -> dict[int, int]:
    try:
        return {int(foreign): ours for foreign, ours in grades.items()}
    except ValueError:
        raise ParameterError(
            "grades that are no whole numbers", where=where, found=", ".join(grades)
        ) from None


def _occurring(collection: Judged, grades: Mapping[int, int]) -> tuple[int, int] | None:
    """The lowest grade that occurs, at most 0, and the highest, at least 1; once mapped."""
    found = {grades.get(g, g) for g in collection.judgments["grade"].drop_nulls().unique()}
    return (min({0, *found}), max({1, *found})) if found else None
