"""Renders `dvc.yaml` from the table of stages.

In Rankgate's own checkout a stage depends on the code it imports and calls `python -m assets`,
so that `dvc exp run --temp` runs the code of its own checkout. In a study elsewhere it calls the
installed `rankgate` and depends on the parameter `rankgate`, its version.
"""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from assets.artifacts import ARTIFACTS
from assets.stages import STAGES, TRACKING, Stage

HEADER = "# Rendered from assets/stages.py by `{command} render`; not edited by hand.\n"
RUNNERS = (
    "assets/artifacts/__init__.py",
    "assets/folder.py",
    "assets/made_of.py",
    "assets/runner.py",
    "assets/stages.py",
    "assets/unchanged.py",
    "pipeline/locking.py",
    "pipeline/storage.py",
)


def render(*, code: Path | None) -> str:
    """The text of `dvc.yaml`.

    Args:
        code: Rankgate's own checkout, where stages depend on code; None elsewhere.
    """
    command = "rankgate" if code is None else "python -m assets"
    content = {
        "stages": {stage.name: _stage(stage, command, code) for stage in (*STAGES, TRACKING)},
        "metrics": ["data/decision/summary.json", "data/evaluation/summary.json"],
        "plots": [
            {
                "data/sweep/sensitivity.csv": {
                    "x": "rank_constant",
                    "y": "value",
                    "template": "scatter",
                    "title": "Every point and measure of the declared grid on dev",
                }
            }
        ],
    }
    text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=100)
    return HEADER.format(command=command) + text


def _stage(stage: Stage, command: str, code: Path | None) -> dict[str, Any]:
    entry: dict[str, Any] = {"desc": stage.question, "cmd": f"{command} run {stage.name}"}
    entry["deps"] = [*_data(stage), *([] if code is None else _code(stage, code))]
    entry["params"] = [*stage.sections, *(["rankgate"] if code is None else [])]
    if not stage.per_branch:
        return entry | ({"outs": [f"data/{stage.name}"]} if stage.writes else {})
    # The branch's options stand in the command, because DVC splits a parameter's name at dots
    # and a branch's name may have some; a changed option changes the command.
    entry["cmd"] += " --branch ${key} ${item}"
    entry["params"] = [name for name in entry["params"] if name != stage.name]
    entry["outs"] = [f"data/{stage.name}/${{key}}"]
    return {"foreach": f"${{{stage.name}}}", "do": entry}


def _data(stage: Stage) -> list[str]:
    if stage is TRACKING:
        return [f"data/{each.name}" for each in STAGES]
    paths = [
        f"data/{ARTIFACTS[name].path}" if ARTIFACTS[name].in_data else ARTIFACTS[name].path
        for name in stage.reads
    ]
    return sorted(set(paths))


def _code(stage: Stage, root: Path) -> list[str]:
    """The code a stage depends on: single files of the ground floor, packages as folders."""
    files = {*RUNNERS, *import_closure(stage.compute.partition(":")[0], root)}
    return ["constraints.txt", *sorted({_file_or_package(path) for path in files})]


def _file_or_package(path: str) -> str:
    parts = Path(path).parts
    return "/".join(parts[:2])


def import_closure(module: str, root: Path) -> set[str]:
    """The files of `pipeline` and `assets` that a module imports, itself included.

    Imports inside functions count.

    Args:
        module: dotted name.
        root: the checkout.
    """
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        path = _file(waiting.pop(), root)
        if path is None or path in seen:
            continue
        seen.add(path)
        waiting.extend(_imported((root / path).read_text(encoding="utf-8"), path))
    return seen


def _file(module: str, root: Path) -> str | None:
    for candidate in (f"{module.replace('.', '/')}.py", f"{module.replace('.', '/')}/__init__.py"):
        if (root / candidate).is_file():
            return candidate
    return None


@cache  # most stages import the same files
def _imported(text: str, path: str) -> tuple[str, ...]:
    return tuple(_imports(text, path))


def _imports(text: str, path: str) -> Iterator[str]:
    package = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    parts = package.split(".")
    yield from (".".join(parts[:depth]) for depth in range(1, len(parts)))
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, parts if path.endswith("/__init__.py") else parts[:-1])
            yield base
            yield from (f"{base}.{name.name}" for name in node.names)


def _absolute(node: ast.ImportFrom, package: list[str]) -> str:
    """The module that names are taken from, also where it is told from the file's own place."""
    above = package[: len(package) - node.level + 1] if node.level else []
    return ".".join([*above, *([node.module] if node.module else [])])
