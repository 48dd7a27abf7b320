"""Makes a study: a folder with parameters, `dvc.yaml` and empty records."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from assets.dvc_yaml import render
from assets.folder import StudyFolder
from assets.processes import dvc
from assets.records import LEDGER, SIDES, TIMES
from assets.stages import STAGES
from assets.versions import VERSION
from pipeline.collection import Collection, read_collection
from pipeline.errors import MissingError, ParameterError
from pipeline.params import CollectionParams, parse_params
from pipeline.protocol import protocol_for
from pipeline.storage import write_text

WORKFLOW = Path(".github/workflows/rankgate.yml")


@dataclass(frozen=True, slots=True)
class Founding:
    """What `init` is told of a study.

    Args:
        root: the folder it is made in.
        collection: the collection's folder, in native form.
        regime: how complete the judgments are.
        scale: lowest and highest grade.
        rel: the grade from which on an item is relevant.
        independent: whether every query is a group of its own.
    """

    root: Path
    collection: Path
    regime: str
    scale: tuple[int, int]
    rel: int
    independent: bool


def found(plan: Founding) -> StudyFolder:
    """Writes the study's files; what is already there is refused, never overwritten.

    Raises:
        ParameterError: there is a study already, or the collection lies outside the repository.
        MissingError: the folder is in no git repository.
        CollectionError: the collection cannot be read.
    """
    if (plan.root / "params.yaml").exists():
        raise ParameterError("there is a study already", where=plan.root / "params.yaml")
    repository = _git_root(plan.root)
    collection = read_collection(
        plan.collection,
        params=CollectionParams.model_validate(
            {
                "path": str(plan.collection),
                "regime": plan.regime,
                "scale": plan.scale,
                "rel": plan.rel,
            }
        ),
    )
    if not plan.collection.resolve().is_relative_to(repository):
        raise ParameterError(
            "the collection lies outside the repository",
            where="--collection",
            found=plan.collection,
            expected=f"a folder under {repository}",
        )
    _prepare_repository(repository)
    _write(plan, collection, repository)
    return StudyFolder(plan.root)


def _git_root(folder: Path) -> Path:
    here = folder.resolve()
    for place in (here, *here.parents):
        if (place / ".git").exists():
            return place
    raise MissingError("the folder is in no git repository", where=here, next_command="git init")


def _prepare_repository(repository: Path) -> None:
    """`dvc init` where needed, and what git must ignore or merge line by line."""
    if not (repository / ".dvc").is_dir():
        dvc(repository, "init")
        dvc(repository, "config", "core.analytics", "false")
    _add_lines(repository / ".gitignore", ["/mlruns/", "/.dagster/"])
    _add_lines(repository / ".gitattributes", ["*.jsonl -text", "**/data/ledger.jsonl merge=union"])


def _write(plan: Founding, collection: Collection, repository: Path) -> None:
    for record in (SIDES, LEDGER, TIMES):
        _add_lines(plan.root / record, [])
    ignored = [f"/{stage.name}" for stage in STAGES if not stage.per_branch]
    branches = [f"/candidates/{name}" for name in _branches(collection)]
    _add_lines(plan.root / "data" / ".gitignore", [*ignored, *branches, "/worksheets/", ".*.*"])
    write_text(plan.root / "dvc.yaml", render(code=None))
    workflow = repository / WORKFLOW
    if not workflow.exists():
        folder = Path(os.path.relpath(plan.root.resolve(), repository)).as_posix()
        write_text(workflow, _template("workflow.yml", folder=folder))
    write_text(plan.root / "params.yaml", _params(plan, collection))


def _params(plan: Founding, collection: Collection) -> str:
    """params.yaml with the protocol that the number of query groups asks for."""
    text = _filled(plan, collection, protocol="holdout")
    protocol = protocol_for(collection, parse_params(text, where=plan.root / "params.yaml"))
    return _filled(plan, collection, protocol=protocol)


def _filled(plan: Founding, collection: Collection, *, protocol: str) -> str:
    path = Path(os.path.relpath(plan.collection.resolve(), plan.root.resolve())).as_posix()
    return _template(
        "params.yaml.j2",
        study=plan.root.resolve().name,
        version=VERSION,
        path=path,
        regime=plan.regime,
        scale=plan.scale,
        rel=plan.rel,
        protocol=protocol,
        independent="true" if plan.independent else "false",
        branches=_branches(collection),
    )


def _branches(collection: Collection) -> Mapping[str, Mapping[str, Any]]:
    """Recorded runs where there are some, else BM25 and static vectors over the text."""
    if collection.runs:
        return {
            name: {"kind": "recorded", "run": name, "depth": 100}
            for name in sorted(collection.runs)
        }
    return {
        "bm25": {"kind": "bm25", "depth": 100},
        "dense": {"kind": "dense", "encoder": "static", "depth": 100},
    }


def _template(name: str, **values: Any) -> str:
    environment = Environment(  # noqa: S701 - YAML, not a page
        loader=PackageLoader("assets", "templates"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.get_template(name).render(**values)


def _add_lines(path: Path, lines: list[str]) -> None:
    """Adds the lines that a file lacks; makes the file where it is absent."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    missing = [line for line in lines if line not in text.splitlines()]
    if missing or not path.exists():
        ending = "" if not text or text.endswith("\n") else "\n"
        write_text(path, text + ending + "".join(f"{line}\n" for line in missing))
