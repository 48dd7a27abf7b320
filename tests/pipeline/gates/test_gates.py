"""The gates together, and those that nothing can feed."""

import pytest

from pipeline.gates import evaluate_gates
from pipeline.gates.wording import judge_pool, judge_test
from tests.findings import asked, deciding, findings


@pytest.mark.parametrize(
    ("name", "limit"),
    [("cost", {"cost": {"requests": {"most": 2}}}), ("equal_work", {"equal_work": True})],
)
def test_what_nothing_measures_is_not_measured_when_asked_for_and_else_not_shown(name, limit):
    gate = asked(name, deciding(limit))
    assert (gate.status, gate.required, gate.observed) == ("not_measured", True, None)
    assert gate.reason
    assert asked(name, deciding({})) is None


def test_gates_are_shown_in_one_order_and_only_when_asked_for_or_measured():
    gates = evaluate_gates(findings())
    assert [gate.gate for gate in gates] == [
        "primary",
        "authorization",
        "coverage",
        "robust",
        "stability",
    ]


def test_every_record_has_the_same_fields():
    fields = {"gate", "required", "status", "observed", "limit", "unit", "reason", "evidence"}
    assert all(set(gate.record()) == fields for gate in evaluate_gates(findings()))


def test_every_command_that_a_step_names_can_be_typed_as_it_stands():
    for step in (judge_pool(), judge_test(), judge_test("bm25")):
        assert "`rankgate judge export --assessor NAME`" in step
        assert "`rankgate judge import FILE --round NAME`" in step
