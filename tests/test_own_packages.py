"""The program finds its own packages where PYTHONPATH leads to others of the same names."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
PACKAGES = ("assets", "pipeline")
Done = subprocess.CompletedProcess[str]


@pytest.fixture
def foreign(tmp_path: Path) -> Path:
    """A repository with packages that must never be imported."""
    for name in PACKAGES:
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text(f"raise RuntimeError('the user has {name}')\n")
    return tmp_path


@pytest.fixture
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The script that an installer makes of the declared entry point."""
    declared = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))
    module, _, function = declared["project"]["scripts"]["rankgate"].partition(":")
    path = tmp_path_factory.mktemp("bin") / "rankgate"
    path.write_text(
        f"import sys\nfrom {module} import {function}\n"
        f"if __name__ == '__main__':\n    sys.exit({function}())\n"
    )
    return path


def python(folder: Path, *words: object, first: Path | str = ".") -> Done:
    """A fresh interpreter in a folder, `first` at the head of its path and this checkout last."""
    return subprocess.run(
        [sys.executable, *map(str, words)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(first), str(CHECKOUT)])},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_program_runs_beside_packages_of_the_same_names(foreign: Path, program: Path) -> None:
    done = python(foreign, program, "measure", "--help")
    assert done.returncode == 0, done.stderr
    assert "Usage: rankgate measure" in done.stdout


def test_it_works_there_not_only_its_help(foreign: Path, program: Path) -> None:
    (foreign / "a.run").write_text("q Q0 d 1 1.0 t\n")
    (foreign / "qrels.txt").write_text("q 0 d 1\n")
    words = ["measure", "a.run", "--judgments", "qrels.txt", "--measures", "P@1"]
    done = python(foreign, program, *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["a.run", "P@1", "all", "(1)", "1.0000"]


SPAWNING = """
import multiprocessing
from rankgate import main
from pipeline.fusion import reciprocal_rank_fusion

if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        fused = pool.apply(reciprocal_rank_fusion, ([["a"], ["a"]],))
        print(fused[0].id)
"""


def test_a_process_that_it_spawns_finds_them_too(foreign: Path, program: Path) -> None:
    program.write_text(SPAWNING)
    done = python(foreign, program)
    assert done.stdout.split() == ["a"], done.stderr


@pytest.mark.parametrize("module", ["assets", "rankgate"])
def test_as_a_module_it_finds_pipeline_where_another_comes_first(
    module: str, foreign: Path
) -> None:
    (foreign / "assets" / "__init__.py").unlink()
    done = python(foreign, "-P", "-m", module, "--help", first=foreign)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Usage: rankgate")


def test_the_path_is_left_as_it_was(foreign: Path) -> None:
    code = "import sys; before = list(sys.path); import rankgate, assets; print(before == sys.path)"
    assert python(foreign, "-c", code).stdout.split() == ["True"]


def test_a_package_that_something_loaded_before_is_one_line(foreign: Path) -> None:
    (foreign / "pipeline" / "__init__.py").write_text("")
    done = python(foreign, "-c", "import pipeline, rankgate; rankgate.main()")
    assert done.returncode == 1
    assert done.stderr == (
        f"rankgate: another package pipeline was loaded first, from {foreign / 'pipeline'}"
        f"; expected {CHECKOUT / 'pipeline'}. Next: python -I -m rankgate with the same command\n"
    )
