"""Cut, collapse, renumber."""

import polars as pl
import pytest
from hypothesis import given
from listing import lists
from polars.testing import assert_frame_equal
from strategies import candidates

from pipeline.errors import ContractError, ParameterError
from pipeline.fusion import collapse
from pipeline.measures import per_query

EVIDENCE = {"a1": "A", "a2": "A", "b1": "B"}
SOURCE = {"a1": "S", "a2": "S", "b1": "S", "c1": "T"}
FRAME = lists(EVIDENCE, SOURCE, bm25={"q1": {"a1": 9.0, "a2": 8.0, "b1": 7.0, "c1": 6.0}})


def ranked(frame):
    return frame.select("rank", "doc_id", "score").rows()


def test_the_best_member_represents_and_the_list_is_renumbered():
    assert ranked(collapse(FRAME)) == [(1, "a1", 9.0), (2, "b1", 7.0), (3, "c1", 6.0)]
    assert ranked(collapse(FRAME, level="source")) == [(1, "a1", 9.0), (2, "c1", 6.0)]
    assert collapse(FRAME, level="document").equals(FRAME)


def test_twins_that_share_their_evidence_are_one_entry_and_the_judged_one_counts():
    twins = collapse(lists({"c1": "t", "t1": "t"}, bm25={"q1": ["c1", "t1"]}))
    judged = pl.DataFrame({"query_id": ["q1"], "evidence_id": ["t"], "grade": [1]})
    assert per_query(twins, judged, ["nDCG@10"])["value"].to_list() == [1.0]
    assert twins.height == 1


def test_a_list_is_cut_before_it_is_collapsed():
    assert ranked(collapse(FRAME, depth=2)) == [(1, "a1", 9.0)]
    assert ranked(collapse(FRAME, depth={"bm25": 3})) == [(1, "a1", 9.0), (2, "b1", 7.0)]
    assert collapse(FRAME, depth={"other": 1}).height == 3


def test_a_document_twice_in_a_list_is_refused():
    twice = FRAME.with_columns(doc_id=pl.Series(["x", "y", "x", "x"]))
    with pytest.raises(ContractError, match="stands twice"):
        collapse(twice)


def test_a_wrong_level_or_depth_is_refused_with_its_key():
    with pytest.raises(ParameterError, match=r"fusion\.level.*'chunk'.*document, evidence, source"):
        collapse(FRAME, level="chunk")
    with pytest.raises(ParameterError, match=r"depths\.bm25: a depth is refused; found 0"):
        collapse(FRAME, depth=0)


@given(frame=candidates())
def test_collapsing_twice_is_collapsing_once(frame):
    once = collapse(frame)
    assert_frame_equal(collapse(once), once)
    assert once.equals(once.sort("branch", "query_id", "rank"))


@given(frame=candidates())
def test_every_evidence_stands_once_in_a_list_and_none_is_lost(frame):
    keys = ["branch", "query_id", "evidence_id"]
    assert_frame_equal(
        collapse(frame).select(keys).sort(keys), frame.select(keys).unique().sort(keys)
    )
