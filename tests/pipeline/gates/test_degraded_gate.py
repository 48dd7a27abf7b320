"""What is kept while a branch is out."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.tables import FAULTS
from tests.findings import MEASURE, asked, deciding, declared
from tests.rows import table


def measured(**values):
    rows = [
        {
            "fault": fault.replace("_", ":"),
            "system": "selected",
            "split": "test",
            "measure": MEASURE,
            "value": value,
            "delta": 0.0,
            "empties": empties,
            "partials": 0,
            "queries": 40,
            "fallbacks": 0,
            "affected": 40,
            "unmarked": 0,
        }
        for fault, (value, empties) in values.items()
    ]
    return table(FAULTS, rows)


@pytest.mark.parametrize(("floor", "status"), [(0.75, "pass"), (0.76, "fail")])
def test_keeps_a_share_of_the_whole(floor, status):
    faults = measured(none=(0.8, 0), dropout_bm25=(0.7, 0), dropout_dense=(0.6, 0))
    gate = asked("degraded", deciding({"degraded": {"floor": floor}}), faults=faults)
    assert gate.status == status
    assert gate.observed == pytest.approx(0.75)
    assert "dropout:dense" in gate.reason


def test_empty_answers_must_not_rise():
    faults = measured(none=(0.8, 1), dropout_bm25=(0.8, 2))
    gate = asked("degraded", deciding({"degraded": {"floor": 0.5}}), faults=faults)
    assert gate.status == "fail"
    assert "1 more empty answers" in gate.reason


def test_a_rise_of_empty_answers_may_be_declared():
    faults = measured(none=(0.8, 0), dropout_bm25=(0.8, 2))
    for share, status in ((0.05, "pass"), (0.04, "fail")):
        limit = {"degraded": {"floor": 0.5, "empties": share}}
        assert asked("degraded", deciding(limit), faults=faults).status == status


def test_a_fault_may_have_a_floor_of_its_own():
    faults = measured(none=(0.8, 0), dropout_bm25=(0.7, 0), truncated_bm25=(0.7, 0))
    limit = {"degraded": {"floor": 0.8, "faults": {"truncated": 0.95}}}
    gate = asked("degraded", deciding(limit), faults=faults)
    assert (gate.status, gate.limit) == ("fail", 0.95)
    assert gate.reason.startswith("bm25 cut off (truncated:bm25): keeps 87.5%")


def test_pairs_are_shown_and_bind_only_where_they_have_a_floor():
    faults = table(
        FAULTS,
        [
            *measured(none=(0.8, 0), dropout_bm25=(0.7, 0)).to_dicts(),
            measured(dropout_bm25=(0.1, 0)).to_dicts()[0] | {"fault": "dropout:bm25+dense"},
        ],
    )
    for pairs, status in ((None, "pass"), (0.1, "pass"), (0.2, "fail")):
        limit = {"degraded": {"floor": 0.5, "pairs": pairs}}
        assert asked("degraded", deciding(limit), faults=faults).status == status


def test_a_broken_invariant_fails_whatever_is_kept():
    faults = measured(none=(0.8, 0), dropout_bm25=(0.8, 0))
    broken = {"no_fault_widens_eligibility": {"checked": 9, "violations": ["slow:bm25: q1 secret"]}}
    gate = asked(
        "degraded",
        deciding({"degraded": {"floor": 0.5}}),
        faults=faults,
        operations_summary={"invariants": broken},
    )
    assert gate.status == "fail"
    assert "no fault widens eligibility" in gate.reason
    assert "slow:bm25: q1 secret" in gate.reason


def test_a_branch_that_looks_dead_leaves_the_gate_unresolved():
    faults = measured(none=(0.8, 0), dropout_bm25=(0.8, 0))
    silent = [{"branches": ["bm25"], "text": "bm25 looks dead from q1 to q9"}]
    gate = asked(
        "degraded",
        deciding({"degraded": {"floor": 0.5}}),
        faults=faults,
        operations_summary={"silent": silent},
    )
    assert (gate.status, gate.reason) == ("unresolved", "bm25 looks dead from q1 to q9")


def test_where_less_is_better_what_is_kept_are_the_hits():
    of = declared(selection={"measure": "ZeroHit@5"}, decision={"degraded": {"floor": 0.5}})
    faults = measured(none=(0.2, 0), dropout_bm25=(0.6, 0))
    gate = asked("degraded", of, faults=faults.with_columns(measure=pl.lit("ZeroHit@5")))
    assert gate.status == "pass"
    assert gate.observed == pytest.approx(0.5)


def test_nothing_to_lose_is_nothing_measured():
    faults = measured(none=(0.0, 0), dropout_bm25=(0.0, 0))
    gate = asked("degraded", deciding({"degraded": {"floor": 0.5}}), faults=faults)
    assert gate.status == "not_measured"


def test_unasked_it_is_shown_without_a_verdict():
    faults = measured(none=(0.8, 0), dropout_bm25=(0.4, 0))
    gate = asked("degraded", deciding({}), faults=faults)
    assert (gate.status, gate.required, gate.observed) == ("not_applicable", False, 0.5)


@given(
    values=st.lists(st.floats(0.01, 1), min_size=1, max_size=3),
    rise=st.floats(0, 0.5),
    floor=st.floats(0, 1),
)
def test_keeping_more_under_fault_is_never_a_worse_verdict(values, rise, floor):
    def status(more):
        named = {f"dropout_{i}": (value + more, 0) for i, value in enumerate(values)}
        faults = measured(none=(1.0, 0), **named)
        return asked("degraded", deciding({"degraded": {"floor": floor}}), faults=faults).status

    assert ("fail", "pass").index(status(rise)) >= ("fail", "pass").index(status(0.0))


def test_a_floor_that_is_met_exactly_is_not_missed_by_the_rounding_of_floats():
    assert 0.72 / 0.8 < 0.9
    faults = measured(none=(0.8, 0), dropout_bm25=(0.72, 0))
    assert asked("degraded", deciding({"degraded": {"floor": 0.9}}), faults=faults).status == "pass"
