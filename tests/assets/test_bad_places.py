"""A full disk and a write-protected folder: one line that names the place, nothing lost."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from assets.processes import environment
from tests.assets.commands.test_judge_command import fill, sheet
from tests.assets.five_queries import Run, read_lines
from tests.assets.test_runner import files_of

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).parents[2]
RUN = (sys.executable, "-m", "assets")
LIMITED = (
    "import resource, sys\n"
    "resource.setrlimit(resource.RLIMIT_FSIZE, (700, 700))\n"
    "from assets.__main__ import main\n"
    "main()\n"
)


def said(root: Path, command: list[str]) -> str:
    """The one line with which a command is refused."""
    done = subprocess.run(
        command,
        cwd=root,
        env={**environment(), "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert done.stderr.startswith("rankgate: ")
    assert len(done.stderr.splitlines()) == 1
    return done.stderr


def mounting(script: str, folder: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Runs a script that mounts, in a name space of its own; skips where 77 says it may not."""
    if shutil.which("unshare") is None:
        pytest.skip("no program to mount with")
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script],
        cwd=folder,
        env={**environment(), "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == 77 or done.stderr.startswith("unshare: "):
        pytest.skip("mounting is not allowed here")
    assert done.returncode == 0, done.stderr
    return done


@pytest.mark.parametrize(
    ("stage", "file"),
    [
        ("snapshot", r"\.parquet: the table cannot be written"),
        ("decision", r"data/\.unfinished\.decision/\w+\.json: File too large"),
        ("report", r"data/\.unfinished\.report/index\.html: File too large"),
    ],
)
def test_a_file_that_grows_too_large_is_named(stage: str, file: str, study: Path) -> None:
    before = files_of(study / "data")
    line = said(study, [sys.executable, "-c", LIMITED, "run", stage])
    assert re.search(file, line), line
    assert files_of(study / "data") == before


def test_an_import_that_grows_too_large_names_what_it_wrote(study: Path) -> None:
    """And not the file that it copied."""
    words = ["import", "data/collections/five", "--format", "jsonl", "--name", "again"]
    words += ["--regime", "pooled", "--scale", "0", "3", "--rel", "1"]
    line = said(study, [sys.executable, "-c", LIMITED.replace("700", "50"), *words])
    assert re.search(r"^rankgate: data/collections/\.again\S*/\S+: File too large$", line), line
    assert not list((study / "data/collections").glob("*again*"))


def test_a_full_file_system_is_told(study: Path, tmp_path: Path) -> None:
    """The study on a file system of its own, in a mount namespace that ends with the process."""
    here = tmp_path / "small"
    here.mkdir()
    listed = "find data -type f -exec md5sum {} + | sort >"
    script = (
        f"mount -t tmpfs -o size=16m none {here} || exit 77\n"
        f"cp -r {study}/. {here} && cd {here} || exit 78\n"
        "dd if=/dev/zero of=filled bs=1k 2>/dev/null\n"
        f"{listed} {tmp_path}/before\n"
        f"{sys.executable} -m assets run pool && exit 79\n"
        f"{sys.executable} -m assets run decision && exit 79\n"
        f"{listed} {tmp_path}/after\n"
    )
    done = mounting(script)
    pool, decision = done.stderr.splitlines()
    assert pool.startswith("rankgate: data/")
    assert "No space left on device" in decision
    assert (tmp_path / "before").read_text() == (tmp_path / "after").read_text() != ""


def protected(command: list[str]) -> list[str]:
    """The command as somebody to whom file permissions apply."""
    if os.geteuid() != 0:
        return command
    if shutil.which("setpriv") is None:
        pytest.skip("root may write anywhere, and setpriv is not here to change that")
    return ["setpriv", "--bounding-set", "-dac_override", "--inh-caps", "-dac_override", *command]


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["run", "pool"], "data/pool"),
        (["run", "candidates", "--branch", "lexical"], "data/candidates/lexical"),
        (["assign"], "data/sides.jsonl"),
    ],
)
def test_a_write_protected_data_folder_is_told(words: list[str], named: str, study: Path) -> None:
    with (study / "data/collections/five/queries.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"query_id": "q6", "text": "pump q6", "split": "dev"}\n')
    before = files_of(study / "data")
    (study / "data").chmod(0o555)
    try:
        line = said(study, protected([*RUN, *words]))
    finally:
        (study / "data").chmod(0o755)
    assert line == f"rankgate: {named}: Permission denied\n"
    assert files_of(study / "data") == before


@pytest.fixture
def judged(study: Path, rankgate: Run) -> Path:
    """A study with an answered worksheet."""
    rankgate("judge", "export", "--assessor", "ann", study=study)
    fill(sheet(study), "1")
    return study


IMPORT = ("judge", "import", "data/worksheets/ann.csv", "--round", "second")
MOUNTS = {
    "another file system": "mount -t tmpfs none data/collections/five"
    " && cp -r ../kept/. data/collections/five",
    "a folder of the same file system": "mount --bind ../kept data/collections/five",
}


@pytest.mark.parametrize("mount", MOUNTS.values(), ids=MOUNTS)
def test_judgments_come_into_a_collection_that_is_a_mount_point(mount: str, judged: Path) -> None:
    shutil.copytree(judged / "data/collections/five", judged.parent / "kept")
    script = (
        f"{{ {mount}; }} || exit 77\n"
        f"{sys.executable} -m assets {' '.join(IMPORT)} && cp -r data/collections ../seen"
    )
    mounting(script, judged)
    seen = judged.parent / "seen"
    assert len(read_lines(seen / "five/judgments/second.jsonl")) == 3
    assert not list(seen.rglob(".*"))


def test_judgments_come_into_a_collection_whose_parent_is_write_protected(judged: Path) -> None:
    collections = judged / "data/collections"
    collections.chmod(0o555)
    try:
        done = subprocess.run(
            protected([*RUN, *IMPORT]),
            cwd=judged,
            env={**environment(), "PYTHONPATH": str(CHECKOUT)},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        collections.chmod(0o755)
    assert done.returncode == 0, done.stderr
    assert len(read_lines(collections / "five/judgments/second.jsonl")) == 3
    assert not list(collections.rglob(".*"))
