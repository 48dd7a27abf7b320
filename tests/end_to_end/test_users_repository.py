"""A study in a user's own repository: beside their own packages, in CI, and without their words.

One study for all of it: bm25 reads the text, `semantic` is recorded. The repository holds packages
with the names of ours that must never be imported, documents and queries are DVC's, and every
text and note has a word that stands nowhere else.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml
from click.testing import CliRunner

from assets import definitions_file
from assets.__main__ import cli
from assets.processes import environment
from tests.assets.five_queries import (
    CUT,
    change_params,
    git_repository,
    read_lines,
    write_collection,
    write_lines,
)

pytestmark = pytest.mark.slow

SCRIPTS = Path(sys.executable).parent
COLLECTION = Path("data/collections/five")
DOCUMENT, QUERY, NOTE = "zebradoc", "zebraquery", "zebranote"
BRANCHES = {
    "lexical": {"kind": "bm25", "depth": 3},
    "semantic": {"kind": "recorded", "run": "semantic", "depth": 3},
}
Done = subprocess.CompletedProcess[str]


def run(folder: Path, *command: object, expected: int = 0, **variables: str) -> Done:
    """A command of this environment, as a user would call it; without this checkout on any path."""
    kept = {name: value for name, value in environment().items() if name != "PYTHONPATH"}
    done = subprocess.run(
        [str(SCRIPTS / str(command[0])), *map(str, command[1:])],
        cwd=folder,
        env={**kept, **variables},
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == expected, done.stdout + done.stderr
    return done


def git(folder: Path, *arguments: str) -> str:
    """What git prints."""
    named = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    done = subprocess.run(
        ["git", *named, *arguments], cwd=folder, text=True, capture_output=True, check=True
    )
    return done.stdout


def write_marked_collection(folder: Path) -> None:
    """The five-query collection, a word in each text and note that stands nowhere else."""
    write_collection(folder)
    for part, word in (("documents", DOCUMENT), ("queries", QUERY)):
        lines = read_lines(folder / f"{part}.jsonl")
        marked = [line | {"text": f"{line['text']} {word}{n}"} for n, line in enumerate(lines)]
        write_lines(folder / f"{part}.jsonl", marked)
    judgments = folder / "judgments" / "first.jsonl"
    lines = read_lines(judgments)
    write_lines(judgments, [line | {"note": f"{NOTE}{n}"} for n, line in enumerate(lines)])


@pytest.fixture(scope="module")
def users(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The repository after its first `dvc repro`, committed and pushed to a folder."""
    place = tmp_path_factory.mktemp("users")
    root = git_repository(place / "mine")
    for name in ("pipeline", "assets"):
        (root / name).mkdir()
        (root / name / "__init__.py").write_text("raise RuntimeError('a package of the user')\n")
    write_marked_collection(root / COLLECTION)
    run(root, "dvc", "init")
    run(root, "dvc", "add", COLLECTION / "documents.jsonl", COLLECTION / "queries.jsonl")
    run(root, "rankgate", "init", ".", "--collection", COLLECTION)
    change_params(root, **CUT)
    (root / "params.yaml").write_text(_with(root / "params.yaml", candidates=BRANCHES))
    said = run(root, "rankgate", "check")
    assert "its text" not in said.stdout
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "A study before anything ran")
    said = run(root, "dvc", "repro")
    (place / "status.txt").write_text(git(root, "status", "--porcelain"))
    (place / "said.txt").write_text(said.stdout + said.stderr)
    (place / "store").mkdir()
    run(root, "dvc", "remote", "add", "--default", "store", "../store")
    run(root, "dvc", "push")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "The first study")
    return root


def _with(path: Path, **sections: object) -> str:
    return yaml.safe_dump({**yaml.safe_load(path.read_text()), **sections}, sort_keys=False)


def test_after_the_first_run_git_has_nothing_new_but_the_lock(users: Path) -> None:
    assert (users.parent / "status.txt").read_text() == "?? dvc.lock\n"


def test_packages_of_the_same_names_are_not_imported(users: Path) -> None:
    done = run(users, "rankgate", "decide", expected=5)
    assert done.stdout.startswith("SEALED")
    assert git(users, "status", "--porcelain") == ""


