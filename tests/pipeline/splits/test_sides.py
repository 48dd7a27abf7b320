"""The record of sides."""

import pytest

from pipeline.errors import RecordError
from pipeline.splits.sides import Side, by_query, refuse_unassigned, sides_of

GOOD = {"query_id": "q", "group_id": "g", "side": "dev", "fold": None}


def test_a_line_reads_back_as_it_was_written() -> None:
    sides = [Side("q1", "q1", "crossfit", 2), Side("q2", "q2", "test")]
    assert sides_of(side.line() for side in sides) == sides


@pytest.mark.parametrize(
    "change",
    [
        {"side": "validation"},
        {"side": None},
        {"query_id": 7},
        {"group_id": ""},
        {"fold": 1},
        {"side": "crossfit"},
        {"side": "crossfit", "fold": True},
        {"side": "crossfit", "fold": -1},
        {"extra": 1},
    ],
)
def test_lines_that_are_no_sides_are_named(change: dict) -> None:
    with pytest.raises(RecordError, match=r"sides\.jsonl:2"):
        sides_of([GOOD, GOOD | change])


def test_a_repeated_line_counts_once() -> None:
    assert len(by_query([Side("q", "g", "dev")] * 2)) == 1


def test_a_query_on_two_sides_is_refused() -> None:
    with pytest.raises(RecordError, match="query q: dev and test"):
        by_query([Side("q", "q", "dev"), Side("q", "q", "test")])


def test_a_group_on_two_sides_is_refused() -> None:
    with pytest.raises(RecordError, match="group g: crossfit 0 and crossfit 1"):
        by_query([Side("q1", "g", "crossfit", 0), Side("q2", "g", "crossfit", 1)])


def test_queries_without_a_side_name_the_command() -> None:
    with pytest.raises(RecordError, match=r"found 2: q2, q3.*rankgate assign"):
        refuse_unassigned(["q3", "q1", "q2"], {"q1": Side("q1", "q1", "dev")})
