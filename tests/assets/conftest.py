"""A five-query study in a git and DVC repository of its own, run once and copied for each test."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from assets.__main__ import cli
from assets.folder import StudyFolder
from assets.processes import dvc, reproduce
from tests.assets.five_queries import (
    CUT,
    Run,
    change_params,
    commit,
    git_repository,
    run_all,
    write_collection,
)


@pytest.fixture(scope="session")
def rankgate() -> Run:
    """Runs `rankgate` in this process; `study` is the folder, the rest are its arguments."""

    def run(*arguments: object, study: Path | None = None, **more: Any) -> Result:
        of = [] if study is None else ["--study", str(study)]
        return CliRunner().invoke(cli, [*of, *map(str, arguments)], **more)

    return run


@pytest.fixture(scope="session")
def founded(tmp_path_factory: pytest.TempPathFactory, rankgate: Run) -> Path:
    """The study as `init` makes it, parameters cut to five queries; not to be changed."""
    root = git_repository(tmp_path_factory.mktemp("founded") / "five")
    write_collection(root / "data" / "collections" / "five")
    done = rankgate("init", root, "--collection", root / "data/collections/five")
    assert done.exit_code == 0, done.output
    change_params(root, **CUT)
    return root


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory, founded: Path) -> Path:
    """The study after every stage, its outputs known to DVC; not to be changed."""
    root = tmp_path_factory.mktemp("finished") / "five"
    shutil.copytree(founded, root)
    run_all(StudyFolder(root))
    dvc(root, "commit", "--force")
    return root


@pytest.fixture(scope="session")
def reproduced(tmp_path_factory: pytest.TempPathFactory, finished: Path) -> Path:
    """The finished study, told to its pages and in git, nothing stale; not to be changed."""
    root = Path(shutil.copytree(finished, tmp_path_factory.mktemp("reproduced") / "five"))
    change_params(root, tracking={"children": 1})
    reproduce(root)
    commit(root, "a study")
    return root


@pytest.fixture
def new_study(tmp_path: Path, founded: Path) -> Path:
    """A copy of the study before anything ran."""
    return Path(shutil.copytree(founded, tmp_path / "five"))


@pytest.fixture
def study(tmp_path: Path, finished: Path) -> Path:
    """A copy of the finished study."""
    return Path(shutil.copytree(finished, tmp_path / "five"))
