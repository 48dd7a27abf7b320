"""`rankgate study`: the whole chain on run files, in one process, with the same values."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import Result

from assets.folder import StudyFolder
from assets.runner import run_stage
from pipeline.appending import append_lines
from pipeline.ledger import opening_line
from pipeline.storage import read_json
from pipeline.study import UNDATED
from tests.assets.five_queries import CUT, GRADES, Run, write_lines

CHECKOUT = Path(__file__).parents[3]
DECIDED = ("candidates", "pool", "sweep", "selection", "evaluation", "operations", "decision")


@pytest.fixture(scope="session")
def words(founded: Path) -> list[str]:
    """The arguments that name the five-query collection's files."""
    collection = founded / "data" / "collections" / "five"
    runs = [f"{name}={collection / 'runs' / name}.run" for name in ("lexical", "semantic")]
    files = {"documents": "documents.jsonl", "queries": "queries.jsonl"}
    return [
        *(word for run in runs for word in ("--run", run)),
        *("--judgments", str(collection / "judgments" / "first.jsonl")),
        *(word for name, file in files.items() for word in (f"--{name}", str(collection / file))),
    ]


def bytes_under(folder: Path) -> dict[str, bytes]:
    """Every visible file under a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith(".")
    }


def open_test(study: Path) -> None:
    """Opens the test, as a first opening, and runs the rest."""
    folder = StudyFolder(study)
    selection = read_json(study / "data" / "selection" / "selection.json")
    append_lines(study / "data" / "ledger.jsonl", [opening_line(selection, opened_at=UNDATED)])
    for stage in ("selection", "evaluation", "operations", "decision", "report"):
        run_stage(folder, stage)


@pytest.fixture(scope="module")
def ended(
    rankgate: Run, words: list[str], founded: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Result, Path]:
    """What the command said, and where it wrote."""
    out = tmp_path_factory.mktemp("ended") / "out"
    return rankgate("study", *words, "--params", founded / "params.yaml", "--out", out), out


@pytest.fixture(scope="module")
def both(
    ended: tuple[Result, Path], finished: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Path]:
    """`data/` of the bare study and of the orchestrated one, its test opened."""
    study = Path(shutil.copytree(finished, tmp_path_factory.mktemp("both") / "five"))
    open_test(study)
    return ended[1], study / "data"


def test_it_says_the_word_and_writes_the_page(ended: tuple[Result, Path]) -> None:
    done, out = ended
    assert done.exit_code == 0, done.output
    word = read_json(out / "decision" / "decision.json")["word"]
    assert word in {"ship", "hold", "inconclusive"}
    assert f"\n{word.upper()}" in done.output
    assert done.output.splitlines()[-1] == f"report: {out / 'report' / 'index.html'}"
    assert (out / "report" / "index.html").exists()


def test_it_shows_what_each_system_is_worth_best_first(ended: tuple[Result, Path]) -> None:
    done, _ = ended
    heads, *rows = done.stdout.split("\n\n")[0].splitlines()
    assert heads.split()[:6] == ["system", "role", "nDCG@2", "R@2", "ZeroHit@2", "Judged@2"]
    assert heads.endswith("(2 test queries)")
    values = {row.split()[0]: row.split()[1:] for row in rows}
    # lexical has q4's only relevant item at rank 2 and q5's at rank 2: 1 / log2(3) each.
    assert values["lexical"] == ["branch", "0.6309", "1.0000", "0.0000", "0.5000"]
    # semantic has both first; of its three items all are judged, in lists of 2 and 1.
    assert values["semantic"][:3] == ["branch", "1.0000", "1.0000"]
    assert {"rrf_60", "selected"} <= set(values)
    primary = [float(row.split()[2]) for row in rows]
    assert primary == sorted(primary, reverse=True)


def test_a_word_fails_only_where_that_is_asked_for(
    ended: tuple[Result, Path], rankgate: Run, words: list[str], founded: Path
) -> None:
    given = ("study", *words, "--params", founded / "params.yaml")
    assert ended[0].exit_code == 0
    # Two groups settle nothing.
    assert rankgate(*given, "--fail-on", "hold,inconclusive").exit_code == 4
    assert rankgate(*given, "--fail-on", "hold").exit_code == 0
    assert rankgate(*given, "--fail-on", "red").exit_code == 2


def test_it_says_that_the_next_steps_commands_need_a_study_of_its_own(
    ended: tuple[Result, Path],
) -> None:
    done, _ = ended
    steps = [line for line in done.output.splitlines() if line.startswith("next: ")]
    assert any("`rankgate " in step for step in steps)
    assert "rankgate import --format trec takes these files" in done.output


@pytest.mark.parametrize("stage", DECIDED)
def test_its_values_are_those_of_the_orchestrated_study(
    stage: str, both: tuple[Path, Path]
) -> None:
    bare, orchestrated = both
    assert bytes_under(bare / stage) == bytes_under(orchestrated / stage)
    assert len(bytes_under(bare / stage)) > 1


def test_run_files_and_judgments_are_enough(
    rankgate: Run, words: list[str], tmp_path: Path
) -> None:
    params = tmp_path / "p.yaml"
    params.write_text(yaml.safe_dump(CUT | {"splits": {"independent": True, "folds": 2}}))
    bare = words[: words.index("--documents")]
    done = rankgate("study", *bare, "--params", params, "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    splits = read_json(tmp_path / "out" / "splits" / "leakage.json")
    assert {side["side"] for side in splits["sides"]} == {"crossfit"}


def tied_files(folder: Path) -> list[object]:
    """Two runs and qrels of 40 queries, all of which have T00's document among the relevant."""
    names = [f"T{n:02}" for n in range(40)]
    for run, first in (("a", "D0121"), ("b", "D{}")):
        lines = (
            f"{name} Q0 {document.format(name)} {rank} {3 - rank} x\n"
            for name in names
            for rank, document in enumerate((first, "D0" if run == "a" else "D1"), start=1)
        )
        (folder / f"{run}.run").write_text("".join(lines))
    qrels = (f"{name} 0 {doc} 1\n" for name in names for doc in ("D0121", f"D{name}"))
    (folder / "qrels.txt").write_text("".join(qrels))
    runs = [word for run in "ab" for word in ("--run", f"{run}={folder / run}.run")]
    return [*runs, "--judgments", folder / "qrels.txt"]


