"""Makes a study: a folder with parameters, `dvc.yaml` and empty records."""

import json
import os
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from assets.dvc_yaml import render
from assets.folder import StudyFolder
from assets.new_params import Founding, new_params, plain_name, template
from assets.processes import dvc
from assets.records import RECORDS, SIDES
from assets.stages import STAGES
from assets.versions import VERSION
from pipeline.appending import append_lines
from pipeline.collection import Collection, read_collection
from pipeline.errors import MissingError, ParameterError
from pipeline.params import CollectionParams, parse_params
from pipeline.splits import split_queries
from pipeline.splits.sides import Side, sides_of
from pipeline.storage import read_lines, write_text

WORKFLOWS = Path(".github/workflows")
# Records of two branches of git are merged line by line; no byte under data/ is converted.
ATTRIBUTES = ["data/** -text", *(f"{record.as_posix()} merge=union" for record in RECORDS)]
# Every output, whatever branches are declared later; worksheets; what a killed stage left.
IGNORED = [*(f"/{stage.name}" for stage in STAGES), "/worksheets/", ".*.*"]


def found(plan: Founding) -> tuple[StudyFolder, list[Side], Collection]:
    """Writes the study's files; what is already there is refused, never overwritten.

    Everything that can be refused is, before anything is written.

    Returns:
        The study, the sides its queries were put on, and the collection as it was read.

    Raises:
        ParameterError: there is a study or another `dvc.yaml` already, the collection lies
            outside the repository, or its queries cannot be split.
        MissingError: the folder is in no git repository.
        CollectionError: the collection cannot be read.
    """
    repository = _git_root(plan.root)
    _refuse_present(plan.root)
    _refuse_outside(plan.collection, repository)
    collection = _read(plan)
    text = new_params(plan, collection)
    recorded = _recorded(plan.root)
    sides = split_queries(
        collection.queries,
        collection.judgments,
        collection.documents,
        parse_params(text, where=plan.root / "params.yaml"),
        recorded=recorded,
    )
    _prepare_repository(repository, plan.root)
    append_lines(plan.root / SIDES, (side.line() for side in sides))
    for record in RECORDS:
        _begin(plan.root / record)
    _write(plan, repository, text)
    return StudyFolder(plan.root), sides, collection


def _refuse_present(root: Path) -> None:
    if (root / "params.yaml").exists():
        raise ParameterError(
            "there is a study already",
            where=root / "params.yaml",
            next_command="dvc repro, or rankgate init in another folder",
        )
    pipeline = root / "dvc.yaml"
    if pipeline.exists() and pipeline.read_text(encoding="utf-8") != render(code=None):
        raise ParameterError(
            "another dvc.yaml is there already",
            where=pipeline,
            expected="a folder of the study's own",
            next_command="rankgate init studies/NAME --collection PATH",
        )


def _refuse_outside(collection: Path, repository: Path) -> None:
    if not collection.resolve().is_relative_to(repository):
        raise ParameterError(
            "the collection lies outside the repository",
            where="--collection",
            found=collection,
            expected=f"a folder under {repository}",
            next_command="rankgate import brings it into data/collections/NAME",
        )


def _read(plan: Founding) -> Collection:
    declared = {"regime": plan.regime, "scale": plan.scale, "rel": plan.rel, "grades": plan.grades}
    params = _collection_params({"path": str(plan.collection), **declared})
    return read_collection(plan.collection, params=params)


def _collection_params(content: dict[str, Any]) -> CollectionParams:
    try:
        return CollectionParams.model_validate(content)
    except ValidationError as problem:
        said = "; ".join(error["msg"].removeprefix("Value error, ") for error in problem.errors())
        raise ParameterError(said, where="--scale, --rel") from None


def _recorded(root: Path) -> list[Side]:
    """Sides that an interrupted `init` left behind; they stay."""
    path = root / SIDES
    return sides_of(read_lines(path), where=path) if path.exists() else []


def _git_root(folder: Path) -> Path:
    here = folder.resolve()
    for place in (here, *here.parents):
        if (place / ".git").exists():
            return place
    raise MissingError("the folder is in no git repository", where=here, next_command="git init")


def _prepare_repository(repository: Path, root: Path) -> None:
    """`dvc init` where needed, and the repository's own state out of git."""
    here = root.resolve()
    places = [place for place in (here, *here.parents) if place.is_relative_to(repository)]
    home = next((place for place in places if _has_dvc(place / ".dvc")), None)
    if home is None:
        home = repository
        dvc(home, "init", *(["--force"] if (home / ".dvc").exists() else []))
        dvc(home, "config", "core.analytics", "false")
    ignored = home / ".gitignore"
    known = ignored.read_text(encoding="utf-8").splitlines() if ignored.exists() else []
    state = ("/mlruns/", "/.dagster/", "/.rankgate/")
    _add_lines(ignored, [path for path in state if not any(k.startswith(path) for k in known)])


def _has_dvc(state: Path) -> bool:
    """Whether `dvc init` was there, and came to its end.

    Broken off, it leaves a folder in which nothing keeps DVC's cache out of git.
    """
    config = state / "config"
    used = any((state / name).exists() for name in (".gitignore", "cache", "config.local"))
    return used or (config.is_file() and "no_scm" in config.read_text(encoding="utf-8"))


def _write(plan: Founding, repository: Path, params: str) -> None:
    """Attributes, ignored outputs, dvc.yaml, workflow; params.yaml last, so that it means done."""
    root = plan.root.resolve()
    _add_lines(root / ".gitattributes", ATTRIBUTES)
    _add_lines(root / "data" / ".gitignore", IGNORED)
    write_text(root / "dvc.yaml", render(code=None))
    place = "" if root == repository else f"-{plain_name(root.name)}"
    workflow = repository / WORKFLOWS / f"rankgate{place}.yml"
    if not workflow.exists():
        folder = Path(os.path.relpath(root, repository)).as_posix()
        write_text(workflow, template("workflow.yml", folder=json.dumps(folder), version=VERSION))
    write_text(root / "params.yaml", params)


def _begin(record: Path) -> None:
    """A record without entries: one blank line, because DVC warns of files without a byte."""
    if not record.exists():
        write_text(record, "\n")


def _add_lines(path: Path, lines: list[str]) -> None:
    """Adds the lines that a file lacks; makes the file where it is absent."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    missing = [line for line in lines if line not in text.splitlines()]
    if missing or not path.exists():
        ending = "" if not text or text.endswith("\n") else "\n"
        write_text(path, text + ending + "".join(f"{line}\n" for line in missing))
