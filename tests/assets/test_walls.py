"""Who imports what: the science knows no orchestrator, and a stage's process starts light."""

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from assets.dvc_yaml import import_closure
from assets.stages import STAGES

CHECKOUT = Path(__file__).parents[2]
ORCHESTRATORS = {"dagster", "mlflow", "dvc", "git"}

EVERY_MODULE = """
import importlib, pkgutil, sys
import pipeline
for module in pkgutil.walk_packages(pipeline.__path__, "pipeline."):
    importlib.import_module(module.name)
print(*sorted({name.split(".")[0] for name in sys.modules}))
"""


def loaded(code: str, *arguments: str) -> set[str]:
    """The top-level modules that a fresh process has loaded after some code."""
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=True,
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.slow
def test_no_module_of_the_science_imports_an_orchestrator() -> None:
    names = loaded(EVERY_MODULE)
    assert "pipeline" in names
    assert not ORCHESTRATORS & names


STARTED = """
import sys
import assets.{}
print(*sorted({{name.split(".")[0] for name in sys.modules}}))
"""


@pytest.mark.parametrize(
    "module", ["runner", "__main__", "commands.run_", "commands.study_", "commands.check_"]
)
def test_a_stages_process_imports_no_orchestrator(module: str) -> None:
    names = loaded(STARTED.format(module))
    assert "assets" in names
    assert not ORCHESTRATORS & names


def test_the_help_imports_no_table_library() -> None:
    names = loaded(STARTED.format("__main__"))
    assert not {"polars", "numpy", "scipy", "sklearn"} & names


def test_the_runner_imports_no_format_of_a_collection_and_no_numbers_yet() -> None:
    # Each of a study's dozen stages starts with it.
    code = STARTED.format("commands.run_").replace(
        'name.split(".")[0]', '".".join(name.split(".")[:2])'
    )
    names = loaded(code)
    assert "assets.runner" in names
    assert not {"pipeline.collection", "pipeline.splits", "pipeline.statistics", "numpy"} & names


ENDED = """
import atexit, gc, sys
import assets.__main__
atexit.register(lambda: print("frozen" if gc.get_freeze_count() else "searched"))
sys.argv = ["rankgate", "--version"]
assets.__main__.main()
"""


def test_a_command_ends_without_a_search_through_all_that_it_imported() -> None:
    assert loaded(ENDED) == {"frozen"}


STAGE_PACKAGES = sorted({stage.compute.partition(":")[0].split(".")[1] for stage in STAGES})


@pytest.mark.parametrize("stage", STAGE_PACKAGES)
def test_a_stage_uses_the_ground_floor_and_no_other_stage(stage: str) -> None:
    files = {Path(path).parts[1] for path in import_closure(f"pipeline.{stage}", CHECKOUT)}
    assert stage in files or f"{stage}.py" in files
    others = {name for other in STAGE_PACKAGES for name in (other, f"{other}.py") if other != stage}
    assert not others & files


def imported(path: Path) -> Iterator[str]:
    """The dotted names that a file imports, those inside functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)


@pytest.mark.parametrize("house", ["pipeline", "assets"])
def test_no_arrow_between_the_rooms_of_a_house_runs_back(house: str) -> None:
    # A room is a file or a folder right below.
    uses: dict[str, set[str]] = {}
    for path in (CHECKOUT / house).rglob("*.py"):
        room = path.relative_to(CHECKOUT / house).parts[0].removesuffix(".py")
        names = {name.split(".")[1] for name in imported(path) if name.startswith(f"{house}.")}
        uses.setdefault(room, set()).update(names - {room})
    TopologicalSorter(uses).prepare()  # raises CycleError, which names the circle


def test_every_file_of_tests_has_a_name_of_its_own() -> None:
    # Two of one name cannot be collected together, and no test at all would run.
    counted = Counter(path.name for path in (CHECKOUT / "tests").rglob("test_*.py"))
    assert [name for name, files in counted.items() if files > 1] == []
