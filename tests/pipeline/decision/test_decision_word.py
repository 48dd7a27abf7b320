"""The algebra of gates: one word, and nothing outweighs a required gate."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.decision import next_steps, word_of
from pipeline.gates import Gate
from pipeline.tables import COVERAGE
from tests.findings import findings
from tests.rows import table

STATUSES = ("pass", "fail", "unresolved", "not_measured", "not_applicable")
JUDGED = table(
    COVERAGE, [{"system": "bm25", "split": "test", "cutoff": 5, "judged": 3, "returned": 4}]
)
WORDS = ("hold", "inconclusive", "ship")


def gate(status, *, required=True, name="primary", step=None):
    return Gate(name, required, status, "because", next=() if step is None else (step,))


@pytest.mark.parametrize(
    ("first", "second", "word"),
    [
        ("pass", "pass", "ship"),
        ("pass", "not_applicable", "ship"),
        ("pass", "unresolved", "inconclusive"),
        ("pass", "not_measured", "inconclusive"),
        ("unresolved", "not_measured", "inconclusive"),
        ("pass", "fail", "hold"),
        ("unresolved", "fail", "hold"),
        ("not_measured", "fail", "hold"),
        ("fail", "fail", "hold"),
    ],
)
def test_two_required_gates(first, second, word):
    assert word_of([gate(first), gate(second)], sealed=False) == word
    assert word_of([gate(second), gate(first)], sealed=False) == word


@pytest.mark.parametrize("status", STATUSES)
def test_an_advisory_gate_never_changes_the_word(status):
    advisory = gate(status, required=False)
    for required in STATUSES:
        alone = word_of([gate(required)], sealed=False)
        assert word_of([gate(required), advisory], sealed=False) == alone


@pytest.mark.parametrize(("first", "second"), list(product(STATUSES, STATUSES)))
def test_before_the_test_is_opened_the_word_is_sealed_whatever_gates_show(first, second):
    assert word_of([gate(first), gate(second)], sealed=True) == "sealed"


@given(
    st.lists(st.tuples(st.sampled_from(STATUSES), st.booleans()), max_size=8),
    st.sampled_from(["unresolved", "not_measured", "fail"]),
)
def test_one_more_gate_in_the_way_never_brings_a_better_word(verdicts, status):
    gates = [gate(one, required=required) for one, required in verdicts]
    before, after = (
        word_of(gates, sealed=False),
        word_of([*gates, gate(status)], sealed=False),
    )
    assert WORDS.index(after) <= WORDS.index(before)


def test_a_hold_names_what_to_change_and_not_what_to_measure():
    gates = [gate("fail", step="change this"), gate("not_measured", step="measure that")]
    judged = findings(coverage=JUDGED)
    assert next_steps(judged, gates, "hold") == ["change this"]
    assert next_steps(judged, gates, "inconclusive") == ["measure that"]
    assert next_steps(judged, [gate("pass")], "ship") == []


@given(st.lists(st.tuples(st.sampled_from(STATUSES), st.booleans()), max_size=8), st.booleans())
def test_every_word_but_ship_ends_with_a_way_to_another(verdicts, sealed):
    """Also where no gate names one."""
    gates = [gate(one, required=required) for one, required in verdicts]
    word = word_of(gates, sealed=sealed)
    steps = next_steps(findings(sealed=sealed, coverage=JUDGED), gates, word)
    assert (word == "ship") == (not steps)
    assert all("`" in step for step in steps)


def test_sealed_ends_with_the_command_that_opens():
    sealed = findings(sealed=True, coverage=JUDGED)
    steps = next_steps(sealed, [gate("not_measured", step="later")], "sealed")
    assert steps == ["Open the test: `rankgate open`."]


def test_what_was_never_chosen_on_judged_queries_is_not_to_be_opened():
    searched = {"mode": "search", "dev": {"queries": 0}}
    sealed = findings(sealed=True, coverage=JUDGED, selection=searched)
    (step,) = next_steps(sealed, [], "sealed")
    assert "rankgate open" not in step
    assert "selection.mode: declared" in step


def test_a_leak_is_named_before_the_test_is_opened():
    sealed = findings(sealed=True, coverage=JUDGED)
    steps = next_steps(sealed, [gate("fail", name="authorization", step="close it")], "sealed")
    assert steps == ["close it", "Open the test: `rankgate open`."]


def test_where_nothing_is_judged_the_worksheets_come_first():
    steps = next_steps(findings(sealed=True), [], "sealed")
    assert "rankgate judge export" in steps[0]