def test_queries_that_tie_into_one_group_are_refused_with_the_reason_and_the_way_out(
    rankgate: Run, tmp_path: Path
) -> None:
    given = tied_files(tmp_path)
    refused = rankgate("study", *given)
    assert refused.exit_code == 1
    assert "40 queries in 1 group: 40 tied by shared relevant documents" in refused.stderr
    assert "(e.g. T00, T01 and 38 more share D0121)" in refused.stderr
    assert "rankgate study --independent" in refused.stderr
    params = tmp_path / "params.yaml"
    params.write_text(yaml.safe_dump(CUT | {"splits": {"independent": False}}))
    done = rankgate("study", *given, "--independent", "--params", params)
    assert done.exit_code == 0, done.output
    assert done.stderr.splitlines() == [
        "grid: 20 configurations on 40 queries",
        "groups: 40 queries in 40 groups: declared independent",
    ]


def test_judged_queries_that_no_run_answers_are_told(rankgate: Run, tmp_path: Path) -> None:
    given = tied_files(tmp_path)
    with (tmp_path / "qrels.txt").open("a") as file:
        file.write("T-99 0 D0001 1\n")
    params = tmp_path / "params.yaml"
    params.write_text(yaml.safe_dump(CUT))
    done = rankgate("study", *given, "--independent", "--params", params)
    assert done.exit_code == 0, done.output
    told = "all runs: 1 of 41 judged queries without results, which count 0: T-99\n"
    assert told in done.stderr


def test_words_after_the_last_column_are_refused_unless_ignored(
    rankgate: Run, words: list[str], founded: Path, tmp_path: Path
) -> None:
    own = founded / "data" / "collections" / "five" / "runs" / "lexical.run"
    wordy = tmp_path / "wordy.run"
    wordy.write_text("".join(f"{line} as submitted\n" for line in own.read_text().splitlines()))
    given = [word.replace(str(own), str(wordy)) for word in words]
    params = ["--params", founded / "params.yaml"]
    refused = rankgate("study", *given, *params)
    assert refused.exit_code == 1
    assert "wordy.run:1" in refused.output
    assert "--trailing ignore" in refused.output
    assert rankgate("study", *given, *params, "--trailing", "ignore").exit_code == 0


LOADED = """
import atexit, sys
from assets.__main__ import cli
atexit.register(lambda: print(*sorted({name.split(".")[0] for name in sys.modules})))
cli.main(sys.argv[1:], standalone_mode=False)
"""


