"""A library that is not installed is named with the command that installs it."""

import subprocess
import sys
from pathlib import Path

import pytest

from assets.commands.ui_ import PAGES
from assets.folder import StudyFolder
from assets.libraries import LIBRARIES, install, missing_library
from assets.processes import dvc
from pipeline.errors import RankgateError
from tests.assets.five_queries import Run


@pytest.mark.parametrize("name", sorted(LIBRARIES))
def test_the_command_names_the_package_in_the_versions_that_work(name: str) -> None:
    package, said = LIBRARIES[name], install(name)
    (declared,) = [
        line.split('"')[1]
        for line in Path("pyproject.toml").read_text("utf-8").splitlines()
        if line.strip().startswith(f'"{package}>')
    ]
    bounds = declared.removeprefix(package).split(",")
    assert said.startswith(f"pip install '{package}")
    assert all(bound in said for bound in bounds)


def test_another_module_is_named_without_a_package_of_that_name() -> None:
    said = missing_library(ModuleNotFoundError("No module named 'x'", name="x"))
    assert said == "No module named 'x'. Next: install Rankgate again, which brings what it needs"


@pytest.mark.parametrize(("page", "name"), [("dagster", "dagster_webserver"), ("mlflow", "mlflow")])
def test_a_page_without_its_library_is_one_line(
    page: str, name: str, rankgate: Run, founded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in [each for each in sys.modules if each.split(".")[0] == name]:
        monkeypatch.delitem(sys.modules, module)
    for module in [each for each in sys.modules if each.startswith("assets.tracking.mlflow")]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    assert page in PAGES
    done = rankgate("ui", page, study=founded)
    assert done.exit_code == 1
    assert done.stderr == f"rankgate: {name} is not installed here. Next: {install(name)}\n"


def test_tracking_without_mlflow_ends_with_the_command(
    rankgate: Run, study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in [each for each in sys.modules if each.split(".")[0] == "mlflow"]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "mlflow", None)
    done = rankgate("run", "tracking", study=study)
    assert done.exit_code == 1
    assert f"mlflow is not installed here. Next: {install('mlflow')}" in done.stderr


def test_without_dvc_its_caller_says_so(founded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = [sys.executable, "-I", "-S", "-m", "dvc"]  # an interpreter without any package
    assert subprocess.run(bare, capture_output=True, check=False).returncode != 0
    monkeypatch.setattr("assets.processes.DVC", bare)
    with pytest.raises(RankgateError, match=r"dvc is not installed here.*pip install 'dvc"):
        dvc(StudyFolder(founded).root, "status")
