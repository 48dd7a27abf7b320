"""Who imports what: the science knows no orchestrator, and a stage's process starts light."""

import subprocess
import sys
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


STAGE_PACKAGES = sorted({stage.compute.partition(":")[0].split(".")[1] for stage in STAGES})


@pytest.mark.parametrize("stage", STAGE_PACKAGES)
def test_a_stage_uses_the_ground_floor_and_no_other_stage(stage: str) -> None:
    files = {Path(path).parts[1] for path in import_closure(f"pipeline.{stage}", CHECKOUT)}
    assert stage in files or f"{stage}.py" in files
    others = {name for other in STAGE_PACKAGES for name in (other, f"{other}.py") if other != stage}
    assert not others & files
