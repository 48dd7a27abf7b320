"""`rankgate export`: a snippet on standard output, what must be known about it beside it."""

import json
from pathlib import Path

import pytest

from assets.exporting import every_engine, exported
from assets.folder import StudyFolder
from assets.runner import run_stage
from pipeline.errors import ParameterError
from pipeline.fusion.dialects import DIALECTS
from tests.assets.five_queries import Run, change_params


def selected(root: Path, **configuration: object) -> StudyFolder:
    """The study with a declared configuration, selected."""
    folder = change_params(
        root, selection={"mode": "declared", "configuration": {"method": "rrf", **configuration}}
    )
    run_stage(folder, "selection")
    return folder


def test_the_snippet_and_what_changes(study: Path) -> None:
    """RRF as Elasticsearch has it is ours: no list changes, and neither does the mean on dev."""
    found = exported(selected(study), "elasticsearch")
    rrf = json.loads(found.snippet)["retriever"]["rrf"]
    assert len(rrf["retrievers"]) == 2
    assert rrf["rank_constant"] == 60
    said = "\n".join(found.notes)
    assert "top 2: other items for 0 of 5 queries, the same in another order for 0" in said
    assert "nDCG@2 on dev" in said
    assert "(+0.0000)" in said
    assert "on test" not in said  # sealed
    assert "keep the best of each evidence_id afterwards" in said


def test_weights_mean_something_else_in_qdrant(study: Path) -> None:
    """1 / (rank / w + 60) hardly minds weights: q2's e and f swap back against .75 and .25.

    lexical e f, semantic f e, weights .25 and .75, k = 60. Ours: f .75/61 + .25/62 wins over e.
    Qdrant's, with .5 and 1.5: f 1/(2/.5 + 60) + 1/(1/1.5 + 60) = .03211,
    e 1/(1/.5 + 60) + 1/(2/1.5 + 60) = .03243: e wins.
    """
    folder = selected(study, weights={"lexical": 1, "semantic": 3})
    said = "\n".join(exported(folder, "qdrant").notes)
    assert "the same in another order for 0" not in said


def test_what_an_engine_cannot_serve_is_refused_by_name(study: Path) -> None:
    folder = selected(study, rank_constant=1.5)
    with pytest.raises(ParameterError, match=r"Elasticsearch cannot.*1\.5 is not whole"):
        exported(folder, "elasticsearch")
    rows = dict(every_engine(folder))
    assert set(rows) == set(DIALECTS)
    assert rows["elasticsearch"].startswith("cannot serve it")
    assert rows["pgvector"].startswith("top 2")


def test_the_command_parts_the_snippet_from_its_notes(rankgate: Run, finished: Path) -> None:
    done = rankgate("export", "elasticsearch", study=finished)
    assert done.exit_code == 0, done.output
    assert set(json.loads(done.stdout)) == {"retriever", "size"}
    assert done.stderr.startswith("# Elasticsearch: sum of w")
    listed = rankgate("export", study=finished)
    assert listed.exit_code == 0, listed.output
    assert [line.partition(":")[0] for line in listed.stdout.splitlines()] == list(DIALECTS)


def test_an_unknown_engine_names_the_known_ones(rankgate: Run, finished: Path) -> None:
    done = rankgate("export", "solr", study=finished)
    assert done.exit_code == 1
    assert "no such engine" in done.output
    assert "elasticsearch" in done.output
