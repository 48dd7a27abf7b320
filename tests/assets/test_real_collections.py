"""Ten judged collections, imported by one command each; counts are those of their READMEs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.assets.five_queries import Run

pytestmark = pytest.mark.slow

# Name: what follows `rankgate import FOLDER --name NAME`.
BEIR = {
    "cranfield": "--format beir --split test --regime exhaustive",
    "medline": "--format beir --regime exhaustive",
    "musique-100": "--format beir --regime sparse",
    "scifact": "--format beir --split test",
    "stackfaq": "--format beir --regime exhaustive",
    "xquad-de": "--format beir --regime sparse",
    "xquad-en": "--format beir --regime sparse",
}


def imported(rankgate: Run, folder: Path, options: str, study: Path) -> dict[str, Any]:
    """What import.json says after the command."""
    words = ("import", folder, *options.split(), "--name", folder.name)
    done = rankgate(*words, study=study)
    assert done.exit_code == 0, done.output + done.stderr
    path = study / "data/collections" / folder.name / "import.json"
    said: dict[str, Any] = json.loads(path.read_text())
    return said


def told(folder: Path, name: str) -> str:
    """A figure of the README's counts."""
    found = re.search(rf"^- {name}: (.+)$", (folder / "README.md").read_text(), re.MULTILINE)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("name", BEIR)
def test_a_beir_folder_has_the_counts_of_its_readme(
    name: str, collections: Path, rankgate: Run, tmp_path: Path
) -> None:
    folder = collections / name
    said = imported(rankgate, folder, BEIR[name], tmp_path)
    for part in ("documents", "queries", "judgments"):
        assert said["counts"][part] == int(told(folder, part))
    grades = [int(grade) for grade in re.findall(r"(\d+): ", told(folder, "grades"))]
    assert said["declared"]["scale"] == [0, max(grades)]
    assert said["counts"].get("judged_evidence_without_document", 0) == int(
        told(folder, "judgments whose document is not in corpus")
    )


def test_both_splits_of_scifact_keep_their_sides(
    collections: Path, rankgate: Run, tmp_path: Path
) -> None:
    folder, queries = collections / "scifact", tmp_path / "queries.jsonl"
    parts = [folder / "queries.jsonl", folder / "queries.train.jsonl"]
    queries.write_bytes(b"".join(part.read_bytes() for part in parts))
    options = f"--format beir --split train --split test --queries {queries}"
    said = imported(rankgate, folder, options, tmp_path)
    # README: train 809 queries, 919 judgments; test 300 and 339.
    assert (said["counts"]["queries"], said["counts"]["judgments"]) == (1109, 1258)
    assert "official sides kept: train is train, test is test" in said["notes"]


def test_the_runs_of_dl19(collections: Path, rankgate: Run, tmp_path: Path) -> None:
    said = imported(rankgate, collections / "dl19-passage-runs", "--format trec", tmp_path)
    counts = said["counts"]
    assert (counts["queries"], counts["judgments"], counts["runs"]) == (43, 9260, 6)
    assert said["declared"]["scale"] == [0, 3]


def test_the_runs_of_trec_covid(collections: Path, rankgate: Run, tmp_path: Path) -> None:
    options = "--format trec --link"
    said = imported(rankgate, collections / "trec-covid-r1-runs", options, tmp_path)
    counts = said["counts"]
    assert (counts["queries"], counts["judgments"], counts["runs"]) == (30, 8691, 9)
    assert said["declared"]["scale"] == [0, 2]


def test_the_runs_of_trec_eval(collections: Path, rankgate: Run, tmp_path: Path) -> None:
    # results.trunc has words after the sixth column, on purpose.
    folder = collections / "trec_eval-tests"
    strict = rankgate("import", folder, "--format", "trec", "--name", "strict", study=tmp_path)
    assert "--trailing ignore" in strict.stderr
    said = imported(rankgate, folder, "--format trec --trailing ignore", tmp_path)
    counts = said["counts"]
    assert (counts["queries"], counts["judgments"], counts["runs"]) == (3, 3681, 3)
    assert said["dropped"] == {
        "words after the sixth column of results.trunc.run, on lines": 5,
    }
