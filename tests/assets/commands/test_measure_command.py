"""`rankgate measure`: trec_eval-like values without a study."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from assets.commands.measure_ import split_measures
from tests.assets.five_queries import GRADES, LISTS, Run, run_text


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A run and its qrels."""
    run, qrels = tmp_path / "lexical.run", tmp_path / "qrels.txt"
    run.write_text(run_text(LISTS["lexical"]))
    qrels.write_text("".join(f"{q} 0 {d} {grade}\n" for (q, d), grade in GRADES.items()))
    return run, qrels


def test_what_is_relevant_begins_at_grade_1(files: tuple[Path, Path], rankgate: Run) -> None:
    # As in `P(rel=0)` and `collection.rel`; ir_measures' own code would fail on 0.
    run, qrels = files
    done = rankgate("measure", run, "--judgments", qrels, "--measures", "Rprec", "--rel", "0")
    assert done.exit_code == 2
    assert "'--rel': 0 is not in the range x>=1" in done.output


def test_a_query_without_its_relevant_item_counts_zero(
    files: tuple[Path, Path], rankgate: Run
) -> None:
    run, qrels = files
    done = rankgate("measure", run, "--judgments", qrels, "--measures", "RR", "--per-query")
    assert done.exit_code == 0, done.output
    # q1: b second; q2: f second; q3: h absent; q4: a second; q5: d second
    assert done.stdout.splitlines() == [
        "recip_rank            \tq1\t0.5000",
        "recip_rank            \tq2\t0.5000",
        "recip_rank            \tq3\t0.0000",
        "recip_rank            \tq4\t0.5000",
        "recip_rank            \tq5\t0.5000",
        "runid                 \tall\tlexical.run",
        "num_q                 \tall\t5",
        "recip_rank            \tall\t0.4000",
    ]


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        ("nDCG@10,AP", ["nDCG@10", "AP"]),
        ("P(rel=2, judged_only=True)@5 RR", ["P(rel=2, judged_only=True)@5", "RR"]),
        (" , ", []),
    ],
)
def test_measures_are_parted_outside_parentheses(names: str, parts: list[str]) -> None:
    assert split_measures(names) == parts


def test_judgments_of_other_queries_are_refused_and_an_empty_run_counts_zero(
    files: tuple[Path, Path], rankgate: Run, tmp_path: Path
) -> None:
    run, qrels = files
    other, none, empty = tmp_path / "other.txt", tmp_path / "none.txt", tmp_path / "empty.run"
    other.write_text("z1 0 a 1\n")
    none.write_text("")
    empty.write_text("")
    strangers = rankgate("measure", run, "--judgments", other)
    assert strangers.exit_code == 1
    assert "none of its queries is judged" in strangers.stderr
    assert "no judgments" in rankgate("measure", run, "--judgments", none).stderr
    done = rankgate("measure", empty, "--judgments", qrels, "--measures", "RR")
    assert done.stdout == "empty.run\tRR\tall (5)\t0.0000\n"
    assert "5 of 5 judged queries without results, which count 0: q1, q2, q3" in done.stderr


def test_a_mean_is_over_judged_queries_whether_answered_or_not(
    rankgate: Run, tmp_path: Path
) -> None:
    run, qrels = tmp_path / "some.run", tmp_path / "qrels.txt"
    run.write_text("q1 Q0 a 1 1 t\nq2 Q0 x 1 2 t\nq2 Q0 b 2 1 t\nq9 Q0 a 1 1 t\n")
    qrels.write_text("q1 0 a 1\nq2 0 b 1\nq3 0 c 1\n")
    done = rankgate("measure", run, "--judgments", qrels, "--measures", "RR")
    assert done.stdout == "some.run\tRR\tall (3)\t0.5000\n"
    assert done.stderr.startswith(
        "some.run: 1 queries without judgments: q9\n"
        "some.run: 1 of 3 judged queries without results, which count 0: q3\n"
    )


def test_a_query_without_a_relevant_item_leaves_the_mean_and_its_count(
    rankgate: Run, tmp_path: Path
) -> None:
    run, qrels = tmp_path / "some.run", tmp_path / "qrels.txt"
    run.write_text("q1 Q0 a 1 2 t\nq1 Q0 b 2 1 t\nq2 Q0 c 1 1 t\n")
    qrels.write_text("q1 0 a 0\nq1 0 b 0\nq2 0 c 1\n")
    done = rankgate("measure", run, "--judgments", qrels, "--measures", "nDCG@10,R@10,RR")
    means = [line.split("\t")[2:] for line in done.stdout.splitlines()]
    assert means == [["all (1)", "1.0000"]] * 3


