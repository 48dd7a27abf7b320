"""The page shows which judgments could turn the answer, and which it rests on."""

from dataclasses import replace

import polars as pl

from pipeline.report.sections.judgments import bias_blocks, critical_blocks
from pipeline.report.stored import Stored
from pipeline.tables import CRITICAL, POOL_BIAS
from tests.rows import table

FIGURES = {"open": 9, "pairs": 2, "proven": True, "low": -0.01, "low_after": 0.02}


def stored(studies, **changes):
    """What the report reads of an opened study, with these tables."""
    inputs = dict(studies("opened"))
    inputs.pop("forbidden")
    return replace(Stored(**inputs), **changes)


def listed(*pairs):
    rows = [
        {
            "split": "test",
            "place": place,
            "query_id": query,
            "evidence_id": evidence,
            "grade": 2,
            "low": 0.01 * place,
            "turns": "pass",
        }
        for place, (query, evidence) in enumerate(pairs, start=1)
    ]
    return table(CRITICAL, rows)


def with_figures(studies, **figures):
    summary = studies("opened")["evaluation_summary"]
    test = {**summary["test"], "critical": {**FIGURES, **figures}}
    return {**summary, "test": test}


def test_the_pairs_stand_in_their_order_with_what_they_do(studies):
    of = stored(
        studies,
        critical=listed(("q07", "b"), ("q03", "a")),
        evaluation_summary=with_figures(studies),
    )
    said, rows = critical_blocks(of, "test")
    assert "2 of 9 unjudged pairs could lift L over the limit" in said.text
    assert "no smaller set would" in said.text
    assert [row[1:3] for row in rows.rows] == [["q07", "b"], ["q03", "a"]]
    assert "rankgate judge export --critical" in rows.note


def test_that_there_is_none_is_said(studies):
    of = stored(
        studies,
        critical=CRITICAL.empty(),
        evaluation_summary=with_figures(studies, pairs=0, proven=False),
    )
    (said,) = critical_blocks(of, "test")
    assert said.text == (
        "On test no set of the 9 unjudged pairs turns the primary gate (none was found)."
    )


def test_the_page_shows_each_branchs_own_judgments(studies, pages):
    of = stored(studies)
    (block,) = bias_blocks(of, "test")
    branches = set(of.pool_bias["without"]) - {""}
    assert branches == {"words", "vectors"}
    assert {row[1] for row in block.rows} == {"nothing dropped", *branches}
    assert "Pool bias on test" in pages("opened").html


def test_without_a_pool_there_is_nothing_to_say(studies):
    assert bias_blocks(stored(studies, pool_bias=POOL_BIAS.empty()), "test") == []


def test_the_study_keeps_what_it_shows(studies):
    inputs = studies("opened")
    figures = inputs["evaluation_summary"]["test"]["critical"]
    kept = inputs["critical"].filter(pl.col("split") == "test")
    assert figures["pairs"] == kept.height
