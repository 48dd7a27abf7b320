"""The options in a measure's name: what stands between its parentheses."""

import ast
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.errors import ParameterError

Option = int | float | bool | str

OPTION = re.compile(r"^\s*(?P<key>\w+)\s*=\s*(?P<value>.+?)\s*$")


@dataclass(frozen=True, slots=True)
class Range:
    """Which values an option may have: a test of them, and its words."""

    allows: Callable[[Any], bool]
    words: str


RANGES: Mapping[str, Range] = {
    "rel": Range(lambda value: value >= 1, "a whole number from 1"),
    "dcg": Range(lambda value: value in {"log2", "exp-log2"}, "'log2' or 'exp-log2'"),
    "p": Range(lambda value: 0 < value < 1, "a number between 0 and 1"),
    "judged_only": Range(lambda value: True, "True or False"),
}


def parse_options(name: str, known: Mapping[str, type], text: str | None) -> dict[str, Option]:
    """The options written in a name.

    Args:
        name: the whole name, for messages.
        known: option name to type, of this family.
        text: `rel=2, judged_only=True`; None where there are no parentheses.

    Raises:
        ParameterError: an option is unknown, stands twice, or has a value it cannot have.
    """
    options: dict[str, Option] = {}
    for part in text.split(",") if text is not None else []:
        key, value = _option(name, known, part)
        if key in options:
            raise ParameterError(f"measure {name!r} sets {key!r} twice")
        options[key] = value
    return options


def option_keys(text: str | None) -> list[str]:
    """The names of the options written, whatever their values: those before an equals sign."""
    return re.findall(r"(\w+)\s*=(?!=)", text or "")


def _option(name: str, known: Mapping[str, type], part: str) -> tuple[str, Option]:
    match = OPTION.match(part)
    if match is None or match["key"] not in known:
        raise ParameterError(
            f"measure {name!r} has an unknown option",
            found=part.strip() or "nothing",
            expected=", ".join(known) or "no options",
        )
    key, value = match["key"], _literal(match["value"])
    # bool is a kind of int in Python, but not of threshold.
    typed = isinstance(value, known[key]) and isinstance(value, bool) == (known[key] is bool)
    if not typed or not RANGES[key].allows(value):
        raise ParameterError(
            f"measure {name!r} has a wrong value of {key!r}",
            found=match["value"],
            expected=RANGES[key].words,
        )
    return key, value


def _literal(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return None
