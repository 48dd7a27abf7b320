"""Text that git would keep: what is committed once stays in every clone."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from assets.checking.findings import Finding
from assets.checking.inputs import Inputs
from assets.folder import StudyFolder
from assets.git import git
from assets.records import WORKSHEETS
from pipeline.collection import Collection
from pipeline.params import Params

TEXTS = {"documents": ("text", "title"), "queries": ("text",)}


def privacy_findings(folder: StudyFolder, params: Params, inputs: Inputs) -> Iterator[Finding]:
    """Warns of documents and queries with text, and of worksheets, that git does not ignore.

    A file under `dvc add` is ignored by git. This repository's own sample is meant to be in git.

    Args:
        folder: the study.
        params: where its collection lies.
        inputs: the collection, where it could be read.
    """
    if folder.is_this_repository or git(folder, "rev-parse", "--is-inside-work-tree") != "true":
        return
    place = Path(params.collection.path)
    for part in _with_text(inputs.collection):
        for path in sorted((folder.root / place).glob(f"{part}.jsonl*")):
            if path.suffix != ".dvc" and not path.is_symlink():
                yield from _kept(folder, path)
    if not git(folder, "check-ignore", f"{WORKSHEETS.as_posix()}/"):
        text = f"{folder.root / WORKSHEETS}: git does not ignore worksheets, which hold text"
        yield Finding("warning", f"{text}. Next: echo /worksheets/ >> data/.gitignore")


def _with_text(collection: Collection | None) -> Iterator[str]:
    for part, columns in TEXTS.items():
        frame = pl.DataFrame() if collection is None else getattr(collection, part)
        if any(frame[name].null_count() < frame.height for name in columns if name in frame):
            yield part


def _kept(folder: StudyFolder, path: Path) -> Iterator[Finding]:
    name = str(path.resolve())
    if git(folder, "check-ignore", name):
        return
    if git(folder, "ls-files", name):
        text = f"{path}: its text is in git, and stays in the history of every clone"
        step = f"if it is not public: git rm --cached {path}, dvc add {path}, and a new history"
    else:
        text = f"{path}: its text would enter git, where it stays for good"
        step = f"if it is not public: dvc add {path}, before git add"
    yield Finding("warning", f"{text}. Next: {step}")
