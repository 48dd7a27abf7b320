"""The selected configuration against every single branch and production."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.gates.primary import primary
from pipeline.params import to_params
from tests.findings import BRANCHES, bound, comparison, declared, findings

WORSE_TO_BETTER = ("fail", "unresolved", "pass")
GAIN = (0.1, 0.05, 0.15)
LOSS = (-0.1, -0.15, -0.05)
UNSURE = (0.01, -0.02, 0.04)

# Measured on TREC DL 2019 passages, lists cut to 100, RRF with k = 60 and equal weights:
# the difference to the better branch, its one-sided 5 % bounds, and U with unjudged evidence
# at its best.
BM25_TASB = ((-0.0285, -0.0639, 0.0069), 0.019)
BM25_REPLLAMA = ((-0.0444, -0.0753, -0.0135), -0.005)
# TREC-COVID round 1, smith.bm25 + BM25R2, 30 topics, against each branch.
COVID = ((0.1069, 0.0343, 0.1796), (0.2008, 0.1332, 0.2683))


def decided(first, second, **more):
    return primary(findings([comparison("bm25", first), comparison("dense", second)], **more))


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        (GAIN, GAIN, "pass"),
        (GAIN, UNSURE, "unresolved"),
        (UNSURE, UNSURE, "unresolved"),
        (GAIN, LOSS, "fail"),
        (LOSS, UNSURE, "fail"),
        (LOSS, LOSS, "fail"),
    ],
)
def test_passes_if_all_pass_and_fails_if_any_fails(first, second, status):
    gate = decided(first, second)
    assert (gate.status, gate.required) == (status, True)
    assert [part["baseline"] for part in gate.evidence].count("bm25") == 1


def test_the_deciding_comparison_gives_figure_and_reason():
    gate = decided(GAIN, LOSS)
    assert gate.observed == -0.1
    assert "dense" in gate.reason
    assert "-0.1500" in gate.reason
    assert gate.next[0].startswith("Ship dense as it is")


@pytest.mark.parametrize(("regime", "status"), [("exhaustive", "fail"), ("pooled", "unresolved")])
def test_a_lexical_and_a_dense_branch_of_dl19_hold_only_if_all_is_judged(regime, status):
    figures, best = BM25_TASB
    of = declared(collection={"regime": regime}, decision={"primary": {"margin": 0.01}})
    gate = decided(GAIN, figures, of=of, bounds=_best(GAIN[2], best))
    assert gate.status == status
    if status == "unresolved":
        assert "unjudged" in gate.reason
        assert "rankgate judge export" in gate.next[0]


@pytest.mark.parametrize("regime", ["exhaustive", "pooled"])
def test_a_far_better_branch_of_dl19_holds_under_any_regime(regime):
    figures, best = BM25_REPLLAMA
    of = declared(collection={"regime": regime}, decision={"primary": {"margin": 0.01}})
    assert decided(GAIN, figures, of=of, bounds=_best(GAIN[2], best)).status == "fail"


def test_two_lexical_runs_of_covid_that_help_each_other_pass():
    first, second = COVID
    gate = primary(
        findings(
            [comparison("bm25", first, groups=30), comparison("dense", second, groups=30)],
            differing=30,
        )
    )
    assert gate.status == "pass"
    assert gate.observed == 0.1069


def test_without_a_bound_over_unjudged_evidence_a_pooled_collection_does_not_fail():
    of = declared(collection={"regime": "pooled"})
    assert decided(LOSS, LOSS, of=of).status == "unresolved"


def test_not_worse_asks_for_less_than_better():
    close = (-0.002, -0.01, 0.006)
    of = declared(question="not_worse", decision={"primary": {"tolerance": 0.02, "margin": 0.5}})
    assert decided(close, close, of=of).status == "pass"
    assert decided(close, close).status == "unresolved"


def test_an_unresolved_comparison_says_how_many_more_groups_it_takes():
    gate = decided(GAIN, UNSURE)
    assert gate.status == "unresolved"
    assert "more query groups" in gate.next[0]
    assert "rankgate assign" in gate.next[0]


def test_too_few_groups_say_so():
    rows = [comparison("bm25", GAIN, groups=12), comparison("dense", GAIN, groups=12)]
    gate = primary(findings(rows))
    assert gate.status == "unresolved"
    assert "12 query groups are too few to pass, 30 are needed" in gate.reason
    assert "18 more query groups" in gate.next[0]


@pytest.mark.parametrize(("question", "word"), [("improve", "and"), ("not_worse", "or")])
def test_production_is_named_only_where_there_is_one(question, word):
    rows = [comparison(name, GAIN) for name in (*BRANCHES, "production")]
    alone = primary(findings(rows, of=declared(question=question)))
    live = {"live": {"kind": "recorded", "run": "live"}}
    both = declared(question=question, candidates={**BRANCHES, **live}, production="live")
    beside = primary(findings(rows, of=both))
    assert (alone.status, beside.status) == ("pass", "pass")
    assert " single branch; " in alone.reason
    assert f" single branch {word} production; " in beside.reason


def test_production_is_a_rival_beside_the_branches():
    of = to_params(
        {
            "study": "small",
            "collection": {"path": ".", "regime": "exhaustive"},
            "candidates": {**BRANCHES, "live": {"kind": "recorded", "run": "live"}},
            "production": "live",
        }
    )
    rows = [comparison(name, GAIN) for name in ("bm25", "dense")]
    missing = primary(findings(rows, of=of))
    assert missing.status == "not_measured"
    assert "production" in missing.reason
    assert primary(findings([*rows, comparison("production", LOSS)], of=of)).status == "fail"


@pytest.mark.parametrize(
    ("rise", "status"), [((-0.1, -0.15, -0.05), "pass"), ((0.1, 0.05, 0.15), "fail")]
)
def test_fewer_zero_hits_are_a_gain_where_they_are_the_primary_measure(rise, status):
    measure = "ZeroHit@5"
    rows = [comparison(name, rise, measure=measure) for name in ("bm25", "dense")]
    gate = primary(findings(rows, of=declared(selection={"measure": measure})))
    assert (gate.status, gate.evidence[0]["delta"]) == (status, rise[0])


def test_nothing_is_said_of_a_sealed_test():
    gate = primary(findings(sealed=True))
    assert gate.status == "not_measured"
    assert gate.next == ("Open the test: `rankgate open`.",)


def test_without_judged_queries_the_worksheets_are_named():
    gate = primary(findings())
    assert gate.status == "not_measured"
    assert "rankgate judge export" in gate.next[0]


@given(
    low=st.floats(-0.5, 0.5),
    width=st.floats(0.001, 0.5),
    rise=st.floats(0, 0.5),
    other=st.sampled_from([GAIN, UNSURE, LOSS]),
)
def test_a_better_configuration_never_gets_a_worse_verdict(low, width, rise, other):
    def status(start):
        return decided((start + width / 2, start, start + width), other).status

    assert WORSE_TO_BETTER.index(status(low + rise)) >= WORSE_TO_BETTER.index(status(low))


def _best(first, second):
    return [
        bound(baseline, view, low, high)
        for view in ("best", "any")
        for baseline, low, high in (("bm25", 0.0, first), ("dense", -0.05, second))
    ]
