"""`rankgate decide`: the word as an exit code, and never the word of other inputs."""

import json
import shutil
from pathlib import Path

import pytest

from assets.exit_codes import EXIT
from pipeline.storage import read_json, write_json
from tests.assets.five_queries import Run, change_params


def test_a_sealed_study_exits_5_and_shows_every_gate(rankgate: Run, study: Path) -> None:
    done = rankgate("decide", study=study)
    assert done.exit_code == 5
    assert done.output.startswith("SEALED")
    decision = read_json(study / "data" / "decision" / "decision.json")
    assert all(gate["reason"] in done.output for gate in decision["gates"])


def test_as_json_it_is_the_stored_decision(rankgate: Run, study: Path) -> None:
    done = rankgate("decide", "--json", "--fail-on", "", study=study)
    assert done.exit_code == 0
    assert json.loads(done.output) == read_json(study / "data" / "decision" / "decision.json")


@pytest.mark.parametrize("word", sorted(EXIT))
@pytest.mark.parametrize("failing", ["hold,inconclusive,sealed", "hold"])
def test_each_word_has_its_exit_code(
    word: str, failing: str, rankgate: Run, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # That a word of other inputs is refused, is tried below.
    monkeypatch.setattr("assets.commands.decide_.refuse_stale", lambda *_, **__: None)
    path = study / "data" / "decision" / "decision.json"
    write_json(path, read_json(path) | {"word": word})
    code = rankgate("decide", "--fail-on", failing, study=study).exit_code
    assert code == (EXIT[word] if word in failing.split(",") else 0)


def test_the_codes_are_those_that_were_promised() -> None:
    assert EXIT == {"ship": 0, "hold": 3, "inconclusive": 4, "sealed": 5}


def test_a_decision_for_other_inputs_is_refused(rankgate: Run, study: Path) -> None:
    change_params(study, question="not_worse")
    done = rankgate("decide", study=study)
    assert done.exit_code == 1
    assert "the stored decision is not for the present inputs; found stale: decision" in done.stderr
    assert "Next: dvc repro" in done.stderr


def test_a_decision_that_is_not_there_is_refused(rankgate: Run, study: Path) -> None:
    shutil.rmtree(study / "data" / "decision")
    done = rankgate("decide", study=study)
    assert done.exit_code == 1
    assert "Next: dvc repro" in done.stderr


def test_a_tampered_decision_is_refused(rankgate: Run, study: Path) -> None:
    path = study / "data" / "decision" / "decision.json"
    write_json(path, read_json(path) | {"word": "ship"})
    assert rankgate("decide", study=study).exit_code == 1


def test_a_word_that_is_none_is_a_usage_error(rankgate: Run, study: Path) -> None:
    done = rankgate("decide", "--fail-on", "holds", study=study)
    assert done.exit_code == 2
    assert "'holds' is no word" in done.stderr
