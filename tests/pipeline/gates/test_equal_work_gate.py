"""Whether fusion wins where it fetches no more than one branch does."""

from dataclasses import replace

import pytest

from pipeline.gates.equal_work import equal_work
from pipeline.tables import EQUAL_WORKS
from tests.findings import GAIN, LOSS, MEASURE, UNSURE, declared, findings
from tests.rows import table


def row(bounds, baseline="best_branch", **changes):
    delta, low, high = bounds
    made = {
        "kind": "cut",
        "system": "equal_work",
        "baseline": baseline,
        "split": "test",
        "measure": MEASURE,
        "depth": 100,
        "fetched": 100,
        "delta": delta,
        "low": low,
        "high": high,
        "queries": 40,
        "groups": 40,
        "nonzero_groups": 40,
        "standard_error": 0.03,
    }
    return made | changes


def gate(*rows, of=None, **others):
    made = findings(of=of or declared(decision={"equal_work": True}), **others)
    return equal_work(replace(made, equal_work=table(EQUAL_WORKS, list(rows))))


@pytest.mark.parametrize(
    ("bounds", "status"), [(GAIN, "pass"), (LOSS, "fail"), (UNSURE, "unresolved")]
)
def test_it_is_judged_as_a_gain_is(bounds, status):
    found = gate(row(bounds))
    assert (found.status, found.required, found.observed) == (status, True, bounds[0])


def test_the_margin_is_the_primary_one():
    strict = declared(decision={"equal_work": True, "primary": {"margin": 0.06}})
    assert gate(row(GAIN), of=strict).status == "unresolved"


def test_only_the_cut_fusion_on_the_primary_measure_counts():
    others = [row(LOSS, kind="summed", system="selected", measure="R"), row(LOSS, split="dev")]
    others += [row(LOSS, measure="R"), row(LOSS, baseline="bm25")]
    assert gate(row(GAIN), *others).status == "pass"


def test_with_one_branch_there_is_nothing_to_share_out():
    made = findings(of=declared(decision={"equal_work": True}))
    alone = {"configuration": {"id": "bm25", "weights": {"bm25": 1.0}}}
    assert equal_work(replace(made, selection=alone)).status == "not_applicable"


def test_sealed_it_is_not_measured():
    assert gate(row(GAIN), sealed=True).status == "not_measured"


def test_unasked_it_is_shown_where_it_is_measured_and_else_not():
    found = gate(row(LOSS), of=declared())
    assert (found.status, found.required) == ("fail", False)
    assert gate(of=declared()) is None
