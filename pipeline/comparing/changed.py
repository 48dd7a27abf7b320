"""Two mappings of settings side by side, and the values that differ."""

from collections.abc import Iterator, Mapping
from typing import Any


def changed(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> Iterator[str]:
    """`key: before → after`, one for each key whose values differ, sorted."""
    for key in sorted({*ours, *theirs}):
        before, after = ours.get(key), theirs.get(key)
        if before != after:
            yield f"{key}: {_said(before)} → {_said(after)}"


def keyed(prefix: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The same with the section that the keys stand in."""
    return {f"{prefix}.{name}": value for name, value in values.items()}


def section(of: Any, names: tuple[str, ...]) -> dict[str, Any]:
    """Some keys of a section of the parameters, as JSON has them."""
    values = of.model_dump(mode="json")
    return {name: values.get(name) for name in names}


def _said(value: Any) -> str:
    return "none" if value is None else str(value)
