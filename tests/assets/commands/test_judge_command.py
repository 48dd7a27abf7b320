"""`rankgate judge`: worksheets out, judgments in, never over what is there."""

import csv
import io
import json
import shutil
from pathlib import Path

import polars as pl
import pytest

from pipeline.storage import write_table
from pipeline.tables import CRITICAL
from tests.assets.five_queries import Run, change_params, read_lines

ROUND = Path("data/collections/five/judgments/second.jsonl")


def sheet(study: Path, assessor: str = "ann") -> Path:
    """Where an assessor's worksheet lies."""
    return study / "data" / "worksheets" / f"{assessor}.csv"


def answers(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV worksheet."""
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"))))


def fill(path: Path, grade: str) -> None:
    """Answers every row of a CSV worksheet with the same grade."""
    rows = [row | {"grade": grade} for row in answers(path)]
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, rows[0])
        table.writeheader()
        table.writerows(rows)


def test_a_worksheet_asks_for_the_unjudged_pairs_of_the_pool_alone(
    rankgate: Run, study: Path
) -> None:
    done = rankgate("judge", "export", "--assessor", "ann", study=study)
    assert done.exit_code == 0, done.output
    asked = {(row["query_id"], row["evidence_id"]) for row in answers(sheet(study))}
    assert asked == {("q3", "g"), ("q4", "c"), ("q5", "h")}
    assert "3 pairs to judge, grades 0 to 3" in done.output


def test_nothing_in_the_worksheet_tells_a_branch_a_rank_or_a_score(
    rankgate: Run, study: Path
) -> None:
    rankgate("judge", "export", "--assessor", "ann", "--format", "jsonl", study=study)
    row = read_lines(sheet(study).with_suffix(".jsonl"))[0]
    assert set(row) == {
        "query_id",
        "query",
        "evidence_id",
        "title",
        "text",
        "grade",
        "status",
        "note",
    }


def test_there_and_back(rankgate: Run, study: Path) -> None:
    rankgate("judge", "export", "--assessor", "ann", study=study)
    fill(sheet(study), "1")
    done = rankgate("judge", "import", sheet(study), "--round", "second", study=study)
    assert done.exit_code == 0, done.output
    assert "3 new, 3 graded" in done.output
    lines = read_lines(study / ROUND)
    assert {(line["query_id"], line["evidence_id"], line["grade"]) for line in lines} == {
        ("q3", "g", 1),
        ("q4", "c", 1),
        ("q5", "h", 1),
    }
    assert {line["assessor"] for line in lines} == {"ann"}


def test_the_first_judgments_of_all_make_their_folder(rankgate: Run, study: Path) -> None:
    rankgate("judge", "export", "--assessor", "ann", study=study)
    fill(sheet(study), "1")
    shutil.rmtree((study / ROUND).parent)
    done = rankgate("judge", "import", sheet(study), "--round", "second", study=study)
    assert done.exit_code == 0, done.output
    assert len(read_lines(study / ROUND)) == 3


def test_the_same_answers_again_are_nothing_new(rankgate: Run, study: Path) -> None:
    rankgate("judge", "export", "--assessor", "ann", study=study)
    fill(sheet(study), "1")
    rankgate("judge", "import", sheet(study), "--round", "second", study=study)
    before = (study / ROUND).read_bytes()
    again = rankgate("judge", "import", sheet(study), "--round", "second", study=study)
    assert again.exit_code == 1
    assert "nothing new in the worksheet; found 0 blank and 3 repeated rows" in again.stderr
    assert (study / ROUND).read_bytes() == before


def make_critical(study: Path, *pairs: tuple[str, str, str]) -> None:
    """A list of these: side, query, evidence."""
    rows = [
        {
            "split": side,
            "place": place,
            "query_id": query,
            "evidence_id": evidence,
            "grade": 3,
            "low": 0.1,
            "turns": "pass",
        }
        for place, (side, query, evidence) in enumerate(pairs, start=1)
    ]
    frame = CRITICAL.check(pl.DataFrame(rows, schema=dict(CRITICAL.columns)))
    write_table(study / "data" / "evaluation" / "critical.parquet", frame, CRITICAL)


def test_the_critical_pairs_alone_are_asked_about_as_blindly(rankgate: Run, study: Path) -> None:
    # The study is sealed, so its answer is about dev; (q2, h) lies beyond the pool.
    make_critical(study, ("dev", "q3", "g"), ("dev", "q2", "h"), ("test", "q4", "c"))
    done = rankgate("judge", "export", "--critical", "--assessor", "ann", study=study)
    assert done.exit_code == 0, done.output
    rows = answers(sheet(study))
    assert {(row["query_id"], row["evidence_id"]) for row in rows} == {("q3", "g"), ("q2", "h")}
    assert {row["grade"] for row in rows} == {""}
    fill(sheet(study), "0")
    done = rankgate("judge", "import", sheet(study), "--round", "second", study=study)
    assert done.exit_code == 0, done.output
    assert "2 new, 2 graded" in done.output


def test_without_a_critical_pair_the_whole_pool_is_named(rankgate: Run, study: Path) -> None:
    make_critical(study)
    done = rankgate("judge", "export", "--critical", "--assessor", "ann", study=study)
    assert done.exit_code == 1
    assert "no pair is critical" in done.stderr
    assert "rankgate judge export --assessor NAME" in done.stderr


def test_critical_and_second_opinions_are_two_questions(rankgate: Run, study: Path) -> None:
    done = rankgate("judge", "export", "--critical", "--second", "--assessor", "ann", study=study)
    assert done.exit_code == 2


def test_another_assessor_is_appended_to_the_same_round(rankgate: Run, study: Path) -> None:
    for assessor, grade in (("ann", "1"), ("bob", "0")):
        rankgate("judge", "export", "--assessor", assessor, study=study)
        fill(sheet(study, assessor), grade)
        rankgate("judge", "import", sheet(study, assessor), "--round", "second", study=study)
    assert [line["assessor"] for line in read_lines(study / ROUND)] == ["ann"] * 3 + ["bob"] * 3


def test_one_bad_answer_and_none_is_taken(rankgate: Run, study: Path) -> None:
    rankgate("judge", "export", "--assessor", "ann", study=study)
    fill(sheet(study), "9")
    done = rankgate("judge", "import", sheet(study), "--round", "second", study=study)
    assert done.exit_code == 1
    assert "not a grade of the scale; found 9" in done.stderr
    assert not (study / ROUND).exists()


def test_a_status_in_the_column_of_grades_is_sent_to_its_own(rankgate: Run, study: Path) -> None:
    rankgate("judge", "export", "--assessor", "ann", study=study)
    fill(sheet(study), "Unknown")
    done = rankgate("judge", "import", sheet(study), "--round", "second", study=study)
    assert "found Unknown; expected a whole number 0 to 3; a status has its own column" in (
        done.stderr
    )


def test_a_worksheet_with_answers_is_not_written_over(rankgate: Run, study: Path) -> None:
    rankgate("judge", "export", "--assessor", "ann", study=study)
    assert rankgate("judge", "export", "--assessor", "ann", study=study).exit_code == 0
    fill(sheet(study), "1")
    refused = rankgate("judge", "export", "--assessor", "ann", study=study)
    assert refused.exit_code == 1
    assert "the worksheet holds answers; found 3 answered rows" in refused.stderr
    assert {row["grade"] for row in answers(sheet(study))} == {"1"}
    forced = rankgate("judge", "export", "--assessor", "ann", "--force", study=study)
    assert forced.exit_code == 0
    assert {row["grade"] for row in answers(sheet(study))} == {""}


def test_a_second_opinion_asks_for_judged_pairs_too(rankgate: Run, study: Path) -> None:
    rankgate("judge", "export", "--assessor", "bob", "--second", study=study)
    assert ("q1", "b") in {
        (row["query_id"], row["evidence_id"]) for row in answers(sheet(study, "bob"))
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("export", "--assessor", "../ann"), "not an assessor's name"),
        (("import", "SHEET", "--round", "../first"), "not a round's name"),
        (("import", "absent.csv", "--round", "second"), "the worksheet is not there"),
        (("import", "sheet.xlsx", "--round", "second"), "no such worksheet format"),
    ],
)
def test_names_that_cannot_be_are_refused(
    words: tuple[str, ...], said: str, rankgate: Run, study: Path
) -> None:
    given = [str(sheet(study)) if word == "SHEET" else word for word in words]
    rankgate("judge", "export", "--assessor", "ann", study=study)
    done = rankgate("judge", *given, study=study)
    assert done.exit_code == 1
    assert said in done.stderr


def test_a_map_that_would_change_new_grades_refuses_them(rankgate: Run, study: Path) -> None:
    rankgate("judge", "export", "--assessor", "ann", study=study)
    fill(sheet(study), "1")
    change_params(study, collection={"grades": {1: 3, 4: 3}})
    done = rankgate("judge", "import", sheet(study), "--round", "second", study=study)
    assert done.exit_code == 1
    assert "collection.grades" in done.stderr
    assert "found 1: 3" in done.stderr


def test_a_compressed_round_is_not_shadowed_by_a_second_file(rankgate: Run, study: Path) -> None:
    rankgate("judge", "export", "--assessor", "ann", study=study)
    fill(sheet(study), "1")
    (study / ROUND).with_name("second.jsonl.gz").write_bytes(b"")
    done = rankgate("judge", "import", sheet(study), "--round", "second", study=study)
    assert done.exit_code == 1
    assert "the round is compressed" in done.stderr


def test_status_counts_pairs_by_side_and_the_answers_in_worksheets(
    rankgate: Run, study: Path
) -> None:
    rankgate("judge", "export", "--assessor", "ann", study=study)
    shown = rankgate("judge", "status", study=study).output.splitlines()
    assert shown[0].split() == [
        "split",
        "queries",
        "pairs",
        "judged",
        "unknown",
        "abstained",
        "unjudged",
    ]
    assert shown[1].split()[0] == "dev"
    assert shown[1].split()[-1] == "1"
    assert shown[2].split()[-1] == "2"
    assert shown[3].endswith("0 of 3 answered")


def test_before_the_first_run_there_is_nothing_to_judge(rankgate: Run, founded: Path) -> None:
    done = rankgate("judge", "export", "--assessor", "ann", study=founded)
    assert done.exit_code == 1
    assert "Next: dvc repro" in done.stderr


def test_a_note_comes_back_with_its_grade(rankgate: Run, study: Path) -> None:
    rankgate("judge", "export", "--assessor", "ann", "--format", "jsonl", study=study)
    path = sheet(study).with_suffix(".jsonl")
    rows = read_lines(path)
    rows[0] |= {"status": "unknown", "note": "needs a mechanic"}
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    rankgate("judge", "import", path, "--round", "second", study=study)
    (line,) = read_lines(study / ROUND)
    assert (line["status"], line["note"]) == ("unknown", "needs a mechanic")
    assert "grade" not in line


def test_judgments_go_out_as_qrels(rankgate: Run, finished: Path, tmp_path: Path) -> None:
    output = tmp_path / "qrels.txt"
    done = rankgate("judge", "qrels", "-o", output, study=finished)
    assert done.output == f"{output}: 9 pairs\n"
    assert output.read_text().splitlines()[:2] == ["q1 0 a 0", "q1 0 b 3"]
    rankgate("judge", "qrels", "--side", "test", "-o", output, study=finished)
    assert output.read_text() == "q4 0 a 2\nq4 0 e 0\nq5 0 d 1\n"
