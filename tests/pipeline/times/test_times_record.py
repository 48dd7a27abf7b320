"""The lines of the times record, those of earlier versions among them."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import RecordError
from pipeline.times import Timing, Work, parse_times
from pipeline.times.current import latest_run, of_these_branches, search_times
from pipeline.times.work import count_tokens

RECORD = Path(__file__).parents[3] / "data" / "times.jsonl"
WORK = Work({"bm25": 2}, candidates=20, documents=10, context_tokens=300, timeouts={"bm25": 1})
TIMING = Timing(
    "bm25",
    "warm",
    (1.5, 2.0),
    {"bm25": "digest"},
    None,
    {"cores": 2},
    {"numpy": "2"},
    "2026-01-01",
    depths={"bm25": 10},
    session="one",
    work=WORK,
)
# A line as versions before wrote it.
EARLIER = {
    "system": "selected:fusion",
    "mode": "warm",
    "calls": 2,
    "calls_ms": [1.5, 2.0],
    "contracts": {"bm25": "digest"},
    "configuration": "rrf",
    "machine": {},
    "versions": {},
    "measured_at": "2026-01-01",
}


@given(
    st.lists(st.floats(0, 1e6), min_size=1, max_size=5),
    st.sampled_from(["end_to_end", "search:bm25", "start"]),
    st.sampled_from(["warm", "cold"]),
    st.integers(1, 16),
)
def test_a_timing_survives_its_line(calls, component, mode, callers):
    timing = Timing(
        "selected",
        mode,
        tuple(calls),
        {"a": "x"},
        "rrf",
        {},
        {},
        "2026-01-01",
        component=component,
        callers=callers,
    )
    assert parse_times([json.loads(json.dumps(timing.line()))]) == [timing]
    assert parse_times([TIMING.line()]) == [TIMING]


def test_a_line_of_an_earlier_version_stays_readable():
    (found,) = parse_times([EARLIER])
    assert (found.system, found.component, found.callers) == ("selected", "fusion", 1)
    assert (found.depths, found.work, found.run) == ({}, None, "2026-01-01")
    (whole,) = parse_times([{**EARLIER, "system": "selected"}])
    assert whole.component == "end_to_end"


def test_every_line_that_this_repository_ever_recorded_is_readable():
    lines = [json.loads(line) for line in RECORD.read_text("utf-8").splitlines() if line]
    assert len(parse_times(lines)) == len(lines) > 0


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
        {"component": "coffee"},
        {"component": "search:"},
        {"callers": 0},
        {"callers": True},
        {"work": {"requests": {}}},
        {"work": {**WORK.line(), "candidates": -1}},
        {"work": {**WORK.line(), "requests": {"bm25": 1.5}}},
        {"work": "much"},
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


def test_work_adds_up():
    both = WORK + Work({"bm25": 1, "dense": 1}, candidates=5, documents=1, partial=1)
    assert both == Work({"bm25": 3, "dense": 1}, 25, 11, 300, 1, {"bm25": 1})


def test_tokens_are_words_and_marks_of_any_script():
    assert count_tokens(["Öl-Pumpe №5, 40 bar!", None, "ポンプ"]) == 10


def test_only_times_of_these_branches_are_used_and_the_last_of_each():
    later = parse_times([TIMING.line() | {"calls_ms": [9.0, 9.0]}])[0]
    other = parse_times([TIMING.line() | {"contracts": {"bm25": "another"}}])[0]
    known = of_these_branches([TIMING, later, other], {"bm25": "digest"})
    assert latest_run(known) == [later]


def test_searches_are_found_alone_beside_others_and_in_earlier_lines():
    fused = parse_times([TIMING.line() | {"system": "selected@5", "component": "search:bm25"}])[0]
    whole = parse_times([EARLIER | {"system": "bm25", "configuration": None}])[0]
    found = search_times([TIMING, fused, whole], {"bm25": 100})
    assert found == [("bm25", fused), ("bm25", whole)]
