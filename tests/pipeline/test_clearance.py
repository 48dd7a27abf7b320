"""Nothing is shown that operations did not look at, or found forbidden."""

import polars as pl
import pytest

from pipeline.clearance import WITHHELD, audited_as, cleared, cleared_pairs, refuse_uncleared
from pipeline.errors import ContractError
from pipeline.tables import FORBIDDEN, RUNS
from tests.rows import documents, table


def runs(*documents, system="selected"):
    rows = [
        {"system": system, "query_id": "q1", "rank": rank, "doc_id": name, "evidence_id": name}
        for rank, name in enumerate(documents, start=1)
    ]
    return table(RUNS, rows)


def forbidden(*documents):
    rows = [
        {"list": "runs", "system": "selected", "query_id": "q1", "doc_id": name, "reason": "x"}
        for name in documents
    ]
    return table(FORBIDDEN, rows)


def audited(lists, *refused):
    return {"applies": True, "forbidden": len(refused), "audited": audited_as(lists)}


def test_audited_lists_without_a_leak_are_shown_as_they_are():
    lists = runs("a", "b")
    assert cleared(lists, audited(lists), FORBIDDEN.empty()).equals(lists)


def test_a_forbidden_document_is_withheld_with_its_evidence_and_keeps_its_place():
    lists = runs("a", "rival", "b")
    shown = cleared(lists, audited(lists, "rival"), forbidden("rival"))
    assert shown["doc_id"].to_list() == ["a", WITHHELD, "b"]
    assert shown["evidence_id"].to_list() == ["a", WITHHELD, "b"]
    assert shown["rank"].to_list() == [1, 2, 3]


def test_it_is_withheld_from_every_system_that_lists_it_for_that_query_only():
    lists = pl.concat([runs("rival"), runs("rival", system="rrf_60")]).sort("system")
    other = lists.with_columns(query_id=pl.lit("q2"))
    both = RUNS.check(pl.concat([lists, other]))
    shown = cleared(both, audited(both, "rival"), forbidden("rival"))
    assert shown.filter(query_id="q1")["doc_id"].to_list() == [WITHHELD] * 2
    assert shown.filter(query_id="q2")["doc_id"].to_list() == ["rival"] * 2


@pytest.mark.parametrize("now", [runs("a", "c"), runs("b", "a"), runs("a")])
def test_lists_that_are_not_those_that_were_audited_are_refused(now):
    with pytest.raises(ContractError, match=r"did not clear.*dvc repro operations"):
        cleared(now, audited(runs("a", "b")), FORBIDDEN.empty())


def test_lists_of_a_restricted_collection_that_nobody_audited_are_refused():
    with pytest.raises(ContractError, match="did not clear"):
        cleared(runs("a"), {"applies": True, "forbidden": 0}, FORBIDDEN.empty())


def test_a_forbidden_row_that_got_lost_is_noticed():
    lists = runs("a", "rival")
    with pytest.raises(ContractError, match="not whole; found 0 rows; expected 1"):
        cleared(lists, audited(lists, "rival"), FORBIDDEN.empty())


def test_a_collection_that_restricts_nothing_needs_no_clearing():
    assert cleared(runs("a"), {"applies": False}, FORBIDDEN.empty()).height == 1


@pytest.mark.parametrize(
    "content",
    [
        {"query_id": "q1", "doc_id": "rival"},
        {"gates": [{"evidence": [{"query_id": "q1", "doc_id": "rival", "list": "runs"}]}]},
    ],
)
def test_content_that_names_a_forbidden_document_is_refused_without_repeating_it(content):
    with pytest.raises(ContractError, match="decision: a document") as refused:
        refuse_uncleared(content, forbidden("rival"), where="decision")
    assert "rival" not in str(refused.value)


def test_content_that_names_an_allowed_one_passes():
    refuse_uncleared([{"query_id": "q2", "doc_id": "rival"}], forbidden("rival"), where="decision")


def test_pairs_of_forbidden_evidence_are_left_out():
    pairs = pl.DataFrame({"query_id": ["q1", "q2", "q1"], "evidence_id": ["rival", "rival", "a"]})
    shown = cleared_pairs(pairs, forbidden("rival"), documents({"rival": "x", "a": "y"}))
    assert shown.rows() == [("q2", "rival"), ("q1", "a")]
