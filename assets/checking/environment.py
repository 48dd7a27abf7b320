"""Problems of the machine and the repository: engines, git, DVC."""

from collections.abc import Iterator
from importlib.util import find_spec

from assets.checking.findings import Finding, problem
from assets.dvc_yaml import render
from assets.folder import StudyFolder
from assets.git import git
from assets.lock import locked_stages
from assets.records import LEDGER, RECORDS, absent_records, lost_records
from pipeline.errors import MissingError, RankgateError
from pipeline.params import AnyBranch, DenseBranch, Params

# What a study cannot be run or shown without.
TOOLS = ("dvc", "dagster", "mlflow")
ENGINES = {"bm25": "bm25s", "static": "wordllama", "lsa": "sklearn"}


def environment_findings(folder: StudyFolder, params: Params | None) -> Iterator[Finding]:
    """Everything about machine and repository that would stop the study.

    Args:
        folder: the study.
        params: its parameters; None where they cannot be read.
    """
    for name in (*TOOLS, *_engines(params)):
        if find_spec(name) is None:
            yield from problem(
                MissingError(
                    f"{name} is not installed", where="Python", next_command="pip install rankgate"
                )
            )
    yield from _repository(folder)
    yield from _rendering(folder)
    yield from _lock(folder)
    yield from _records(folder)


def _engines(params: Params | None) -> list[str]:
    branches = [] if params is None else list(params.candidates.values())
    return sorted({engine for branch in branches if (engine := ENGINES.get(engine_of(branch)))})


def engine_of(branch: AnyBranch) -> str:
    """What does a branch's work: its encoder, else its kind."""
    return branch.encoder if isinstance(branch, DenseBranch) else branch.kind


def _repository(folder: StudyFolder) -> Iterator[Finding]:
    if git(folder, "rev-parse", "--is-inside-work-tree") != "true":
        yield from problem(
            MissingError("not in a git repository", where=folder.root, next_command="git init")
        )
        return
    try:
        _ = folder.repository
    except RankgateError:
        yield from problem(
            MissingError("not in a DVC repository", where=folder.root, next_command="dvc init")
        )
    for record in RECORDS:
        if git(folder, "check-ignore", str(record)):
            text = f"{folder.root / record}: git ignores this record; it must be committed"
            yield Finding("problem", text)
    if not git(folder, "check-attr", "merge", str(LEDGER)).endswith(": union"):
        text = f"{LEDGER}: no merge=union in .gitattributes; two openings may conflict in git"
        yield Finding("warning", text)


def _records(folder: StudyFolder) -> Iterator[Finding]:
    lost = lost_records(folder)
    if lost is not None:
        yield from problem(lost.error())
    for record in absent_records(folder, lost):
        yield from problem(
            MissingError("the record is not there", where=record, next_command=f"touch {record}")
        )


def _lock(folder: StudyFolder) -> Iterator[Finding]:
    try:
        locked_stages(folder.root / "dvc.lock")
    except RankgateError as error:
        yield from problem(error)


def _rendering(folder: StudyFolder) -> Iterator[Finding]:
    path = folder.root / "dvc.yaml"
    code = folder.root if folder.is_this_repository else None
    if not path.exists() or path.read_text(encoding="utf-8") != render(code=code):
        text = f"{path}: not what the table of stages gives. Next: rankgate render"
        yield Finding("problem", text)
