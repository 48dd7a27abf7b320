"""Whole runs through Dagster, its command line, and a repository that shadows our names."""

import subprocess
import sys
from pathlib import Path

import pytest

from assets import definitions_file
from assets.folder import StudyFolder
from assets.lock import data_versions
from assets.orchestration.instance import dagster_home
from assets.processes import environment, reproduce
from pipeline.storage import read_json, write_text
from tests.assets.five_queries import change_params, read_lines, write_lines
from tests.assets.orchestration.test_dagster_assets import materialize, times_checked, versions_told

pytestmark = pytest.mark.slow


def dagster(root: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Dagster's command line on a study's definitions, as `rankgate ui dagster` loads them."""
    place = ["-f", str(definitions_file()), "-d", str(definitions_file().parents[1])]
    variables = environment() | {
        "DAGSTER_HOME": str(dagster_home(root)),
        "RANKGATE_REPOSITORY": str(root.resolve()),
    }
    return subprocess.run(
        [sys.executable, "-m", "dagster", *arguments, *place],
        cwd=root,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )


def shadow(root: Path) -> None:
    """Packages of the user's own under our names, which must never be imported for ours."""
    for name in ("assets", "pipeline"):
        write_text(root / name / "__init__.py", f"raise ImportError('the own {name}')\n")


def test_an_unattended_run_prepares_runs_everything_and_tells_each_version_once(
    study: Path,
) -> None:
    collection = study / "data" / "collections" / "five"
    queries = read_lines(collection / "queries.jsonl")
    new = {"query_id": "q6", "text": "pump q6", "split": "dev"}
    write_lines(collection / "queries.jsonl", [*queries, new])
    done = materialize(study, prepare=True)
    assert done.success
    sides = {line["query_id"] for line in read_lines(study / "data" / "sides.jsonl")}
    assert "q6" in sides
    locked = data_versions(StudyFolder(study))
    told = versions_told(study)
    assert {key: versions[0] for key, versions in told.items()} == locked
    assert {len(versions) for versions in told.values()} == {1}

    # The word is not ship: its check is not passed, and the report was made all the same.
    checks = {check.check_name: check.passed for check in done.get_asset_check_evaluations()}
    assert not checks["primary"]
    assert read_json(study / "data" / "decision" / "decision.json")["word"] != "ship"
    assert (study / "data" / "report" / "index.html").exists()

    # A run in the terminal afterwards finds nothing that Dagster does not know.
    (study / "mlruns" / "mlflow.db").unlink()
    change_params(study, tracking={"children": 0})
    assert "Running stage 'tracking'" in reproduce(study)
    assert versions_told(study) == told
    assert times_checked(study, "primary") == 1


def test_a_selection_in_words_runs_in_a_repository_that_shadows_our_names(study: Path) -> None:
    shadow(study)
    done = dagster(study, "asset", "materialize", "--select", 'key:"five/selection"')
    assert done.returncode == 0, done.stderr[-2000:]
    assert versions_told(study)[("selection",)] == [
        data_versions(StudyFolder(study))[("selection",)]
    ]


def test_a_failed_materialization_ends_with_an_error_and_names_the_reason(study: Path) -> None:
    write_text(study / "data" / "sides.jsonl", "")
    done = dagster(study, "asset", "materialize", "--select", 'key:"five/splits"')
    assert done.returncode != 0
    assert "rankgate assign" in done.stdout + done.stderr
    assert "dvc repro --single-item splits" in done.stdout + done.stderr


def test_an_unknown_asset_ends_with_an_error(study: Path) -> None:
    assert dagster(study, "asset", "materialize", "--select", "five/nothing").returncode != 0
