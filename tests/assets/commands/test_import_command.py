"""`rankgate import`: a collection in native form, whole or not at all."""

import json
import shutil
import sys
from pathlib import Path

import pytest

from assets import asking, large_files
from assets.processes import dvc
from tests.assets.five_queries import Run, git_repository, write_collection


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A native collection to import."""
    folder = tmp_path / "source"
    write_collection(folder)
    return folder


def test_it_says_what_was_read_and_what_to_do_next(
    source: Path, rankgate: Run, tmp_path: Path
) -> None:
    done = rankgate("import", source, "--format", "jsonl", "--name", "mine", study=tmp_path)
    place = tmp_path / "data" / "collections" / "mine"
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert lines[0] == f"{place}: 8 documents, 5 queries, 9 judgments, 2 runs"
    assert lines[-1] == f"next: rankgate init DIR --collection {place}"
    assert (place / "documents.jsonl").read_bytes() == (source / "documents.jsonl").read_bytes()
    assert sorted(path.name for path in (place / "runs").iterdir()) == [
        "lexical.run",
        "semantic.run",
    ]


def test_a_beir_folder_with_what_is_left_behind(rankgate: Run, tmp_path: Path) -> None:
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    corpus = [{"_id": "007", "title": "", "text": "one"}, {"_id": "7", "title": "", "text": "two"}]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(line) + "\n" for line in corpus))
    queries = [{"_id": "a", "text": "one?"}, {"_id": "b", "text": "two?"}]
    (folder / "queries.jsonl").write_text("".join(json.dumps(line) + "\n" for line in queries))
    qrels = "query-id\tcorpus-id\tscore\na\t007\t1\na\tgone\t2\n"
    (folder / "qrels" / "test.tsv").write_text(qrels)
    done = rankgate("import", folder, "--format", "beir", "--name", "b", study=tmp_path)
    assert done.exit_code == 0, done.output
    assert "left behind: 1 queries of no chosen split" in done.output
    assert "noticed: 1 judged evidence without a document (kept), for instance gone" in done.output
    assert "note: one split (test)" in done.output
    assert done.output.rstrip().endswith("--scale 0 2")


def test_twins_are_noticed(source: Path, rankgate: Run, tmp_path: Path) -> None:
    lines = (source / "documents.jsonl").read_text().replace("pump h wordh", "pump a worda")
    (source / "documents.jsonl").write_text(lines)
    done = rankgate("import", source, "--format", "jsonl", "--name", "mine", study=tmp_path)
    assert (
        "noticed: 1 clusters of documents with the same text and different evidence,"
        " for instance a = h" in done.output
    )


def test_ids_that_differ_by_normal_form_are_noticed_and_not_rewritten(
    rankgate: Run, tmp_path: Path
) -> None:
    run, qrels = tmp_path / "a.run", tmp_path / "qrels.txt"
    run.write_text("q1 Q0 cafe\u0301-7 1 2 t\n", encoding="utf-8")
    qrels.write_text("q1 0 caf\u00e9-7 1\n", encoding="utf-8")
    files = ("--runs", run, "--judgments", qrels)
    done = rankgate("import", "--format", "trec", "--name", "t", *files, study=tmp_path)
    assert done.exit_code == 0, done.output
    assert (
        "noticed: 1 ids that differ from another only by blanks or Unicode normal form"
        " (never joined), for instance 'cafe\\u0301-7' = 'caf\\xe9-7'" in done.output
    )
    kept = tmp_path / "data/collections/t/runs/a.run"
    assert kept.read_text("utf-8") == run.read_text("utf-8")


def test_single_files_of_trec(source: Path, rankgate: Run, tmp_path: Path) -> None:
    (tmp_path / "q.tsv").write_text("q1\tpump\n")
    (tmp_path / "qrels.txt").write_text("q1 0 a 1\n")
    files = {"documents": source / "documents.jsonl", "queries": tmp_path / "q.tsv"}
    files |= {"judgments": tmp_path / "qrels.txt", "runs": source / "runs" / "lexical.run"}
    options = [word for name, path in files.items() for word in (f"--{name}", path)]
    done = rankgate("import", "--format", "trec", "--name", "t", *options, study=tmp_path)
    assert done.exit_code == 0, done.output
    assert "8 documents, 1 queries, 1 judgments, 1 runs" in done.output


def test_links_instead_of_copies(source: Path, rankgate: Run, tmp_path: Path) -> None:
    rankgate("import", source, "--format", "jsonl", "--name", "mine", "--link", study=tmp_path)
    link = tmp_path / "data" / "collections" / "mine" / "documents.jsonl"
    assert link.is_symlink()
    assert not link.readlink().is_absolute()
    assert link.read_bytes() == (source / "documents.jsonl").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--name", "../up"], "a name that cannot be one"),
        (["--name", "mine", "--split", "dev"], "has no splits"),
    ],
)
def test_what_cannot_be_imported_leaves_nothing(
    arguments: list[str], said: str, source: Path, rankgate: Run, tmp_path: Path
) -> None:
    done = rankgate("import", source, "--format", "jsonl", *arguments, study=tmp_path)
    assert done.exit_code == 1
    assert said in done.stderr
    assert not list(tmp_path.glob("data/collections/*"))


def test_every_problem_of_the_source_is_named_and_nothing_is_written(
    source: Path, rankgate: Run, tmp_path: Path
) -> None:
    with (source / "documents.jsonl").open("a") as file:
        file.write('{"doc_id": 7}\nnot json\n')
    done = rankgate("import", source, "--format", "jsonl", "--name", "mine", study=tmp_path)
    assert done.exit_code == 1
    assert "documents.jsonl:9" in done.stderr
    assert "documents.jsonl:10" in done.stderr
    assert not list(tmp_path.glob("data/collections/*"))


def test_never_over_another_collection(source: Path, rankgate: Run, tmp_path: Path) -> None:
    words = ("import", source, "--format", "jsonl", "--name", "mine")
    rankgate(*words, study=tmp_path)
    again = rankgate(*words, study=tmp_path)
    assert again.exit_code == 1
    assert "a collection of this name is there already" in again.stderr


def test_an_unknown_format_is_a_usage_error(rankgate: Run, tmp_path: Path) -> None:
    assert rankgate("import", tmp_path, "--format", "csv", "--name", "x").exit_code == 2


def test_large_files_outside_dvc_are_said_to_stay(
    source: Path, rankgate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(large_files, "LARGE", 300)
    done = rankgate("import", source, "--format", "jsonl", "--name", "mine", study=tmp_path)
    assert "no DVC repository here, so git would keep documents.jsonl" in done.output


def test_large_files_go_under_dvc_and_judgments_stay_in_git(
    source: Path, rankgate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = git_repository(tmp_path / "repository")
    dvc(repository, "init")
    monkeypatch.setattr(large_files, "LARGE", 10)
    done = rankgate("import", source, "--format", "jsonl", "--name", "mine", study=repository)
    place = repository / "data" / "collections" / "mine"
    assert done.exit_code == 0, done.output
    assert (place / "documents.jsonl.dvc").exists()
    assert (place / "runs" / "lexical.run.dvc").exists()
    assert not list((place / "judgments").glob("*.dvc"))
    assert "in DVC: documents.jsonl, queries.jsonl, runs/lexical.run" in done.output


def test_without_a_terminal_it_says_what_it_takes_and_from_where(
    source: Path, rankgate: Run, tmp_path: Path
) -> None:
    words = ("import", source, "--format", "jsonl", "--name")
    done = rankgate(*words, "a", study=tmp_path)
    assert (
        "declared: regime pooled (the default), scale 0 3 (the grades that occur),"
        " rel 1 (the default); else --regime, --scale, --rel" in done.output
    )
    said = ("--regime", "sparse", "--scale", "0", "4", "--rel", "2", "--grade", "-1=0")
    done = rankgate(*words, "b", *said, study=tmp_path)
    assert (
        "declared: regime sparse (as you say), scale 0 4 (as you say), rel 2 (as you say),"
        " grade -1 is 0\n" in done.output
    )
    assert done.output.rstrip().endswith("--regime sparse --scale 0 4 --rel 2 --grade -1=0")


def test_on_a_terminal_it_asks(
    source: Path, rankgate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assets.commands.import_.asker", lambda: asking.ask)
    words = ("import", source, "--format", "jsonl", "--name", "a", "--rel", "2")
    done = rankgate(*words, study=tmp_path, input="exhaustive\n\n4\n")
    assert done.exit_code == 0, done.output
    assert "How complete are the judgments" in done.output
    assert "from which grade on" not in done.output  # --rel has said it
    said = json.loads((tmp_path / "data/collections/a/import.json").read_text())["declared"]
    assert (said["regime"], said["scale"], said["rel"]) == ("exhaustive", [0, 4], 2)


def test_nobody_is_asked_through_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stream:
        def __init__(self, terminal: bool) -> None:
            self.terminal = terminal

        def isatty(self) -> bool:
            return self.terminal

    for into, out, asked in ((True, True, True), (True, False, False), (False, True, False)):
        monkeypatch.setattr(sys, "stdin", Stream(into))
        monkeypatch.setattr(sys, "stdout", Stream(out))
        assert (asking.asker() is not None) == asked


def test_what_is_left_behind_is_listed(rankgate: Run, tmp_path: Path) -> None:
    folder = tmp_path / "beir"
    (folder / "qrels").mkdir(parents=True)
    (folder / "corpus.jsonl").write_text('{"_id": "d", "text": "t", "url": "u"}\n')
    (folder / "queries.jsonl").write_text(
        "".join(f'{{"_id": "q{i}", "text": "t"}}\n' for i in range(6))
    )
    for split in ("test", "other"):
        (folder / f"qrels/{split}.tsv").write_text("query-id\tcorpus-id\tscore\nq0\td\t1\n")
    done = rankgate("import", folder, "--format", "beir", "--name", "b", study=tmp_path)
    assert "left behind: 1 field 'url'\n" in done.output
    assert "left behind: 5 queries of no chosen split: q1, q2, q3 and 2 more\n" in done.output
    assert "not read: qrels/other.tsv\n" in done.output


def test_a_mapping_that_matches_nothing_is_noted(
    source: Path, rankgate: Run, tmp_path: Path
) -> None:
    judged = tmp_path / "judged.csv"
    judged.write_text("qid,doc_id,grade\nq1,b,good\nq1,b,good\n")
    given = ("--judgments", judged, "--grade", "good=2", "--grade", "Awful=0")
    done = rankgate("import", source, "--format", "jsonl", "--name", "m", *given, study=tmp_path)
    assert done.exit_code == 0, done.output
    assert "left behind: 1 repeated judgments\n" in done.output
    assert "note: nothing in judged.csv is Awful=0 of --grade\n" in done.output


@pytest.mark.parametrize(
    ("lying", "found"),
    [
        (("qrels.txt", "a.csv"), "qrels.txt"),
        (("mine.QRELS", "notes.md"), "mine.QRELS"),
        (("labels.tsv.gz",), "labels.tsv.gz"),
        (("notes.md",), None),
    ],
)
def test_without_judgments_the_file_that_looks_like_some_is_named(
    source: Path, rankgate: Run, tmp_path: Path, lying: tuple[str, ...], found: str | None
) -> None:
    for round_file in (source / "judgments").iterdir():
        round_file.unlink()
    for name in lying:
        (source / name).write_text("q1 0 b 1\n")
    given = ("import", source, "--format", "jsonl", "--name", "mine")
    done = rankgate(*given, study=tmp_path)
    assert done.exit_code == 0, done.output
    *_, note, following = done.output.splitlines()
    assert note.startswith("note: no judgments were found")
    named = source / found if found else "PATH"
    assert note.endswith(f"import again with --judgments {named}")
    assert following.startswith("next: rankgate init")
    assert "the grades that occur" not in done.output
    if found == "qrels.txt":
        shutil.rmtree(tmp_path / "data/collections/mine")
        again = rankgate(*given, "--judgments", source / found, study=tmp_path)
        assert "5 queries, 1 judgments, 2 runs" in again.output
        assert "no judgments were found" not in again.output
