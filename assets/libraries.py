"""What to say where a library is missing: what to install, instead of a traceback."""

import re
from importlib.metadata import PackageNotFoundError, requires

# Import name to the package that brings it, where a part of Rankgate works without it.
LIBRARIES = {
    "dagster": "dagster",
    "dagster_webserver": "dagster-webserver",
    "dvc": "dvc",
    "mlflow": "mlflow",
}


def missing_library(problem: ModuleNotFoundError) -> str:
    """What to say of a module that is not installed.

    Args:
        problem: what Python said.
    """
    name = (problem.name or "").partition(".")[0]
    if name not in LIBRARIES:
        return f"{problem}. Next: install Rankgate again, which brings what it needs"
    return f"{name} is not installed here. Next: {install(name)}"


def install(name: str) -> str:
    """The command that installs a library.

    Args:
        name: its import name, a key of `LIBRARIES`.
    """
    package = LIBRARIES[name]
    wanted = (re.match(r"[\w.-]+[^;\s]*", each) for each in _requirements())
    versions = [each[0] for each in wanted if each and re.split(r"[<>=!~]", each[0])[0] == package]
    return f"pip install '{versions[0] if versions else package}'"


def _requirements() -> list[str]:
    try:
        return requires("rankgate") or []
    except PackageNotFoundError:  # run from a checkout that is not installed
        return []
