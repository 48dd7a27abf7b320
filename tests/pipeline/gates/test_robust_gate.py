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
        for view, low, high in (
            ("worst", worst_low, 0.3),
            ("best", -0.3, best_high),
            ("any", worst_low, best_high),
        )
    ]
    of = deciding({"robust": True}, regime="pooled")
    gate = asked("robust", of, bounds=views)
    assert (gate.status, gate.required) == (status, True)


def test_unasked_it_is_advisory():
    gate = asked("robust", deciding({}, regime="pooled"))
    assert (gate.status, gate.required) == ("not_measured", False)


SURE = {"worst": (0.02, 0.3), "best": (0.0, 0.4), "any": (0.01, 0.4)}


def robust_of(**views):
    """The gate where every baseline has these views: low and high."""
    rows = [
        bound(baseline, view, *ends)
        for baseline in ("bm25", "dense")
        for view, ends in views.items()
    ]
    return asked("robust", deciding({"robust": True}, regime="pooled"), bounds=rows)


@pytest.mark.parametrize(
    ("changed", "status"),
    [
        ({}, "pass"),
        # A mixture of grades has a lower L than every query at its worst.
        ({"any": (-0.01, 0.4)}, "unresolved"),
        # Bootstrap-t, tried on a few assignments below 60 groups.
        ({"tried": (-0.01, 0.4)}, "unresolved"),
        ({"tried": (0.01, 0.4)}, "pass"),
        # U is under the margin at the best of each query, but not of every mixture.
        (
            {"worst": (-0.3, -0.2), "best": (-0.2, -0.1), "any": (-0.3, 0.01)},
            "unresolved",
        ),
        ({"worst": (-0.3, -0.2), "best": (-0.2, -0.1), "any": (-0.3, -0.1)}, "fail"),
    ],
)
def test_every_assignment_counts(changed, status):
    assert robust_of(**{**SURE, **changed}).status == status


@pytest.mark.parametrize("missing", ["worst", "any", "best"])
def test_a_bound_that_is_not_known_settles_nothing(missing):
    known = {view: ends for view, ends in SURE.items() if view != missing}
    assert robust_of(**known).status == "not_measured"


def test_queries_that_grades_could_bring_in_are_counted_and_bounded():
    of = deciding({"robust": True}, regime="pooled")
    rows = [
        bound(baseline, view, *ends, joining=20 if view == "any" else 0)
        for baseline in ("bm25", "dense")
        for view, ends in {**SURE, "any": (-0.3, 0.4)}.items()
    ]
    gate = asked("robust", of, bounds=rows)
    assert gate.status == "unresolved"
    assert "20 further queries" in gate.reason
    assert gate.evidence[0]["joining"] == 20
    assert gate.evidence[0]["bound"] == "t: outer bound over all grades"
    assert "further" not in robust_of(**SURE).reason


def test_the_evidence_says_what_the_bound_promises():
    assert robust_of(**SURE).evidence[0]["bound"] == "t: exact over all grades"
    tried = robust_of(**SURE, tried=(0.01, 0.4)).evidence[0]["bound"]
    assert tried.startswith("t: exact over all grades; bootstrap-t:")
    assert tried.endswith("no bound")
