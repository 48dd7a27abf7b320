"""What is kept while a branch is out."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.params import DegradedLimit
from pipeline.tables import FAULTS
from tests.findings import MEASURE, asked, deciding, declared
from tests.rows import params, table


def measured(floor=None, reach=0.02, of=None, **values):
    """Faults by value and lost answers; what is kept has bounds this far from the figure."""
    whole, before = values["none"]
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
            "affected": 0 if fault == "none" else 40,
            "unmarked": 0,
            "emptied": empties - before,
            **(NOTHING if fault == "none" or floor is None else bounds(value, whole, floor, reach)),
            **(of or {}),
        }
        for fault, (value, empties) in values.items()
    ]
    return table(FAULTS, rows)


NOTHING = {"groups": 0, "moved_groups": 0}


def bounds(value, whole, floor, reach):
    above = value - floor * whole
    return {
        "floor": floor,
        "above": above,
        "above_low": above - reach,
        "above_high": above + reach,
        "counted_low": -1.0,
        "groups": 40,
        "moved_groups": 40,
    }


def verdict(floor, *, empties=0.0, **more):
    limit = {"degraded": {"floor": floor, "empties": empties}}
    return asked("degraded", deciding(limit), faults=measured(floor=floor, **more))


@pytest.mark.parametrize(("floor", "status"), [(0.7, "pass"), (0.75, "unresolved"), (0.8, "fail")])
def test_the_bounds_of_what_is_kept_are_held_against_the_floor(floor, status):
    """0.6 of 0.8 is 75 %: at a floor of that very share nothing is settled."""
    gate = verdict(floor, none=(0.8, 0), dropout_bm25=(0.7, 0), dropout_dense=(0.6, 0))
    assert gate.status == status
    assert gate.observed == pytest.approx(0.75)
    assert "dropout:dense" in gate.reason
    assert f"{0.6 - floor * 0.8:+.4f} above the floor" in gate.reason
    assert (not gate.next) == (status == "pass")


def test_with_few_query_groups_it_cannot_pass():
    few = verdict(0.5, none=(0.8, 0), dropout_bm25=(0.7, 0), of={"groups": 29})
    assert few.status == "unresolved"
    assert "29 query groups are too few to pass" in few.reason


@pytest.mark.parametrize(("low", "status"), [(0.01, "pass"), (0.0, "pass"), (-0.01, "unresolved")])
def test_where_few_groups_change_those_that_lose_are_counted(low, status):
    few = {"moved_groups": 14, "counted_low": low}
    gate = verdict(0.5, none=(0.8, 0), dropout_bm25=(0.79, 0), of=few)
    assert gate.status == status
    assert "values change in 14 query group(s) only" in gate.reason


@pytest.mark.parametrize("floor", [0.9, 1.0])
def test_a_fault_that_changes_no_list_loses_nothing(floor):
    same = {"affected": 0, "moved_groups": 0, "above_low": None, "above_high": None}
    gate = verdict(floor, none=(0.8, 0), wrong_order_bm25=(0.8, 0), of=same)
    assert gate.status == "pass"
    assert "no list changes" in gate.reason


def test_differences_without_any_spread_settle_nothing():
    same = {"above_low": None, "above_high": None}
    gate = verdict(0.5, none=(0.8, 0), dropout_bm25=(0.7, 0), of=same)
    assert gate.status == "unresolved"
    assert "every difference is the same" in gate.reason


def test_one_answer_lost_is_enough_where_none_may_be():
    gate = verdict(0.5, none=(0.8, 1), dropout_bm25=(0.8, 2))
    assert gate.status == "fail"
    assert "1 more empty answers" in gate.reason


@pytest.mark.parametrize(
    ("allowed", "status"), [(0.2, "pass"), (0.05, "unresolved"), (0.001, "fail")]
)
def test_a_share_of_lost_answers_that_is_allowed_is_held_against_bounds(allowed, status):
    """2 of 40: between 0.9 and 14.9 % (Clopper and Pearson)."""
    lost = {"emptied_low": 0.009, "emptied_high": 0.149}
    gate = verdict(0.5, empties=allowed, none=(0.8, 0), dropout_bm25=(0.8, 2), of=lost)
    assert gate.status == status
    assert "2 more empty answers, between 0.9% and 14.9% of queries" in gate.reason


def test_a_fault_may_have_a_floor_of_its_own():
    limit = DegradedLimit(floor=0.8, faults={"truncated": 0.95})
    assert [limit.floor_of(one) for one in ("dropout:a", "truncated:a")] == [0.8, 0.95]


def test_pairs_are_shown_and_bind_only_where_they_have_a_floor():
    pair = "dropout:bm25+dense"
    assert DegradedLimit(floor=0.5).floor_of(pair) is None
    assert DegradedLimit(floor=0.5, pairs=0.1).floor_of(pair) == 0.1
    shown = measured(none=(0.8, 0), dropout_bm25=(0.1, 0)).to_dicts()[0] | {"fault": pair}
    singles = measured(floor=0.5, none=(0.8, 0), dropout_bm25=(0.7, 0)).to_dicts()
    faults = table(FAULTS, [*singles, shown])
    assert asked("degraded", deciding({"degraded": {"floor": 0.5}}), faults=faults).status == "pass"


def test_a_broken_invariant_fails_whatever_is_kept():
    faults = measured(floor=0.5, none=(0.8, 0), dropout_bm25=(0.8, 0))
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
    faults = measured(floor=0.5, none=(0.8, 0), dropout_bm25=(0.8, 0))
    silent = [{"branches": ["bm25"], "text": "bm25 looks dead from q1 to q9"}]
    gate = asked(
        "degraded",
        deciding({"degraded": {"floor": 0.5}}),
        faults=faults,
        operations_summary={"silent": silent},
    )
    assert (gate.status, gate.reason) == ("unresolved", "bm25 looks dead from q1 to q9")


@pytest.mark.parametrize(
    ("branches", "production", "status"),
    [(["dense"], None, "unresolved"), (["old"], "old", "unresolved"), (["old"], None, "pass")],
)
def test_lists_of_another_corpus_leave_it_unresolved_where_they_take_part(
    branches, production, status
):
    of = params(
        {name: {"kind": "recorded", "run": name} for name in ("bm25", "dense", "old")},
        fusion={"branches": ["bm25", "dense"]},
        production=production,
        decision={"degraded": {"floor": 0.5}},
    )
    stale = [{"branches": branches, "text": "answered from monday, not from sunday"}]
    faults = measured(floor=0.5, none=(0.8, 0), dropout_bm25=(0.8, 0))
    gate = asked("degraded", of, faults=faults, operations_summary={"stale": stale})
    assert gate.status == status


def test_where_less_is_better_what_is_kept_are_the_hits():
    of = declared(selection={"measure": "ZeroHit@5"}, decision={"degraded": {"floor": 0.5}})
    kept = {"above_low": 0.0, "above_high": 0.1}  # hits: 0.4 of 0.8
    faults = measured(floor=0.5, of=kept, none=(0.2, 0), dropout_bm25=(0.6, 0))
    gate = asked("degraded", of, faults=faults.with_columns(measure=pl.lit("ZeroHit@5")))
    assert gate.status == "pass"
    assert gate.observed == pytest.approx(0.5)


def test_nothing_to_lose_is_nothing_measured():
    faults = measured(floor=0.5, none=(0.0, 0), dropout_bm25=(0.0, 0))
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
    reach=st.floats(0, 0.2),
)
def test_keeping_more_under_fault_is_never_a_worse_verdict(values, rise, floor, reach):
    def status(more):
        named = {f"dropout_{i}": (value + more, 0) for i, value in enumerate(values)}
        return verdict(floor, reach=reach, none=(1.0, 0), **named).status

    worst_first = ("fail", "unresolved", "pass")
    assert worst_first.index(status(rise)) >= worst_first.index(status(0.0))


def test_a_floor_that_is_met_exactly_is_not_missed_by_the_rounding_of_floats():
    """Where every query keeps the very floor there is no spread, and nothing below it."""
    assert 0.72 - 0.9 * 0.8 < 0
    assert verdict(0.9, reach=0.0, none=(0.8, 0), dropout_bm25=(0.72, 0)).status == "pass"
