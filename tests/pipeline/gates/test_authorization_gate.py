"""Forbidden evidence anywhere is 0."""

from datetime import UTC, datetime

import pytest

from pipeline.gates import GATES
from tests.findings import findings
from tests.rows import queries

LEAK = {
    "list": "candidates",
    "system": "live",
    "query_id": "q1",
    "doc_id": "d7",
    "reason": "another tenant's",
}


def found(*where):
    checked = {"candidates": {"rows": 9, "forbidden": len(where)}}
    return {
        "applies": True,
        "checked": checked,
        "forbidden": len(where),
        "where": list(where),
    }


def test_does_not_apply_where_nothing_is_restricted():
    gate = GATES["authorization"](findings())
    assert (gate.status, gate.required) == ("not_applicable", False)


def test_is_not_measured_where_queries_alone_name_whom_they_are_for():
    """As after an import that left the documents' tenants behind: nothing is a leak then."""
    asked = queries(
        {"q1": "?", "q2": "?", "q3": "?"}, tenant={"q1": "acme"}, groups={"q2": ["law"], "q3": []}
    )
    gate = GATES["authorization"](findings(queries=asked))
    assert (gate.status, gate.required) == ("not_measured", True)
    assert "2 queries are asked on behalf of one" in gate.reason
    assert "documents.jsonl" in gate.next[0]
    dated = queries({"q1": "?"}, as_of={"q1": datetime(2026, 1, 1, tzinfo=UTC)})
    assert GATES["authorization"](findings(queries=dated)).status == "not_applicable"


def test_is_required_wherever_something_is():
    gate = GATES["authorization"](findings(authorization=found()))
    assert (gate.status, gate.required) == ("pass", True)
    assert "9 rows" in gate.reason


@pytest.mark.parametrize("sealed", [True, False])
def test_one_row_fails_it_also_before_the_test_is_opened(sealed):
    gate = GATES["authorization"](findings(authorization=found(LEAK), sealed=sealed))
    assert (gate.status, gate.observed, gate.limit) == ("fail", 1.0, 0.0)
    assert "candidates live, query q1: another tenant's" in gate.reason
    assert "live" in gate.next[0]


def test_the_gate_does_not_spread_the_id_of_what_is_forbidden():
    gate = GATES["authorization"](findings(authorization=found(LEAK)))
    assert "d7" not in str(gate.record())
    assert "forbidden.parquet" in gate.next[0]
