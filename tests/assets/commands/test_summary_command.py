"""`rankgate summary`: reads what is stored, and refuses what is stale."""

import pytest
from click.testing import CliRunner

from assets.__main__ import COMMANDS
from assets.artifacts import ARTIFACTS
from assets.commands import summary_
from assets.folder import StudyFolder
from pipeline.errors import RankgateError
from pipeline.storage import write_json
from tests.pipeline.report.small_study import params, report_inputs, write_collection


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    folder = write_collection(tmp_path_factory.mktemp("study") / "collection")
    return report_inputs(folder, params())


@pytest.fixture
def folder(stored, tmp_path, monkeypatch):
    """A study's folder that holds what the command reads, and is fresh."""
    for name in summary_.READS:
        artifact = ARTIFACTS[name]
        path = tmp_path / "data" / artifact.path
        if artifact.write is None:
            continue
        artifact.write(path, stored[name])
    write_json(tmp_path / "data" / "evaluation" / "summary.json", stored["evaluation_summary"])
    found = StudyFolder(tmp_path)
    found.__dict__["params"] = stored["params"]
    monkeypatch.setattr(summary_, "study_folder", lambda _: found)
    monkeypatch.setattr(summary_, "refuse_stale", lambda *_, **__: None)
    return found


@pytest.mark.parametrize(
    ("form", "start"),
    [
        ("text", "INCONCLUSIVE  small"),
        ("markdown", "## INCONCLUSIVE: small"),
        ("html", "<!DOCTYPE"),
    ],
)
def test_writes_one_screen_in_the_form_asked_for(folder, form, start):
    done = CliRunner().invoke(summary_.command, ["--format", form])
    assert done.exit_code == 0
    assert done.output.startswith(start)
    assert "of 12 test queries" in done.output.lower()


def test_text_is_the_default(folder):
    plain = CliRunner().invoke(summary_.command, [])
    assert plain.output == CliRunner().invoke(summary_.command, ["--format", "text"]).output


def test_another_form_is_a_usage_error(folder):
    assert CliRunner().invoke(summary_.command, ["--format", "pdf"]).exit_code == 2


def test_refuses_a_decision_that_is_not_for_the_present_inputs(folder, monkeypatch):
    def stale(*_, **__):
        raise RankgateError("the stored decision is not for the present inputs")

    monkeypatch.setattr(summary_, "refuse_stale", stale)
    done = CliRunner().invoke(summary_.command, [])
    assert isinstance(done.exception, RankgateError)


def test_is_a_command():
    assert "summary" in COMMANDS
