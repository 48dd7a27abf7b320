"""What YAML 1.1 and 1.2 read differently is refused, with its line."""

import pytest

from pipeline.errors import ParameterError
from pipeline.typed_yaml import load_mapping


@pytest.mark.parametrize(
    "value", ["1e-3", "no", "Yes", "on", "0012", "0o14", "12:30:00", "1_000", "=", "2026-11-30"]
)
def test_a_value_that_two_versions_read_differently_is_refused(value: str) -> None:
    with pytest.raises(ParameterError, match="YAML versions read this value differently"):
        load_mapping(f"a: 1\nb: {value}\n", where="params.yaml")


@pytest.mark.parametrize("value", ["-_8", "09_", "._", "0o_7", "1_e5", "!!int '010'", "&a:b"])
def test_so_is_what_dvcs_own_reader_takes_for_something_else(value: str) -> None:
    with pytest.raises(ParameterError, match=r"p:2: YAML versions read this value differently"):
        load_mapping(f"a: 1\nb: {value}\n", where="p")


@pytest.mark.parametrize("mark", ["\x85", "\u2028", "\u2029"])
@pytest.mark.parametrize("line", ["a: one{}b: 2", "a: 'one{}b: 2'", "a: 1 # one{}b: 2"])
def test_a_mark_that_ends_a_line_in_one_version_only_is_refused(mark: str, line: str) -> None:
    with pytest.raises(ParameterError, match=r"p:2: YAML versions.*found '\\"):
        load_mapping(f"c: 3\n{line.format(mark)}\n", where="p")


def test_the_line_is_named() -> None:
    with pytest.raises(ParameterError, match=r"params\.yaml:2: .*found no; expected"):
        load_mapping("a: 1\nb: no\n", where="params.yaml")


def test_quoted_it_is_a_string() -> None:
    content = load_mapping("a: '1e-3'\nb: \"no\"\nc: '0012'\n", where="p")
    assert content == {"a": "1e-3", "b": "no", "c": "0012"}


def test_plain_values_are_what_both_read() -> None:
    content = load_mapping(
        "a: 60\nb: 60.0\nc: true\nd: null\ne: .5\nf: 1.0e-3\ng: x-y\n", where="p"
    )
    assert content == {"a": 60, "b": 60.0, "c": True, "d": None, "e": 0.5, "f": 1.0e-3, "g": "x-y"}


def test_names_with_digits_and_underscores_are_names() -> None:
    content = load_mapping("a: _1\nb: bm25_v2\nc: e5_base\nd: &x 1\ne: *x\n", where="p")
    assert content == {"a": "_1", "b": "bm25_v2", "c": "e5_base", "d": 1, "e": 1}


def test_a_key_that_stands_twice_is_refused() -> None:
    with pytest.raises(ParameterError, match="key 'a' stands twice"):
        load_mapping("a: 1\na: 2\n", where="p")


def test_no_yaml_and_no_mapping_are_refused() -> None:
    with pytest.raises(ParameterError, match="not YAML"):
        load_mapping("a: [1\n", where="p")
    with pytest.raises(ParameterError, match="not a mapping"):
        load_mapping("- a\n", where="p")


def test_both_sides_of_a_conflict_are_told_as_one() -> None:
    text = "seed: 1\n<<<<<<< HEAD\nrel: 1\n=======\nrel: 2\n>>>>>>> b\n"
    with pytest.raises(ParameterError, match=r"p\.yaml:2: not YAML; found a mark that git left"):
        load_mapping(text, where="p.yaml")


def test_no_object_is_ever_built_from_a_tag() -> None:
    with pytest.raises(ParameterError, match="not YAML"):
        load_mapping("a: !!python/object/apply:os.system ['true']\n", where="p")
