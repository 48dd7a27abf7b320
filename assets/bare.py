"""A study on single files, in one process: run files, judgments, and a word.

Nothing here imports git, DVC, Dagster or MLflow. What is written has the layout of a study's
`data/` folder.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assets.runner import write_outputs
from assets.stages import BY_NAME
from pipeline.collection import Collection, RatingForm, collection_from_files
from pipeline.collection.ratings import Tell
from pipeline.params import Params, to_params
from pipeline.splits.protocol import protocol_for
from pipeline.study import Study
from pipeline.study.page import page
from pipeline.typed_yaml import load_mapping, yaml_text


@dataclass(frozen=True, slots=True)
class Files:
    """What a bare study is given.

    Args:
        runs: branch name to run file.
        judgments: qrels.
        queries: topics or queries, where text or slices are wanted.
        documents: documents, where text, sources or access rules are wanted.
        params: parameters that differ from the defaults.
        trailing: words after the last column of TREC files: `reject` or `ignore`.
        form: columns, labels and sheet of a table of judgments.
        independent: whether every query is a group of its own, whatever the parameters say.
    """

    runs: Mapping[str, Path]
    judgments: Path
    queries: Path | None = None
    documents: Path | None = None
    params: Path | None = None
    trailing: str = "reject"
    form: RatingForm | None = None
    independent: bool = False


def read_files(files: Files, tell: Tell | None = None) -> tuple[Collection, Params]:
    """What some files hold, and the parameters that it is studied with.

    Args:
        files: what is given.
        tell: takes what was left behind of the judgments, and mappings that match nothing.

    Raises:
        RankgateError: a file or a parameter is refused.
    """
    content = _declared(files)
    params = to_params(content, where=files.params or "the defaults")
    collection = _read(files, params, tell)
    declared = content.get("splits", {})
    if "protocol" not in declared and not _test_only(params):
        protocol = protocol_for(collection, params)
        splits = {"folds": protocol.folds, **declared, "protocol": protocol.name}
        params = to_params(content | {"splits": splits})
    return collection, params


def _declared(files: Files) -> dict[str, Any]:
    """The given parameters; where they say nothing, one recorded branch for each run."""
    content: dict[str, Any] = {}
    if files.params is not None:
        content = load_mapping(yaml_text(files.params), where=files.params)
    recorded = {name: {"kind": "recorded", "run": name} for name in files.runs}
    content.setdefault("study", "study")
    content.setdefault("candidates", recorded)
    collection = content.setdefault("collection", {})
    if isinstance(collection, dict):  # anything else is refused with the rest
        content["collection"] = {"path": str(files.judgments), **collection}
    splits = content.setdefault("splits", {}) if files.independent else None
    if isinstance(splits, dict):
        content["splits"] = {**splits, "independent": True}
    return content


def _read(files: Files, params: Params, tell: Tell | None) -> Collection:
    return collection_from_files(
        runs=files.runs,
        judgments=files.judgments,
        queries=files.queries,
        documents=files.documents,
        params=params.collection,
        trailing=files.trailing,
        form=files.form,
        tell=tell,
    )


def _test_only(params: Params) -> bool:
    return params.splits.shares.get("test") == 1


def write_study(study: Study, params: Params, out: Path) -> None:
    """Writes every stage's outputs and the report under `out`, in the layout of `data/`."""
    for name, result in _results(study):
        write_outputs(out, BY_NAME[name], result, params)
    for branch, result in study.prepared.branches.items():
        write_outputs(out, BY_NAME["candidates"], result, params, branch)
    write_outputs(out, BY_NAME["report"], page(study, params), params)


def _results(study: Study) -> Iterator[tuple[str, Any]]:
    yield "snapshot", study.prepared.snapshot
    yield "splits", study.prepared.splits
    yield "pool", study.prepared.pool
    yield "sweep", study.sweep
    yield "selection", study.selection
    yield "evaluation", study.evaluation
    yield "operations", study.operations
    yield "decision", study.decision
