"""Tracking tells of nothing that operations did not clear; worksheets leave it out."""

import shutil
from pathlib import Path

import polars as pl
import pytest

from assets.folder import StudyFolder
from assets.results import Results
from assets.tracking import track
from assets.tracking.clearing import refuse_uncleared_results
from pipeline.errors import ContractError
from pipeline.storage import read_json, write_json, write_table
from pipeline.tables import RUNS
from tests.assets.five_queries import Run, read_lines, run_all, write_lines


@pytest.fixture(scope="module")
def leaked(tmp_path_factory: pytest.TempPathFactory, founded: Path) -> Path:
    """The study with document g for a tenant that asks nothing: recorded runs list it for q3."""
    root = Path(shutil.copytree(founded, tmp_path_factory.mktemp("leaked") / "five"))
    path = root / "data" / "collections" / "five" / "documents.jsonl"
    lines = [
        line | ({"tenant": "acme"} if line["doc_id"] == "g" else {}) for line in read_lines(path)
    ]
    write_lines(path, lines)
    run_all(StudyFolder(root))
    return root


@pytest.fixture
def leaking(tmp_path: Path, leaked: Path) -> Path:
    """A copy of it, to be changed."""
    return Path(shutil.copytree(leaked, tmp_path / "five"))


def test_a_leaking_study_is_held_and_its_documents_are_named_in_one_place(leaking: Path) -> None:
    data = leaking / "data"
    found = read_json(data / "operations" / "authorization.json")
    assert {row["doc_id"] for row in found["where"]} == {"g"}
    lists = {name for name, one in found["checked"].items() if one["forbidden"]}
    assert lists == {"candidates", "contexts", "pool", "runs", "sweep"}
    decision = read_json(data / "decision" / "decision.json")
    gate = next(one for one in decision["gates"] if one["gate"] == "authorization")
    assert gate["status"] == "fail"
    assert all("doc_id" not in part for part in gate["evidence"])
    refuse_uncleared_results(Results(StudyFolder(leaking)))  # nothing that is told names it


def test_tracking_refuses_lists_that_operations_did_not_audit(leaking: Path) -> None:
    path = leaking / "data" / "evaluation" / "runs.parquet"
    write_table(path, pl.read_parquet(path).with_columns(doc_id=pl.lit("a")), RUNS)
    with pytest.raises(ContractError, match="did not clear"):
        track(StudyFolder(leaking))
    assert not (leaking / "mlruns").exists()


def test_tracking_refuses_a_decision_that_names_a_forbidden_document(leaking: Path) -> None:
    path = leaking / "data" / "decision" / "decision.json"
    decision = read_json(path)
    decision["gates"][0]["evidence"] = [{"query_id": "q3", "doc_id": "g"}]
    write_json(path, decision)
    with pytest.raises(ContractError, match=r"decision.json"):
        track(StudyFolder(leaking))


def test_a_worksheet_leaves_out_what_its_query_may_not_see(leaking: Path, rankgate: Run) -> None:
    done = rankgate("judge", "export", "--assessor", "ann", "--format", "jsonl", study=leaking)
    assert done.exit_code == 0, done.output
    rows = read_lines(leaking / "data" / "worksheets" / "ann.jsonl")
    assert {(row["query_id"], row["evidence_id"]) for row in rows} == {("q4", "c"), ("q5", "h")}
    assert "withheld: 1 pairs" in done.output