def test_nor_where_pythonpath_names_the_repository_in_what_dvc_starts_either(users: Path) -> None:
    again = ("repro", "--force", "--single-item", "splits")
    done = run(users, "dvc", *again, PYTHONPATH=".")
    assert "Running stage 'splits'" in done.stdout
    assert run(users, "rankgate", "decide", expected=5, PYTHONPATH=".").stdout.startswith("SEALED")
    assert git(users, "status", "--porcelain") == ""


def test_dagsters_page_finds_our_definitions_there(users: Path) -> None:
    code = definitions_file()
    done = run(
        users,
        *("python", "-m", "dagster", "definitions", "validate"),
        *("-f", code, "-d", code.parents[1]),
        DAGSTER_HOME=str(users / ".dagster"),
        RANKGATE_REPOSITORY=str(users),
        PYTHONWARNINGS="ignore",
    )
    assert "All code locations passed validation" in done.stdout + done.stderr


def steps_of(workflow: Path) -> list[dict[str, Any]]:
    """The workflow's steps that are commands, in their order."""
    content = yaml.safe_load(workflow.read_text())
    return [step for step in content["jobs"]["study"]["steps"] if "run" in step]


def run_step(step: Mapping[str, Any], clone: Path, **variables: str) -> Done:
    """A step as the service runs it: by bash, which stops at the first failure."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=clone / step.get("working-directory", "."),
        env={**environment(), **variables},
        text=True,
        capture_output=True,
        check=False,
    )


def test_the_workflow_runs_step_by_step_in_a_clean_clone(users: Path, tmp_path: Path) -> None:
    clone = users.parent / "clone"
    git(users.parent, "clone", "--quiet", str(users), str(clone))
    assert not (clone / COLLECTION / "documents.jsonl").exists()
    install, *others = steps_of(clone / ".github/workflows/rankgate.yml")
    nowhere = run_step(install, clone, RANKGATE="")
    assert nowhere.returncode == 1
    assert "Set the repository variable RANKGATE" in nowhere.stderr
    # This environment has Rankgate; what pip would be asked for is written down.
    pip = tmp_path / "bin" / "pip"
    pip.parent.mkdir()
    pip.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/asked\n')
    pip.chmod(0o755)
    path = os.pathsep.join([str(pip.parent), str(SCRIPTS), os.environ["PATH"]])
    screen = tmp_path / "summary.md"
    variables = {
        "PATH": path,
        "RANKGATE": "rankgate @ git+https://example.org/rankgate@abc",
        "GITHUB_STEP_SUMMARY": str(screen),
    }
    assert run_step(install, clone, **variables).returncode == 0
    assert (
        tmp_path / "asked"
    ).read_text() == "install rankgate @ git+https://example.org/rankgate@abc\n"
    done = {step["name"]: run_step(step, clone, **variables) for step in others}
    codes = {name: one.returncode for name, one in done.items()}
    # The test is sealed: nobody opened it, and a machine never does.
    assert codes == {"Fetch data": 0, "Run what is stale": 0, "Show the summary": 0, "Decide": 5}
    reran = [
        line
        for line in done["Run what is stale"].stdout.splitlines()
        if line.startswith("Running stage")
    ]
    assert reran == []
    assert screen.read_text().startswith("## SEALED: mine\n\n**")
    assert git(clone, "status", "--porcelain") == ""


@pytest.fixture(scope="module")
def opened(users: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A copy whose test was opened, and all that every command said there."""
    root = tmp_path_factory.mktemp("opened") / "mine"
    shutil.copytree(users, root)
    said = _all_of([run(root, "rankgate", "open", "--yes")])
    commands = (
        ("decide", "--json", "--fail-on", ""),
        ("summary",),
        ("summary", "--format", "markdown"),
        ("summary", "--format", "html"),
        ("status",),
        ("check",),
        ("check", "--aa"),
    )
    for words in commands:
        done = CliRunner().invoke(cli, ["--study", str(root), *words])
        assert done.exit_code == 0, done.output
        said += done.output
    return root, said + (users.parent / "said.txt").read_text()


def _all_of(said: Sequence[Done]) -> str:
    return "".join(one.stdout + one.stderr for one in said)


def _holds_text(text: str) -> list[str]:
    return [word for word in (DOCUMENT, QUERY, NOTE) if word in text.lower()]


