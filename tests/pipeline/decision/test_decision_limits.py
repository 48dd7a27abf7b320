"""A limit that was moved after the test was opened shows in the decision."""

from dataclasses import fields

from pipeline.decision import compute
from pipeline.decision.limits import changed_limits, declared_limits
from pipeline.ledger import Opening
from pipeline.storage import to_json
from tests.findings import declared, findings


def opening(params, test_set="t", *, tells=True):
    limits = declared_limits(params) if tells else None
    return Opening(test_set, "s", {}, "2026-01-01", limits)


def strict(margin=0.02):
    return declared(decision={"primary": {"margin": margin}})


def test_an_unchanged_limit_is_not_listed():
    assert changed_limits([opening(strict())], "t", strict()) == []


def test_a_moved_margin_is_listed_with_both_values():
    assert changed_limits([opening(strict(0.02))], "t", strict(0.0)) == [
        {"key": "decision.primary.margin", "opened_with": 0.02, "now": 0.0}
    ]


def test_so_are_another_measure_and_a_gate_that_is_no_longer_asked_for():
    before = declared(decision={"degraded": {"floor": 0.8}})
    after = declared(selection={"measure": "R@100"})
    changed = {one["key"]: one["now"] for one in changed_limits([opening(before)], "t", after)}
    # The gate's other limit, which has a default, is gone with it.
    assert changed == {
        "decision.degraded.empties": None,
        "decision.degraded.floor": None,
        "selection.measure": "R@100",
    }


def test_the_first_opening_of_the_test_set_counts():
    ledger = [opening(strict(0.5), "other"), opening(strict(0.02)), opening(strict(0.0))]
    assert changed_limits(ledger, "t", strict(0.0))[0]["opened_with"] == 0.02


def test_a_line_that_does_not_tell_says_nothing():
    assert changed_limits([opening(strict(), tells=False)], "t", strict(0.0)) == []
    assert changed_limits([], "t", strict()) == []


def test_limits_can_be_written_on_a_line():
    assert to_json(declared_limits(strict()))


def test_the_decision_lists_them():
    made = findings(of=strict(0.0))
    inputs = {field.name: getattr(made, field.name) for field in fields(made)}
    decision = compute(manifest={}, ledger=[opening(strict(0.02))], **inputs).decision
    assert decision["changed_limits"][0]["key"] == "decision.primary.margin"
    # A note: what every way of showing the decision shows.
    assert decision["notes"][0].startswith(
        "decision.primary.margin is 0.0, and was 0.02 when this test set was first opened"
    )
