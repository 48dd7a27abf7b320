"""JSON Lines: one object on each line, every field checked, nothing converted in silence."""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pipeline.collection.lines import file_bytes, numbered_lines
from pipeline.collection.problems import Problems
from pipeline.errors import InputError

Check = Callable[[Any], Any]
IGNORED = "metadata"  # a field of the user's own, of any form


def json_lines(path: Path, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a JSON Lines file with their line numbers; other lines are problems."""
    for number, line in numbered_lines(path):
        try:
            value = strict_json(line.decode("utf-8"))
        except UnicodeDecodeError as problem:
            problems.add(path, "not UTF-8", line=number, found=problem.reason)
        except (ValueError, RecursionError) as problem:
            problems.add(path, "not JSON", line=number, found=problem, expected="one JSON object")
        else:
            if isinstance(value, dict):
                yield number, value
            else:
                problems.add(
                    path, "not a JSON object", line=number, found=kind_of(value), expected="{...}"
                )


def strict_json(text: str) -> Any:
    """JSON without NaN, infinity and repeated fields; raises ValueError or RecursionError."""
    return json.loads(text, object_pairs_hook=_unrepeated, parse_constant=_refuse_constant)


def json_document(path: Path) -> Any:
    """The one JSON value that a file holds.

    Raises:
        MissingError: the file is not there.
        InputError: it is no JSON in UTF-8.
    """
    try:
        return strict_json(file_bytes(path).decode("utf-8-sig"))
    except UnicodeDecodeError as problem:
        raise InputError("not UTF-8", where=path, found=problem.reason) from problem
    except (ValueError, RecursionError) as problem:
        if isinstance(problem, InputError):
            raise
        raise InputError(
            "not JSON", where=path, found=problem, expected="one JSON value"
        ) from problem


class Fields:
    """The fields that an object may have, each with its check.

    Args:
        checks: field name to a function that returns the value to store or raises ValueError
            with what it expected.
        required: fields that must be there.
    """

    def __init__(self, checks: Mapping[str, Check], *, required: tuple[str, ...]) -> None:
        self._checks, self._required = checks, required

    def read(
        self, path: object, line: int | None, given: Mapping[str, Any], problems: Problems
    ) -> dict[str, Any] | None:
        """The checked fields that are not null; None where one is wrong."""
        before = len(problems)
        checked: dict[str, Any] = {}
        for name, value in given.items():
            check = self._checks.get(name)
            if check is None:
                self._refuse(path, line, name, problems)
            elif value is not None:
                try:
                    checked[name] = check(value)
                except ValueError as problem:
                    problems.add(
                        path,
                        f"field {name!r} is wrong",
                        line=line,
                        found=shown(value),
                        expected=problem,
                    )
        for name in self._required:
            if given.get(name) is None:
                problems.add(path, f"field {name!r} is missing", line=line, expected="a value")
        return checked if len(problems) == before else None

    def known(self, given: Mapping[str, Any], dropped: Counter[str] | None) -> dict[str, Any]:
        """Only the fields that have a check; the others are counted as dropped."""
        kept = {name: value for name, value in given.items() if name in self._checks}
        if dropped is not None:
            dropped.update(given.keys() - kept.keys())
        return kept

    def _refuse(self, path: object, line: int | None, name: str, problems: Problems) -> None:
        if name == IGNORED:
            return
        nearest = get_close_matches(name, self._checks, n=1)
        expected = f"perhaps {nearest[0]!r}" if nearest else ", ".join(self._checks)
        problems.add(
            path,
            f"unknown field {shown(name)}",
            line=line,
            expected=f"{expected} ({IGNORED!r} holds whatever else you want to keep)",
        )


def kind_of(value: object) -> str:
    """What JSON calls a value's type."""
    return _KINDS.get(type(value), type(value).__name__)


def shown(value: object) -> str:
    """A value for a message: numbers and ids as they are, long texts by their length only."""
    if isinstance(value, str):
        return repr(value) if len(value) <= 40 else f"a text of {len(value)} characters"
    if isinstance(value, list | dict):
        return f"{kind_of(value)} of {len(value)}"
    return f"{kind_of(value)} {value}"


_KINDS: Mapping[type, str] = {
    str: "text",
    bool: "boolean",
    int: "number",
    float: "number",
    list: "list",
    dict: "object",
    type(None): "null",
}


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    given = dict(pairs)
    if len(given) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                raise ValueError(f"field {shown(name)} stands twice")
            seen.add(name)
    return given


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
