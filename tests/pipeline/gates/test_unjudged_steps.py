"""What the gates say of few pairs to judge, and of judgments that one branch alone brought."""

import pytest

from pipeline import tables
from pipeline.decision.notes import notes
from pipeline.gates.bias import Bias, bias
from pipeline.gates.primary import primary
from tests.findings import (
    GAIN,
    LOSS,
    UNSURE,
    asked,
    bound,
    comparison,
    deciding,
    declared,
    findings,
)
from tests.rows import table


def critical(turns, pairs=2, split="test"):
    rows = [
        {
            "split": split,
            "place": place,
            "query_id": "q01",
            "evidence_id": f"e{place}",
            "grade": 1,
            "low": 0.01,
            "turns": turns,
        }
        for place in range(1, pairs + 1)
    ]
    return table(tables.CRITICAL, rows)


def decided(figures, **more):
    return primary(findings([comparison("bm25", GAIN), comparison("dense", figures)], **more))


def test_an_unresolved_primary_names_the_few_pairs_first():
    gate = decided(UNSURE, critical=critical("pass"))
    assert gate.next[0].startswith("Judge the 2 pair(s) that alone could lift every L")
    assert "rankgate judge export --critical" in gate.next[0]
    assert len(gate.next) > 1


@pytest.mark.parametrize(
    ("figures", "listed"),
    [
        (LOSS, critical("pass")),
        (UNSURE, critical("from_pass")),
        (UNSURE, critical("pass", split="dev")),
    ],
)
def test_it_names_none_that_would_not_help(figures, listed):
    assert "--critical" not in " ".join(decided(figures, critical=listed).next)


def test_below_the_floor_of_groups_no_judgment_helps():
    rows = [comparison(name, UNSURE, groups=29) for name in ("bm25", "dense")]
    gate = primary(findings(rows, critical=critical("pass")))
    assert gate.status == "unresolved"
    assert "--critical" not in " ".join(gate.next)


@pytest.mark.parametrize(("differing", "offered"), [(13, False), (14, True)])
def test_pairs_of_one_query_help_where_one_group_more_has_to_differ(differing, offered):
    """15 groups that differ are the floor; the two pairs are of one query."""
    row = comparison("bm25", UNSURE) | {"nonzero_groups": differing}
    gate = primary(findings([row, comparison("dense", GAIN)], critical=critical("pass")))
    assert gate.status == "unresolved"
    assert ("--critical" in " ".join(gate.next)) is offered


def test_an_unresolved_robust_names_the_pairs_that_could_undo_a_pass():
    views = [
        bound(baseline, view, low, 0.3)
        for baseline in ("bm25", "dense")
        for view, low in (("worst", -0.01), ("best", 0.1), ("any", -0.01))
    ]
    gate = asked(
        "robust",
        deciding({"robust": True}, regime="pooled"),
        bounds=views,
        critical=critical("from_pass", 1),
    )
    assert "let L fall to the limit" in gate.next[0]


def test_a_pass_that_rests_on_unjudged_evidence_is_noted():
    said = notes(findings(critical=critical("from_pass", 3)), {})
    assert any(one.startswith("unjudged evidence: 3 pair(s)") for one in said)


def pooled(without, baseline, bounds, dropped=0):
    delta, low, high = bounds
    return {
        "without": without,
        "baseline": baseline,
        "split": "test",
        "measure": "nDCG@5",
        "dropped": dropped,
        "dropped_relevant": 0,
        "delta": delta,
        "low": low,
        "high": high,
        "queries": 40,
        "groups": 40,
        "nonzero_groups": 40,
    }


def test_a_comparison_that_turns_without_a_branchs_judgments_is_named():
    rows = [
        pooled("", "bm25", GAIN),
        pooled("", "dense", GAIN),
        pooled("bm25", "bm25", GAIN, 7),
        pooled("bm25", "dense", UNSURE, 7),
        pooled("dense", "bm25", LOSS, 5),
        pooled("dense", "dense", GAIN, 5),
    ]
    of = findings(pool_bias=table(tables.POOL_BIAS, rows), of=declared())
    assert list(bias(of)) == [
        Bias("bm25", 7, "dense", "pass", "unresolved"),
        Bias("dense", 5, "bm25", "pass", "fail"),
    ]
    said = " ".join(notes(of, {}))
    assert "without the 7 judgments that only bm25 contributed" in said
    assert "the comparison with dense would be unresolved instead of pass" in said
