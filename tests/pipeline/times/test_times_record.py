"""The lines of the times record."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import RecordError
from pipeline.times import Timing, parse_times

TIMING = Timing(
    "bm25", "warm", (1.5, 2.0), {"bm25": "digest"}, None, {"cores": 2}, {"numpy": "2"}, "2026-01-01"
)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=5))
def test_a_timing_survives_its_line(calls):
    timing = Timing("selected", "warm", tuple(calls), {"a": "x"}, "rrf", {}, {}, "2026-01-01")
    assert parse_times([timing.line()]) == [timing]


@pytest.mark.parametrize(
    "fault",
    [
        {"mode": "tepid"},
        {"calls": 3},
        {"calls_ms": [], "calls": 0},
        {"calls_ms": [1.0, -2.0]},
        {"calls_ms": [1.0, float("nan")]},
        {"calls_ms": "fast"},
        {"extra": 1},
    ],
)
def test_a_line_that_is_no_timing_is_refused_by_its_number(fault):
    with pytest.raises(RecordError, match=r"data/times\.jsonl:2"):
        parse_times([TIMING.line(), {**TIMING.line(), **fault}])


def test_a_line_without_a_key_is_refused():
    line = TIMING.line()
    del line["contracts"]
    with pytest.raises(RecordError, match="not a timing"):
        parse_times([line])
