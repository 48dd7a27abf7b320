"""How much is judged, and how evenly."""

import pytest

from pipeline.tables import COVERAGE, SYSTEMS
from tests.findings import asked, deciding
from tests.rows import table


def shares(split="test", **judged):
    rows = [
        {"system": system, "split": split, "cutoff": 5, "judged": count, "returned": 100}
        for system, count in judged.items()
    ]
    return table(COVERAGE, rows)


@pytest.mark.parametrize(
    ("bm25", "dense", "status"),
    [(95, 90, "pass"), (95, 89, "fail"), (100, 90, "pass")],
)
def test_floor_and_gap(bm25, dense, status):
    of = deciding({"coverage": {"judged": 0.9, "gap": 0.1}}, regime="pooled")
    gate = asked("coverage", of, coverage=shares(bm25=bm25, dense=dense))
    assert (gate.status, gate.required) == (status, True)


def test_under_crossfit_the_pool_of_all_its_queries_counts():
    of = deciding({"coverage": {"judged": 0.9, "gap": 0.1}}, regime="pooled")
    assert asked("coverage", of, coverage=shares("crossfit", bm25=95, dense=80)).observed == 0.8


def test_an_uneven_pool_favours_who_filled_it():
    of = deciding({"coverage": {"judged": 0.5, "gap": 0.1}}, regime="pooled")
    gate = asked("coverage", of, coverage=shares(bm25=99, dense=60))
    assert gate.status == "fail"
    assert "39.0% apart" in gate.reason
    assert "rankgate judge export" in gate.next[0]


def test_the_selected_configuration_counts_once_it_is_measured():
    rows = [
        {
            "system": system,
            "role": "x",
            "split": "test",
            "measure": "Judged@5",
            "value": value,
            "queries": 40,
            "groups": 40,
        }
        for system, value in (("bm25", 1.0), ("selected", 0.7), ("oracle_union", 0.1))
    ]
    of = deciding({"coverage": {"judged": 0.8, "gap": 1.0}}, regime="pooled")
    gate = asked("coverage", of, systems=table(SYSTEMS, rows))
    assert gate.observed == 0.7
    assert "selected" in gate.reason


@pytest.mark.parametrize("regime", ["exhaustive", "sparse"])
def test_does_not_apply_where_unjudged_is_no_gap(regime):
    of = deciding({"coverage": {}}, regime=regime)
    gate = asked("coverage", of, coverage=shares(bm25=1))
    assert (gate.status, gate.required) == ("not_applicable", False)


def test_floor_and_gap_are_not_missed_by_the_rounding_of_floats():
    of = deciding({"coverage": {"judged": 0.6, "gap": 0.02}}, regime="pooled")
    assert 0.62 - 0.60 > 0.02
    assert asked("coverage", of, coverage=shares(bm25=62, dense=60)).status == "pass"
