"""Checks of single JSON values: each returns what to store, or says what it expected."""

import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from pipeline.tables import CANARY

SIDES = ("dev", "test", "train", "reserve")
LARGEST = 2**53


def an_id(value: Any) -> str:
    """A non-empty text; a number is refused, since 007 and 7 are different ids."""
    if not isinstance(value, str) or not value:
        raise ValueError('a non-empty text (ids are texts: write "7", not 7)')
    return a_text(value)


def a_text(value: Any) -> str:
    """Any text that UTF-8 can hold."""
    if not isinstance(value, str):
        raise ValueError("a text")
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("text without half surrogate pairs") from None
    return value


def kind(value: Any) -> str:
    """Any text; `Canary` is refused: a trap that is not set would catch nobody."""
    said = a_text(value)
    if said != CANARY and said.strip().casefold() == CANARY:
        raise ValueError(f"{CANARY}, spelt so, or another kind")
    return said


def ids(value: Any) -> list[str]:
    """A list of ids."""
    if not isinstance(value, list):
        raise ValueError("a list of texts")
    return [an_id(item) for item in value]


def some_ids(value: Any) -> list[str]:
    """A list of at least one id: an empty list would be read as nobody or as everybody."""
    if not ids(value):
        raise ValueError("at least one, or no such field")
    return ids(value)


def labels(value: Any) -> list[str]:
    """A list of labels, or one label."""
    return sorted(set(ids([value] if isinstance(value, str) else value)))


def whole(value: Any) -> int:
    """A whole number."""
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > LARGEST:
        raise ValueError("a whole number")
    return value


def offset(value: Any) -> int:
    """A whole number from 0."""
    if whole(value) < 0:
        raise ValueError("a whole number from 0")
    return whole(value)


def real(value: Any) -> float:
    """A finite number."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        raise ValueError("a finite number")
    try:
        number = float(value)
    except OverflowError:  # a whole number of more than 308 digits
        number = math.inf
    if not math.isfinite(number):
        raise ValueError("a finite number")
    return number


def amount(value: Any) -> float:
    """A finite number from 0."""
    if real(value) < 0:
        raise ValueError("a finite number from 0")
    return real(value)


def integral(value: Any) -> int:
    """A whole number, also where it is written with a decimal point."""
    if isinstance(value, float) and value.is_integer():
        return whole(int(value))
    return whole(value)


def flag(value: Any) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def moment(value: Any) -> datetime:
    """An ISO 8601 date or time; midnight and UTC where it does not say."""
    try:
        parsed = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise ValueError("a date or time in ISO 8601, such as 2024-05-31T12:00:00Z") from None
    try:
        return parsed.replace(tzinfo=UTC) if parsed.tzinfo is None else parsed.astimezone(UTC)
    except OverflowError:
        raise ValueError("a date of the years 1 to 9999 in UTC") from None


def one_of(*allowed: str) -> Callable[[Any], str]:
    """One of the given words."""

    def check(value: Any) -> str:
        if not isinstance(value, str) or value not in allowed:
            raise ValueError(" or ".join(allowed))
        return value

    return check


def objects(**fields: Callable[[Any], Any]) -> Callable[[Any], list[dict[str, Any]]]:
    """A list of objects with exactly these fields."""

    def check(value: Any) -> list[dict[str, Any]]:
        form = f"a list of {{{', '.join(fields)}}}"
        if not isinstance(value, list) or not all(
            isinstance(item, dict) and set(item) == set(fields) for item in value
        ):
            raise ValueError(form)
        return [{name: fields[name](item[name]) for name in fields} for item in value]

    return check


def an_object(value: Any) -> dict[str, Any]:
    """An object of any fields."""
    if not isinstance(value, dict):
        raise ValueError("an object {...}")
    return value


def dictionaries(value: Any) -> list[dict[str, Any]]:
    """A list of objects of any fields."""
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError("a list of objects")
    return value


def grades(value: Any) -> Mapping[str, int]:
    """Evidence id to grade."""
    if not isinstance(value, dict):
        raise ValueError("an object {evidence_id: grade}")
    return {an_id(evidence): whole(grade) for evidence, grade in value.items()}
