"""No id, label or name of a collection steers the terminal; what programs read stays as it is."""

import json
from pathlib import Path

import pytest
import yaml

from assets.processes import dvc
from pipeline.errors import CollectionError, first_three
from pipeline.storage import read_json
from tests.assets.five_queries import (
    CUT,
    GRADES,
    LISTS,
    SIDES,
    Run,
    change_params,
    git_repository,
    run_all,
    write_lines,
)

CHECKOUT = Path(__file__).parents[2]
# Clears the screen, turns the direction round, begins a line of its own.
SIGNS = "\x1b[2J\u202e\r\n\tSHIP"
LISTED = "abcdefgh"
SHOWN = r"\x1b[2J\u202e\r\n\tSHIP"
# What is written for programs: JSON, a snippet, trec_eval's lines; a page escapes in its own way.
FOR_PROGRAMS = {"compare_.py", "decide_.py", "export_.py", "measure_.py", "summary_.py"}


def evil(name: str) -> str:
    """A name that would steer a terminal."""
    return f"{name}{SIGNS}"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory, rankgate: Run) -> Path:
    """The five-query study whose every name holds such signs, finished; not to be changed."""
    root = git_repository(tmp_path_factory.mktemp("hostile") / "five")
    place = root / "data" / "collections" / "five"
    write_lines(
        place / "documents.jsonl", [{"doc_id": evil(one), "text": f"pump {one}"} for one in LISTED]
    )
    write_lines(
        place / "queries.jsonl",
        [
            {"query_id": evil(query), "text": query, "split": side, "slices": [evil("kind")]}
            for query, side in SIDES.items()
        ],
    )
    write_lines(
        place / "judgments" / "first.jsonl",
        [
            {"query_id": evil(query), "evidence_id": evil(evidence), "grade": grade}
            for (query, evidence), grade in GRADES.items()
        ],
    )
    for branch, lists in LISTS.items():
        write_lines(place / "runs" / f"{branch}.jsonl", [_answer(*one) for one in lists.items()])
    done = rankgate("init", root, "--collection", place)
    assert done.exit_code == 0, done.output
    folder = change_params(root, **CUT)
    run_all(folder)
    dvc(root, "commit", "--force")
    return root


def _answer(query: str, listed: str) -> dict[str, object]:
    found = [{"doc_id": evil(one), "score": 10 - rank} for rank, one in enumerate(listed)]
    return {"query_id": evil(query), "results": found}


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("show", evil("q1")),
        ("decide",),
        ("summary",),
        ("summary", "--format", "markdown"),
        ("check",),
        ("check", "--aa"),
        ("status",),
        ("judge", "status"),
        ("compare", ".", "."),
        ("compare", ".", ".", "--trend"),
        ("show", evil("no such")),
    ],
)
def test_no_name_steers_the_terminal(
    words: tuple[str, ...], rankgate: Run, hostile: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile)
    done = rankgate(*words)
    assert done.output
    lines = done.output.replace("\u00a0", " ").split("\n")
    assert [line for line in lines if not line.isprintable() or line.startswith("SHIP")] == []


@pytest.mark.slow
def test_a_list_shows_the_escapes_in_its_columns(rankgate: Run, hostile: Path) -> None:
    lines = rankgate("show", evil("q1"), study=hostile).stdout.splitlines()
    assert lines[0].startswith(f"query q1{SHOWN} (dev)")
    head = next(line for line in lines if line.startswith("rank"))
    row = lines[lines.index(head) + 1]
    assert row[head.index("evidence_id") :].startswith(f"b{SHOWN}")


@pytest.mark.slow
def test_what_programs_read_is_as_it_was(rankgate: Run, hostile: Path, tmp_path: Path) -> None:
    decided = rankgate("decide", "--json", study=hostile).stdout
    assert json.loads(decided) == read_json(hostile / "data" / "decision" / "decision.json")
    assert rankgate("show", "--run", tmp_path / "r.jsonl", study=hostile).exit_code == 0
    assert json.loads((tmp_path / "r.jsonl").read_text().splitlines()[0])["query_id"] == evil("q1")
    assert rankgate("judge", "qrels", "-o", tmp_path / "q.jsonl", study=hostile).exit_code == 0
    assert json.loads((tmp_path / "q.jsonl").read_text().splitlines()[0])["query_id"] == evil("q1")


@pytest.mark.parametrize("somebody", [False, True])
def test_values_are_escaped_where_somebody_sits_and_for_programs_not(
    somebody: bool, rankgate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, qrels = tmp_path / "a\x1b[2J.run", tmp_path / "qrels.txt"
    run.write_text("q1\u202e Q0 d 1 1 tag\n")
    qrels.write_text("q1\u202e 0 d 1\nq2\x1b[2J 0 d 1\n")
    monkeypatch.setattr("assets.commands.measure_.is_terminal", lambda _: somebody)
    done = rankgate("measure", run, "--judgments", qrels, "--per-query", "--measures", "RR")
    assert ("\tq1\\u202e\t" in done.stdout) == somebody
    assert ("\tq1\u202e\t" in done.stdout) == (not somebody)
    assert (r"a\x1b[2J.run" in done.stdout) == somebody
    assert "\x1b" not in done.stderr
    assert r"q2\x1b[2J" in done.stderr


def test_a_refusal_of_several_problems_has_a_line_for_each(rankgate: Run, founded: Path) -> None:
    problems = [first_three([evil("d1")]), "documents.jsonl:2: no text"]
    error = CollectionError(problems, where="five")
    assert error.lines == (
        "five: 2 problem(s)",
        f"  {problems[0]}",
        "  documents.jsonl:2: no text",
        "  Next: correct these and run the same command again",
    )
    assert str(error) == "\n".join(error.lines)


def test_a_name_begins_no_line_of_a_refusal(rankgate: Run, founded: Path, tmp_path: Path) -> None:
    params = tmp_path / "params.yaml"
    content = yaml.safe_load((founded / "params.yaml").read_text())
    params.write_text(yaml.safe_dump(content | {evil("nonsense"): 1}))
    done = rankgate("status", study=tmp_path)
    assert done.exit_code == 1
    assert SHOWN in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_every_line_for_a_person_goes_the_same_way() -> None:
    files = [*(CHECKOUT / "assets").rglob("*.py")]
    raw = {file.name for file in files if "click.echo(" in file.read_text(encoding="utf-8")}
    assert raw - {"terminal.py"} == FOR_PROGRAMS
