"""Parameters mean the same to a stage and to DVC, whose reader follows another version of YAML."""

import math
from typing import Any

import pytest
from dvc.utils.serialize import loads_yaml
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.errors import ParameterError
from pipeline.typed_yaml import load_mapping

# Letters that make numbers, dates, truth values, nothing and marks of YAML come often.
VALUES = st.text(
    st.sampled_from(
        "0123456789__--++..::eExXoObBTZ ~yYnNoOfFtTrRuUlLsSiIaA&*!?=<>|%@`'\"#,[]{}\x85"
    ),
    max_size=7,
)
WORDS = (
    "a",
    "k: ",
    "1",
    "1e3",
    "0o7",
    "_",
    "2026-11-30",
    "null",
    "no",
    "!!str ",
    "!!int ",
    "!!float ",
)
MARKS = ("\n", "\n  ", "- ", "{", "}", "[", "]", ", ", ":", "'", '"', "&a ", "*a", "? ", "| ", "> ")
RARE = ("# c", "<<: ", "\\n", "\u2028", "\x85")
PIECES = st.lists(st.sampled_from(WORDS + MARKS + RARE), max_size=7).map("".join)


def both(value: str) -> tuple[Any, Any] | None:
    """What we and DVC read; nothing where we refuse it."""
    text = f"a: 1\nb: {value}\n"
    try:
        return load_mapping(text, where="p"), loads_yaml(text)
    except ParameterError:
        return None


def alike(one: Any, other: Any) -> bool:
    """The same types and values, order of keys included."""
    if isinstance(one, dict) and isinstance(other, dict):
        return alike(list(one.items()), list(other.items()))
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return type(one) is type(other) and bool(one == other)


@given(VALUES | PIECES)
@example("-_8")
@example("1_e5")
@example("0o_7")
@example("!!int '010'")
@example("&a:b")
@example("one\u2028two: 2")
def test_what_a_stage_accepts_dvc_reads_alike(value: str) -> None:
    from ruamel.yaml import YAMLError

    try:
        read = both(value)
    except YAMLError:
        return  # DVC refuses the file, and runs nothing
    assert read is None or alike(*read)


@pytest.mark.parametrize(
    "value", ["60", "60.0", "1.0e-3", ".5", "true", "null", "'no'", "x-y", "[1]"]
)
def test_plain_values_are_accepted(value: str) -> None:
    read = both(value)
    assert read is not None
    assert alike(*read)