def test_no_command_says_what_documents_queries_or_notes_say(opened: tuple[Path, str]) -> None:
    _, said = opened
    assert len(said) > 1_000
    assert _holds_text(said) == []


# What is made of the text, for people and for the chain: the collection, its parsed form, DVC's
# copies of both, and the index of its words.
OF_TEXT = ("data/collections", "data/snapshot", "data/worksheets", ".dvc/cache", ".rankgate/cache")


def _outputs(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        place = path.relative_to(root).as_posix()
        if path.is_file() and not place.startswith((*OF_TEXT, ".git/")):
            yield path


def _content(path: Path) -> str:
    if path.suffix != ".parquet":
        return path.read_bytes().decode("utf-8", errors="replace")
    frame = pl.read_parquet(path)
    return str(frame.to_dicts())


def test_no_output_database_or_page_holds_text(opened: tuple[Path, str]) -> None:
    root, _ = opened
    outputs = list(_outputs(root))
    names = {path.relative_to(root).as_posix() for path in outputs}
    for expected in (
        "dvc.lock",
        "mlruns/mlflow.db",
        "data/report/index.html",
        "data/decision/decision.json",
        "data/evaluation/per_query.parquet",
        "data/ledger.jsonl",
    ):
        assert expected in names
    assert any(name.startswith(".dagster/") for name in names)
    found = {path: words for path in outputs if (words := _holds_text(_content(path)))}
    assert found == {}


def test_the_sought_words_would_be_found(users: Path) -> None:
    assert _holds_text(_content(users / "data/snapshot/documents.parquet")) == [DOCUMENT]
    assert _holds_text(_content(users / "data/snapshot/queries.parquet")) == [QUERY]
    assert _holds_text((users / COLLECTION / "judgments/first.jsonl").read_text()) == [NOTE]


def test_git_history_holds_neither_documents_nor_queries(users: Path) -> None:
    history = git(users, "log", "--patch", "--all", "--text").lower()
    assert "params.yaml" in history
    assert DOCUMENT not in history
    assert QUERY not in history


BROKEN: Mapping[str, Sequence[tuple[str, str]]] = {
    "not json": (
        ("documents.jsonl", f'{{"doc_id": "z", "text": "{DOCUMENT}"\n'),
        ("queries.jsonl", f"{QUERY}\n"),
        ("judgments/first.jsonl", f"{{'note': '{NOTE}'}}\n"),
    ),
    "of the wrong kind": (
        ("documents.jsonl", f'{{"doc_id": "z", "text": ["{DOCUMENT}"]}}\n'),
        ("documents.jsonl", f'{{"doc_id": "y", "title": {{"en": "{DOCUMENT}"}}}}\n'),
        ("queries.jsonl", f'{{"query_id": "q8", "text": {{"en": "{QUERY}"}}}}\n'),
        ("queries.jsonl", f'{{"query_id": "q9", "variants": ["{QUERY}"]}}\n'),
        (
            "judgments/first.jsonl",
            f'{{"query_id": "q1", "evidence_id": "c", "grade": 1, "note": ["{NOTE}"]}}\n',
        ),
    ),
    "there twice": (
        ("documents.jsonl", f'{{"doc_id": "a", "text": "{DOCUMENT} another"}}\n'),
        ("queries.jsonl", f'{{"query_id": "q1", "text": "{QUERY} another"}}\n'),
    ),
    "without an id": (
        ("documents.jsonl", f'{{"text": "{DOCUMENT}"}}\n'),
        ("queries.jsonl", f'{{"text": "{QUERY}"}}\n'),
        ("judgments/first.jsonl", f'{{"grade": 1, "note": "{NOTE}"}}\n'),
    ),
}


@pytest.mark.parametrize("how", BROKEN)
def test_errors_name_the_field_and_not_the_text(how: str, users: Path, tmp_path: Path) -> None:
    root = tmp_path / "mine"
    kept = shutil.ignore_patterns(".git", ".dvc", ".rankgate", "mlruns", ".dagster", "snapshot")
    shutil.copytree(users, root, ignore=kept)
    for file, line in BROKEN[how]:
        path = root / COLLECTION / file
        path.write_text(path.read_text() + line)
    said = run(root, "rankgate", "--debug", "run", "snapshot", expected=1)
    for file, _ in BROKEN[how]:
        assert f"{file}:" in said.stderr
    assert _holds_text(_all_of([said])) == []
