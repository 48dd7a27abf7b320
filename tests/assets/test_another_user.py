"""A `data/` that another user than root may only read: one line names the file, nothing is lost.

The commands run as that user, over files of root's and over files of its own.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from assets.records import LEDGER
from pipeline.storage import read_json
from tests.assets.another_user import Stranger, stranger
from tests.assets.commands.test_judge_command import fill, sheet
from tests.assets.five_queries import Run, change_params, read_lines
from tests.assets.test_runner import files_of

pytestmark = pytest.mark.slow

ROUND = Path("data/collections/five/judgments/second.jsonl")
POOL = ("run", "pool")
LISTS = ("run", "candidates", "--branch", "lexical")
IMPORT = ("judge", "import", "data/worksheets/ann.csv", "--round", "second")
OPEN = ("open", "--yes")
LATER = ("operations", "decision", "report", "tracking")  # they take long, and show nothing more


@pytest.fixture(scope="module")
def user() -> Iterator[Stranger]:
    """Somebody to whom permissions apply."""
    with stranger() as found:
        if isinstance(found, str):
            pytest.skip(found)
        yield found


@pytest.fixture
def theirs(user: Stranger, finished: Path, rankgate: Run) -> Iterator[Path]:
    """A finished study of that user's, with an answered worksheet, where that user may read it."""
    root = Path(shutil.copytree(finished, user.place / "five"))
    rankgate("judge", "export", "--assessor", "ann", study=root)
    fill(sheet(root), "1")
    user.owns(root)
    yield root
    shutil.rmtree(root)


def folders(root: Path) -> list[Path]:
    """`data/` and every folder in it."""
    return [root / "data", *(path for path in (root / "data").rglob("*") if path.is_dir())]


def take_leave(user: Stranger, root: Path, owner: str) -> None:
    """Leaves that user to read in `data/`, and nothing else."""
    if owner == "root" and user.number is None:
        pytest.skip("only root can give files to root")
    for path in (root / "data").rglob("*") if owner == "root" else ():
        os.chown(path, 0, 0)
    for folder in folders(root):
        folder.chmod(0o555)


def give_leave(user: Stranger, root: Path) -> None:
    """The user's own again, to be written to."""
    user.owns(root / "data")
    for folder in folders(root):
        folder.chmod(0o755)


def refused(user: Stranger, root: Path, *words: str) -> str:
    """The one line of a refusal, after which every file is as it was."""
    before = files_of(root)
    done = user.run(root, "rankgate", *words)
    assert done.returncode == 1, done.stderr
    assert {name: text for name, text in files_of(root).items() if not is_state(name)} == {
        name: text for name, text in before.items() if not is_state(name)
    }
    return done.stderr


def is_state(name: str) -> bool:
    """Whether DVC keeps it for itself, or Rankgate as a cache."""
    return name.startswith((".dvc/", ".rankgate/"))


@pytest.mark.parametrize("owner", ["root", "the user"])
def test_what_may_not_be_written_is_told_and_done_once_leave_is_given(
    owner: str, user: Stranger, theirs: Path
) -> None:
    take_leave(user, theirs, owner)
    for words, named in (
        (OPEN, "data/ledger.jsonl"),
        (POOL, "data/pool"),
        (LISTS, "data/candidates/lexical"),
        (IMPORT, str(ROUND)),
    ):
        assert refused(user, theirs, *words) == f"rankgate: {named}: Permission denied\n"
    with (theirs / "data/collections/five/queries.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"query_id": "q6", "text": "pump q6", "split": "dev"}\n')
    assert refused(user, theirs, "assign") == "rankgate: data/sides.jsonl: Permission denied\n"

    give_leave(user, theirs)
    for words in (("assign",), POOL, LISTS, IMPORT):
        done = user.run(theirs, "rankgate", *words)
        assert done.returncode == 0, done.stderr
    assert [line["query_id"] for line in read_lines(theirs / "data/sides.jsonl")][-1] == "q6"
    assert len(read_lines(theirs / ROUND)) == 3


@pytest.mark.parametrize("owner", ["root", "the user"])
def test_dvc_names_the_output_that_it_may_not_replace(
    owner: str, user: Stranger, theirs: Path
) -> None:
    change_params(theirs, pool={"depth": 3})
    take_leave(user, theirs, owner)
    before, lock = files_of(theirs / "data"), (theirs / "dvc.lock").read_bytes()
    done = user.run(theirs, "dvc", "repro", "pool")
    assert done.returncode != 0
    (line,) = done.stderr.splitlines()
    assert line.startswith("ERROR: failed to reproduce 'pool': ")
    assert f"Permission denied: '{theirs}/data/pool/" in line
    assert (files_of(theirs / "data"), (theirs / "dvc.lock").read_bytes()) == (before, lock)

    give_leave(user, theirs)
    done = user.run(theirs, "dvc", "repro", "pool")
    assert done.returncode == 0, done.stderr
    assert set(files_of(theirs / "data")) == set(before)


def test_a_stage_names_the_output_that_dvc_could_remove_and_it_may_not_write(
    user: Stranger, theirs: Path
) -> None:
    """Only `data/` itself is protected: DVC removes the branch's lists, which its cache has."""
    shallow = {"kind": "recorded", "run": "lexical", "depth": 2}
    change_params(theirs, candidates={"lexical": shallow})
    (theirs / "data").chmod(0o555)
    before, lock = files_of(theirs / "data"), (theirs / "dvc.lock").read_bytes()
    target = ("repro", "candidates@lexical")
    done = user.run(theirs, "dvc", *target)
    assert done.returncode != 0
    assert done.stderr.splitlines()[0] == "rankgate: data/candidates/lexical: Permission denied"
    removed = {name for name in before if name.startswith("candidates/lexical/")}
    assert files_of(theirs / "data") == {
        name: text for name, text in before.items() if name not in removed
    }
    assert (theirs / "dvc.lock").read_bytes() == lock

    (theirs / "data").chmod(0o755)
    done = user.run(theirs, "dvc", "checkout")
    assert done.returncode == 0, done.stderr
    assert files_of(theirs / "data") == before
    done = user.run(theirs, "dvc", *target)
    assert done.returncode == 0, done.stderr
    assert set(files_of(theirs / "data")) == set(before)


def test_another_user_opens_once_leave_is_given(user: Stranger, theirs: Path) -> None:
    assert user.run(theirs, "dvc", "freeze", *LATER).returncode == 0
    take_leave(user, theirs, "the user")
    refused(user, theirs, *OPEN)
    give_leave(user, theirs)
    done = user.run(theirs, "rankgate", *OPEN)
    assert done.returncode == 0, done.stderr
    assert len(read_lines(theirs / LEDGER)) == 1
    assert read_json(theirs / "data/evaluation/summary.json")["sealed"] is False


def test_who_may_only_read_a_repository_is_told_that_dvc_needs_more(
    user: Stranger, theirs: Path
) -> None:
    for path in (theirs / ".dvc/tmp").rglob("*"):
        path.chmod(0o555 if path.is_dir() else 0o444)
    (theirs / ".dvc/tmp").chmod(0o555)
    said = refused(user, theirs, "decide")
    (theirs / ".dvc/tmp").chmod(0o755)
    assert said.startswith(f"rankgate: {theirs}/.dvc/tmp/")
    assert "DVC takes a lock even to look, and may not write there" in said
    assert len(said.splitlines()) == 1
