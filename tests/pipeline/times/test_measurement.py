"""What `rankgate time` measures."""

import pytest

from pipeline.errors import InputError, ParameterError
from pipeline.operations.latency import branch_contracts
from pipeline.systems import SELECTED
from pipeline.times import FUSION, parse_times
from pipeline.times.measurement import measure
from tests.rows import documents, params, queries

BRANCHES = {
    "bm25": {"kind": "bm25", "depth": 3},
    "lsa": {"kind": "dense", "encoder": "lsa", "dimensions": 2, "depth": 3},
}
DOCUMENTS = documents(
    {"d1": "red pump", "d2": "blue valve", "d3": "red valve", "d4": "green hose"},
    tenant={"d4": "acme"},
)
QUERIES = queries({"q1": "red pump", "q2": "blue valve", "q3": "hose"}, tenant={"q3": "acme"})


def selected(*names, method="rrf"):
    return {
        "configuration": {
            "id": "ignored",
            "method": method,
            "rank_constant": 60,
            "weights": dict.fromkeys(names, 1.0),
            "depths": dict.fromkeys(names, 3),
        }
    }


def measured(**more):
    inputs = {
        "documents": DOCUMENTS,
        "queries": QUERIES,
        "vectors": {},
        "selection": selected("bm25", "lsa"),
        "params": params(BRANCHES),
        "measured_at": "2026-01-01T00:00:00+00:00",
        "calls": 7,
    }
    return measure(**{**inputs, **more})


def test_each_branch_fusion_and_the_whole_are_timed():
    timings = measured()
    assert [one.system for one in timings] == ["bm25", "lsa", SELECTED, FUSION]
    assert {len(one.calls_ms) for one in timings} == {7}
    assert {one.mode for one in timings} == {"warm"}
    assert parse_times([one.line() for one in timings]) == timings


def test_the_whole_takes_longer_than_its_part():
    by_name = {one.system: one for one in measured()}
    pairs = zip(by_name[SELECTED].calls_ms, by_name[FUSION].calls_ms, strict=True)
    assert all(whole >= part for whole, part in pairs)


def test_times_belong_to_the_branches_as_they_are():
    by_name = {one.system: one for one in measured()}
    assert by_name[SELECTED].contracts == branch_contracts(DOCUMENTS, params(BRANCHES))
    assert set(by_name["bm25"].contracts) == {"bm25"}
    assert by_name["bm25"].configuration is None
    assert by_name[SELECTED].configuration == by_name[FUSION].configuration


def test_no_name_of_host_or_user_is_recorded():
    machine = measured()[0].machine
    assert set(machine) == {"processor", "cores", "system", "python"}


def test_a_recorded_branch_is_not_timed_nor_a_whole_that_needs_it():
    with_recorded = params({**BRANCHES, "live": {"kind": "recorded", "run": "live"}})
    timings = measured(params=with_recorded, selection=selected("bm25", "live"))
    assert [one.system for one in timings] == ["bm25", "lsa"]


def test_before_a_selection_the_branches_are_timed():
    assert [one.system for one in measured(selection={"configuration": None})] == ["bm25", "lsa"]


def test_recorded_branches_alone_cannot_be_timed():
    with pytest.raises(ParameterError, match="every branch is recorded"):
        measured(params=params({"live": {"kind": "recorded", "run": "live"}}))


def test_queries_without_text_cannot_be_asked():
    with pytest.raises(InputError, match="no query can be asked"):
        measured(queries=queries({"q1": None}))