@pytest.mark.slow
def test_it_needs_and_imports_neither_git_dvc_dagster_nor_mlflow(
    words: list[str], founded: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", LOADED, "study", *words, "--params", str(founded / "params.yaml")],
        cwd=tmp_path,
        env={**os.environ, "PATH": "", "PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
        check=True,
    )
    names = set(done.stdout.splitlines()[-1].split())
    assert "pipeline" in names
    assert not {"git", "dvc", "dagster", "mlflow"} & names
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ("lexical", "not NAME=FILE; found lexical"),
        ("=x.run", "not NAME=FILE"),
        ("lexical=absent.run", "absent.run"),
        ("..=absent.run", "--run: a name that cannot be one; found .."),
        ("a b=absent.run", "--run: a name that cannot be one; found a b"),
    ],
)
def test_runs_that_cannot_be_are_refused(
    run: str, said: str, rankgate: Run, words: list[str], tmp_path: Path
) -> None:
    judgments = words[words.index("--judgments") + 1]
    done = rankgate("study", "--run", run, "--judgments", judgments, "--out", tmp_path / "out")
    assert done.exit_code == 1
    assert said in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_name_that_stands_twice_is_refused(rankgate: Run, words: list[str]) -> None:
    done = rankgate("study", *words[:2], *words)
    assert done.exit_code == 1
    assert "a name stands twice; found lexical" in done.stderr


def test_unknown_parameters_are_refused_with_the_nearest(
    rankgate: Run, words: list[str], tmp_path: Path
) -> None:
    params = tmp_path / "p.yaml"
    params.write_text("sweep: {rank_constant: [60]}\n")
    done = rankgate("study", *words, "--params", params)
    assert done.exit_code == 1
    assert "sweep.rank_constant: unknown key, the nearest known is 'rank_constants'" in done.stderr


@pytest.mark.parametrize("collection", ["", " 3"])
def test_a_section_that_is_no_mapping_is_refused(
    collection: str, rankgate: Run, words: list[str], tmp_path: Path
) -> None:
    params = tmp_path / "p.yaml"
    params.write_text(f"collection:{collection}\n")
    done = rankgate("study", *words, "--params", params)
    assert done.exit_code == 1
    assert f"{params}: collection: Input should be" in done.stderr


def test_runs_and_judgments_with_nothing_in_common_are_refused(
    rankgate: Run, words: list[str], tmp_path: Path
) -> None:
    qrels = tmp_path / "qrels.txt"
    for queries, documents, said in (("x", "", "queries"), ("q", "y", "documents")):
        lines = [f"{queries}{n} 0 {documents}{n} 1\n" for n in range(1, 6)]
        qrels.write_text("".join(lines))
        done = rankgate("study", *words[:4], "--judgments", qrels)
        assert done.exit_code == 1
        assert f"the runs and the judgments have no {said} in common" in done.stderr


def test_judgments_of_another_collection_are_refused(
    rankgate: Run, words: list[str], tmp_path: Path
) -> None:
    other = tmp_path / "other.jsonl"
    write_lines(
        other,
        [{"query_id": f"x{q}", "evidence_id": f"y{e}", "grade": g} for (q, e), g in GRADES.items()],
    )
    place = words.index("--judgments") + 1
    done = rankgate("study", *words[:place], other, *words[place + 1 :])
    assert done.exit_code == 1
    assert "no evidence_id of the judgments is in the corpus" in done.stderr


def test_judgments_of_a_spreadsheet_are_enough(
    rankgate: Run, words: list[str], tmp_path: Path
) -> None:
    runs, rest = words[:4], tmp_path / "judged.csv"
    labels = {0: "no", 1: "some", 2: "good", 3: "best"}
    rows = [f"{query};{doc};{labels[grade]}\r\n" for (query, doc), grade in GRADES.items()]
    rest.write_text("\ufeffquery;document;verdict\r\n" + "".join(rows), newline="")
    params = tmp_path / "params.yaml"
    params.write_text(yaml.safe_dump(CUT | {"splits": {"independent": True}}))
    mapped = [word for grade, label in labels.items() for word in ("--grade", f"{label}={grade}")]
    named = ["--columns", "evidence=document", "--columns", "grade=verdict"]
    rest.write_text(rest.read_text(encoding="utf-8") + rows[0], encoding="utf-8")
    mapped += ["--grade", "Awful=0"]
    done = rankgate("study", *runs, "--judgments", rest, *named, *mapped, "--params", params)
    assert done.exit_code == 0, done.output + done.stderr
    assert "judged.csv: left behind: 1 repeated judgments\n" in done.stderr
    assert "judged.csv: note: nothing in judged.csv is Awful=0 of --grade\n" in done.stderr
    unmapped = rankgate("study", *runs, "--judgments", rest, *named, "--params", params)
    assert unmapped.exit_code == 1
    assert "judged.csv:2: no grade in column 'verdict'" in unmapped.stderr
