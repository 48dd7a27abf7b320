"""Worksheets on their way out: blind, shuffled, safe in a spreadsheet."""

import csv
import json
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline import pool as pooling
from pipeline.errors import ParameterError
from pipeline.tables import CANDIDATE_QUERIES, POOL
from pipeline.worksheets import (
    WorksheetRow,
    blind_rows,
    withheld_pairs,
    worksheet_name,
    write_worksheet,
)
from pipeline.worksheets.cells import guarded, unguarded
from tests.rows import candidates, documents, judgments, params, queries, splits, table


def pool(pairs: dict[str, list[str]], status: str = "unjudged") -> pl.DataFrame:
    rows = [
        {"query_id": query, "evidence_id": evidence, "status": status}
        for query, found in pairs.items()
        for evidence in found
    ]
    return table(POOL, rows)


DOCUMENTS = documents({f"d{i}": f"text {i}" for i in range(1, 9)})
QUERIES = queries({"q1": "valve", "q2": "pump", "q3": "seal"})
FOUR = ["d1", "d2", "d3", "d4"]


def order(pairs: dict[str, list[str]], *, seed: int = 7, assessor: str = "A") -> dict[str, str]:
    rows = blind_rows(
        pool(pairs), documents=DOCUMENTS, queries=QUERIES, seed=seed, assessor=assessor
    )
    return {q: "".join(r.evidence_id for r in rows if r.query_id == q) for q in pairs}


def test_nothing_in_the_bytes_tells_rank_score_branch_or_count(tmp_path: Path) -> None:
    rows = blind_rows(
        pool({"q1": ["d1", "d2", "d3"]}), documents=DOCUMENTS, queries=QUERIES, seed=7, assessor="A"
    )
    for suffix in ("jsonl", "csv"):
        path = tmp_path / f"A.{suffix}"
        write_worksheet(path, rows)
        content = path.read_text(encoding="utf-8-sig")
        if suffix == "csv":
            read = list(csv.DictReader(content.splitlines()))
        else:
            read = [json.loads(line) for line in content.splitlines()]
        assert len(read) == 3
        assert set(read[0]) == {
            "query_id", "query", "evidence_id", "title", "text", "grade", "status", "note"
        }  # fmt: skip
        assert not any(row["grade"] or row["status"] or row["note"] for row in read)


def pooled(**lists: list[str]) -> pl.DataFrame:
    """The pool of one query from the lists of some branches."""
    return pooling.compute(
        documents=DOCUMENTS,
        queries=QUERIES.filter(query_id="q1"),
        judgments=judgments({}),
        splits=splits({"q1": "dev"}),
        candidates=candidates({(name, "q1"): found for name, found in lists.items()}),
        candidate_queries=CANDIDATE_QUERIES.empty(),
        params=params({name: {"kind": "bm25"} for name in lists}),
    ).pool


def test_whoever_found_it_at_whatever_rank_the_assessor_gets_the_same_bytes(tmp_path: Path) -> None:
    found = [
        pooled(bm25=["d1", "d2"], dense=["d3", "d1"]),
        pooled(bm25=["d3", "d1"], dense=["d2", "d1"]),
        pooled(bm25=["d2", "d3", "d1"], dense=["d2"], graph=["d1"]),
    ]
    given = set()
    for pairs in found:
        rows = blind_rows(pairs, documents=DOCUMENTS, queries=QUERIES, seed=7, assessor="A")
        assert sorted(row.evidence_id for row in rows) == ["d1", "d2", "d3"]
        write_worksheet(tmp_path / "A.csv", rows)
        given.add((tmp_path / "A.csv").read_bytes())
    assert len(given) == 1


def test_the_same_seed_gives_the_same_order_and_another_seed_another() -> None:
    pairs = {"q1": [f"d{i}" for i in range(1, 9)]}
    assert order(pairs) == order(pairs)
    assert order(pairs) != order(pairs, seed=8)


def test_every_query_and_assessor_has_an_order_of_its_own() -> None:
    pairs = {"q1": [f"d{i}" for i in range(1, 9)], "q2": [f"d{i}" for i in range(1, 9)]}
    orders = [found for name in ("A", "B") for found in order(pairs, assessor=name).values()]
    assert len(set(orders)) == 4


def test_a_further_query_reorders_no_other() -> None:
    before, after = order({"q1": FOUR, "q2": FOUR}), order({"q1": FOUR, "q2": FOUR, "q3": FOUR})
    assert before == {q: after[q] for q in before}