def test_a_document_twice_is_refused_or_its_best_place_kept(
    files: tuple[Path, Path], rankgate: Run, tmp_path: Path
) -> None:
    twice = tmp_path / "twice.run"
    twice.write_text("q1 Q0 b 1 3 t\nq1 Q0 a 2 2 t\nq1 Q0 b 3 1 t\n")
    told = rankgate("measure", twice, "--judgments", files[1])
    assert told.exit_code == 1
    assert "--duplicates keep_first" in told.stderr
    kept = rankgate(
        "measure", twice, "--judgments", files[1], "--measures", "RR", "--duplicates", "keep_first"
    )
    assert kept.stdout == "twice.run\tRR\tall (5)\t0.2000\n"


def test_ids_that_differ_by_normal_form_do_not_join_and_are_told(
    rankgate: Run, tmp_path: Path
) -> None:
    run, qrels = tmp_path / "a.run", tmp_path / "qrels.txt"
    run.write_text("q1 Q0 cafe\u0301-7 1 2 t\n", encoding="utf-8")
    qrels.write_text("q1 0 caf\u00e9-7 1\n", encoding="utf-8")
    done = rankgate("measure", run, "--judgments", qrels, "--measures", "R@10")
    assert done.stdout == "a.run\tR@10\tall (1)\t0.0000\n"
    said = (
        "a.run: 1 ids differ from another only by blanks or Unicode normal form, and do not join: "
    )
    assert said + r"'cafe\u0301-7' = 'caf\xe9-7'" in done.stderr


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("--measures", ""), "--measures: no measure"),
        (("--measures", "nDG@5"), "the nearest known is 'nDCG'"),
        (("--measures", "P@0"), "no usable cutoff"),
        (("--measures", f"nDCG@{10**20}"), "no usable cutoff"),
    ],
)
def test_unknown_measures_are_refused(
    change: tuple[str, str], said: str, files: tuple[Path, Path], rankgate: Run
) -> None:
    done = rankgate("measure", files[0], "--judgments", files[1], *change)
    assert done.exit_code == 1
    assert said in done.stderr


def test_a_file_that_is_not_there_is_named(files: tuple[Path, Path], rankgate: Run) -> None:
    done = rankgate("measure", "absent.run", "--judgments", files[1])
    assert done.exit_code == 1
    assert "absent.run" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_words_after_the_sixth_column_are_refused_or_ignored(
    files: tuple[Path, Path], rankgate: Run
) -> None:
    run, qrels = files
    run.write_text(run.read_text().replace("tag\n", "tag extra\n"))
    assert rankgate("measure", run, "--judgments", qrels).exit_code == 1
    read = rankgate("measure", run, "--judgments", qrels, "--trailing", "ignore")
    assert read.exit_code == 0, read.output


def test_nothing_given_is_a_usage_error(rankgate: Run) -> None:
    assert rankgate("measure").exit_code == 2


@pytest.mark.skipif(shutil.which("trec_eval") is None, reason="trec_eval is not installed")
def test_trec_eval_says_the_same(files: tuple[Path, Path], rankgate: Run) -> None:
    said = subprocess.run(
        ["trec_eval", "-m", "recip_rank", str(files[1]), str(files[0])],
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split()[-1] == "0.4000"
    shown = rankgate("measure", files[0], "--judgments", files[1], "--measures", "RR").output
    assert shown.split()[-1] == "0.4000"


def test_judgments_of_a_table_and_of_rank_eval_give_the_same_values(
    files: tuple[Path, Path], rankgate: Run, tmp_path: Path
) -> None:
    run, qrels = files
    table, requests = tmp_path / "judged.csv", tmp_path / "ratings.json"
    table.write_text(
        "query,doc,level\n" + "".join(f"{q},{d},{g}\n" for (q, d), g in GRADES.items())
    )
    rated = {query: [] for query, _ in GRADES}
    for (query, doc), grade in GRADES.items():
        rated[query].append({"_index": "i", "_id": doc, "rating": grade})
    requests.write_text(
        json.dumps({"requests": [{"id": query, "ratings": each} for query, each in rated.items()]})
    )
    said = rankgate("measure", run, "--judgments", qrels).output
    columns = ("--columns", "grade=level")
    assert rankgate("measure", run, "--judgments", table, *columns).output == said
    assert rankgate("measure", run, "--judgments", requests).output == said


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--columns", "grades=x"), "not ROLE=NAME"),
        (("--columns", "grade"), "not ROLE=NAME"),
        (("--columns", "query=a", "--columns", "query=b"), "given twice"),
        (("--grade", "good"), "not LABEL=GRADE"),
        (("--grade", "good=best"), "not LABEL=GRADE"),
        (("--grade", "good=1"), "are for tables"),
        (("--sheet", "one"), "are for tables"),
    ],
)
def test_options_of_tables_that_cannot_be(
    options: tuple[str, ...], said: str, files: tuple[Path, Path], rankgate: Run
) -> None:
    done = rankgate("measure", files[0], "--judgments", files[1], *options)
    assert done.exit_code == 1
    assert said in done.stderr


