"""Whether the verdict stands whatever the unjudged evidence is."""

import pytest

from tests.findings import asked, bound, deciding


@pytest.mark.parametrize(
    ("worst_low", "best_high", "status"),
    [(0.01, 0.2, "pass"), (-0.01, 0.2, "unresolved"), (-0.2, -0.01, "fail")],
)
def test_stands_whatever_the_unjudged_evidence_is(worst_low, best_high, status):
    views = [
        bound(baseline, view, low, high)
        for baseline in ("bm25", "dense")
        for view, low, high in (("worst", worst_low, 0.3), ("best", -0.3, best_high))
    ]
    of = deciding({"robust": True}, regime="pooled")
    gate = asked("robust", of, bounds=views)
    assert (gate.status, gate.required) == (status, True)


def test_unasked_it_is_advisory():
    gate = asked("robust", deciding({}, regime="pooled"))
    assert (gate.status, gate.required) == ("not_measured", False)