def test_a_further_pair_keeps_the_others_in_their_order() -> None:
    before, after = order({"q1": FOUR})["q1"], order({"q1": [*FOUR, "d5"]})["q1"]
    assert after.replace("d5", "") == before


def test_only_pairs_of_the_wanted_statuses_are_asked_about() -> None:
    both = pl.concat([pool({"q1": ["d1"]}), pool({"q1": ["d2"]}, status="judged")])
    rows = blind_rows(both, documents=DOCUMENTS, queries=QUERIES, seed=7, assessor="A")
    assert [row.evidence_id for row in rows] == ["d1"]


def test_evidence_is_shown_by_a_document_that_the_principal_may_see() -> None:
    docs = documents(
        {"a": "theirs", "b": "ours"},
        evidence_id={"a": "e", "b": "e"},
        tenant={"a": "globex", "b": "acme"},
    )
    asked = queries({"q": "valve"}, tenant={"q": "acme"})
    rows = blind_rows(pool({"q": ["e"]}), documents=docs, queries=asked, seed=7, assessor="A")
    assert [row.text for row in rows] == ["ours"]


@pytest.mark.parametrize(
    "cell",
    ["=HYPERLINK(1)", "+1", "-31", "@x", "\tx", " =1+1", "'quoted", "007", "1e5", "3-4", "MAR1",
     "sept 2", "TRUE", "＝1"],
)  # fmt: skip
def test_a_cell_a_spreadsheet_would_change_is_guarded(cell: str) -> None:
    assert guarded(cell) == "'" + cell


@pytest.mark.parametrize("cell", ["", "valve", "q7", "3 days after the seal was replaced twice"])
def test_plain_text_is_left_as_it_is(cell: str) -> None:
    assert guarded(cell) == cell


@given(st.text(max_size=200))
def test_guarding_is_undone(cell: str) -> None:
    assert unguarded(guarded(cell)) == cell
    assert not guarded(cell).startswith(("=", "+", "-", "@", "\t", "\r"))


def test_a_very_long_text_is_cut_visibly_for_a_spreadsheet() -> None:
    assert len(guarded("x" * 40_000)) == 30_000
    assert guarded("x" * 40_000).endswith("[…]")


@pytest.mark.parametrize("name", ["../x", "", "a/b", ".hidden", "é"])
def test_an_assessors_name_cannot_leave_the_folder(name: str) -> None:
    with pytest.raises(ParameterError, match="not an assessor's name"):
        worksheet_name(name, "csv")


def test_another_format_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"\.jsonl or \.csv"):
        write_worksheet(tmp_path / "A.xlsx", [WorksheetRow("q", "", "d", "", "")])


def test_progress_counts_pairs_by_side_and_status() -> None:
    from pipeline.worksheets import judging_progress

    both = pl.concat([pool({"q1": ["d1", "d2"]}), pool({"q1": ["d3"], "q2": ["d1"]}, "judged")])
    progress = judging_progress(both, splits({"q1": "dev"}))
    assert progress.rows() == [("", 1, 1, 1, 0, 0, 0), ("dev", 1, 3, 1, 0, 0, 2)]


def test_evidence_that_the_query_may_not_see_is_withheld() -> None:
    docs = documents({"a": "theirs", "b": "ours"}, tenant={"a": "globex", "b": "acme"})
    asked = queries({"q": "valve"}, tenant={"q": "acme"})
    pairs = pool({"q": ["a", "b"]})
    rows = blind_rows(pairs, documents=docs, queries=asked, seed=7, assessor="A")
    assert [(row.evidence_id, row.text) for row in rows] == [("b", "ours")]
    hidden = withheld_pairs(pairs, documents=docs, queries=asked)
    assert hidden.select("evidence_id", "reason").rows() == [("a", "another tenant's")]


def test_what_is_no_longer_valid_at_the_querys_date_is_withheld_likewise() -> None:
    year = {y: datetime(y, 1, 1, tzinfo=UTC) for y in (2024, 2025)}
    docs = documents({"old": "then", "new": "now"}, valid_to={"old": year[2024]})
    asked = queries({"q": "valve"}, as_of={"q": year[2025]})
    rows = blind_rows(
        pool({"q": ["old", "new"]}), documents=docs, queries=asked, seed=7, assessor="A"
    )
    assert [row.text for row in rows] == ["now"]