def test_order_gain_threshold_and_states_are_said_beside_the_table(
    rankgate: Run, tmp_path: Path
) -> None:
    run, qrels = tmp_path / "a.run", tmp_path / "qrels.txt"
    run.write_text("q1 Q0 d1 1 2.0 t\n")
    qrels.write_text("q1 0 d1 1\nq2 0 d2 0\n")
    done = rankgate("measure", run, "--judgments", qrels, "--measures", "nDCG@5")
    assert done.stdout == "a.run\tnDCG@5\tall (1)\t1.0000\n"
    assert "order by score, ties by id descending; gain max(grade, 0)" in done.stderr
    assert "1 of 2 judged queries in the means, left out 1 with nothing relevant" in done.stderr


def test_judgments_that_name_queries_by_their_text_are_read_with_the_queries(
    rankgate: Run, tmp_path: Path
) -> None:
    run, table, topics = (tmp_path / name for name in ("a.run", "judged.csv", "queries.tsv"))
    run.write_text("q1 Q0 d1 1 2.0 t\nq2 Q0 d9 1 2.0 t\n")
    table.write_text("query,doc,grade\nstuck  valve,d1,1\ngear oil,d2,1\n")
    topics.write_text("q1\tstuck valve\nq2\tgear oil\n")
    given = ("measure", run, "--judgments", table, "--measures", "RR")
    refused = rankgate(*given)
    assert refused.exit_code == 1
    assert "give the file that holds their texts with --queries" in refused.stderr
    done = rankgate(*given, "--queries", topics)
    assert done.stdout == "a.run\tRR\tall (2)\t0.5000\n"
    assert rankgate(*given, "--queries", tmp_path / "none.tsv").exit_code == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("judged.csv", "qid,doc_id,grade\nq1,d1,good\nq1,d1,good\nq1,d2,0\n"),
        ("qrels.txt", "q1 0 d1 2\nq1 0 d1 2\nq1 0 d2 0\n"),
        ("judged.jsonl", '{"query_id": "q1", "evidence_id": "d1", "grade": 2}\n' * 2),
    ],
)
def test_repeated_judgments_and_mappings_that_match_nothing_are_told(
    rankgate: Run, tmp_path: Path, name: str, text: str
) -> None:
    run, judged = tmp_path / "a.run", tmp_path / name
    run.write_text("q1 Q0 d1 1 2.0 t\n")
    judged.write_text(text)
    table = name == "judged.csv"
    mapped = ("--grade", "good=2", "--grade", "Awful=0") if table else ()
    done = rankgate("measure", run, "--judgments", judged, "--measures", "RR", *mapped)
    assert done.stdout == "a.run\tRR\tall (1)\t1.0000\n"
    said = done.stderr.splitlines()
    assert said[0] == f"{name}: left behind: 1 repeated judgments"
    told = "judged.csv: note: nothing in judged.csv is Awful=0 of --grade"
    assert (told in said) == table


def test_two_assessors_who_agree_repeat_nothing(rankgate: Run, tmp_path: Path) -> None:
    run, judged = tmp_path / "a.run", tmp_path / "judged.jsonl"
    run.write_text("q1 Q0 d1 1 2.0 t\n")
    line = '{"query_id": "q1", "evidence_id": "d1", "grade": 2, "assessor": "%s"}\n'
    judged.write_text(line % "ann" + line % "bob")
    done = rankgate("measure", run, "--judgments", judged, "--measures", "RR")
    assert done.exit_code == 0, done.output
    assert "repeated" not in done.stderr
