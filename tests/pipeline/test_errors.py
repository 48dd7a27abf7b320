"""Every error says what, where, what was found, what was expected, and what to do."""

import pytest

from pipeline.errors import (
    CollectionError,
    ContractError,
    InputError,
    MissingError,
    ParameterError,
    RankgateError,
    RecordError,
    first_three,
    key,
)


def test_a_message_is_one_line_in_a_fixed_order() -> None:
    problem = InputError(
        "wrong number of columns",
        where="runs/bm25.run:7",
        found=5,
        expected=6,
        next_command="rankgate check",
    )
    assert str(problem) == (
        "runs/bm25.run:7: wrong number of columns; found 5; expected 6. Next: rankgate check"
    )


def test_what_is_not_known_is_not_said() -> None:
    assert str(ParameterError("no such branch")) == "no such branch"


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (InputError, ValueError),
        (CollectionError, ValueError),
        (ParameterError, ValueError),
        (MissingError, FileNotFoundError),
        (RecordError, ValueError),
        (ContractError, ValueError),
    ],
)
def test_each_leaf_is_also_the_nearest_builtin(
    error: type[RankgateError], builtin: type[Exception]
) -> None:
    assert issubclass(error, RankgateError)
    assert issubclass(error, builtin)


def test_a_collection_lists_every_problem() -> None:
    problem = CollectionError(["a.jsonl:1: no text", "b.jsonl:2: no id"], where="data/c")
    assert str(problem).splitlines() == [
        "data/c: 2 problem(s)",
        "  a.jsonl:1: no text",
        "  b.jsonl:2: no id",
        "  Next: correct these and run the same command again",
    ]


def test_a_refusal_of_a_value_is_told_under_its_key() -> None:
    nested = pytest.raises(ParameterError, match=r"^selection\.weights\.a: refused")
    with nested, key("selection"):
        raise ParameterError("refused", where="weights.a")
    plain = pytest.raises(ParameterError, match=r"^sweep\.measures: no such; found x. Next: y")
    with plain, key("sweep.measures"):
        raise ParameterError("no such", found="x", next_command="y")


def test_offenders_beyond_three_are_counted() -> None:
    assert first_three(["a", "b"]) == "a, b"
    assert first_three(["a", "b", "c", "d", "e"]) == "a, b, c and 2 more"


def test_a_place_as_long_as_a_file_is_cut() -> None:
    said = str(InputError("unknown key", where="k" * 70_000, found="v" * 70_000))
    assert len(said) < 3_000
    assert "(70000 characters)" in said
