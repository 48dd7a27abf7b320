"""Named evidence of named queries stays in place."""

import pytest

from pipeline.gates import GATES
from pipeline.tables import RUNS
from tests.findings import asked, deciding, findings
from tests.rows import splits, table

LIMIT = {"pinned": [{"query": "q01", "evidence": "e", "cutoff": 2}]}


def at(rank, **more):
    rows = [
        {"system": "selected", "query_id": "q01", "rank": r, "doc_id": d, "evidence_id": d}
        for r, d in ((rank, "e"), (rank + 1, "other"))
    ]
    return GATES["pinned"](findings(of=deciding(LIMIT), **{"runs": table(RUNS, rows), **more}))


@pytest.mark.parametrize(("rank", "status"), [(1, "pass"), (2, "pass"), (3, "fail")])
def test_evidence_stays_within_its_cutoff(rank, status):
    gate = at(rank)
    assert (gate.status, gate.observed, gate.limit) == (status, rank, 2)


def test_evidence_that_is_not_listed_fails():
    gate = at(1, runs=RUNS.empty())
    assert (gate.status, gate.observed) == ("fail", None)


def test_a_query_that_is_not_there_is_named():
    limit = {"pinned": [{"query": "nobody", "evidence": "e", "cutoff": 2}]}
    gate = asked("pinned", deciding(limit))
    assert gate.status == "not_measured"
    assert "nobody" in gate.reason


def test_a_test_query_waits_for_the_test_and_another_does_not():
    assert at(1, sealed=True).status == "not_measured"
    dev = splits({f"q{number:02d}": "dev" for number in range(40)})
    assert at(1, sealed=True, splits=dev).status == "pass"
