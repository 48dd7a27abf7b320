"""Labels in grade cells: what is not mapped is told all at once, with the mappings that miss."""

from pathlib import Path

import pytest

from pipeline.collection.labels import LETTERS, SHOWN, Labels
from pipeline.collection.problems import Problems
from pipeline.errors import CollectionError

FILE = Path("judged.csv")


def told(labels: Labels) -> str:
    problems = Problems(FILE)
    labels.tell(FILE, problems)
    with pytest.raises(CollectionError) as refused:
        problems.raise_if_any()
    assert len(problems) == 1
    return str(refused.value)


def test_every_label_that_is_not_mapped_is_told_with_its_count_and_first_line() -> None:
    labels = Labels({"Good": 2, "bad": 0})
    cells = ["good", "bad", "fair", "good", "1"]
    opinions = [labels.opinion(line, "verdict", cell) for line, cell in enumerate(cells, start=2)]
    assert opinions == [None, 0, None, None, 1]
    said = told(labels)
    assert "judged.csv:2: no grade in column 'verdict'" in said
    assert "found good (2 times), fair (1 times)" in said
    assert "nothing in the file is Good=2." in said
    assert "--grade LABEL=GRADE for each label, spelt as in the file" in said


def test_where_every_cell_has_a_grade_a_mapping_may_be_idle() -> None:
    labels, problems = Labels({"unsure": "unknown"}), Problems(FILE)
    assert labels.opinion(2, "grade", "2,0") == 2
    labels.tell(FILE, problems)
    assert len(problems) == 0
    assert labels.notes(FILE) == ["nothing in judged.csv is unsure=unknown of --grade"]


def test_there_is_no_note_where_every_mapping_matches_or_a_problem_tells() -> None:
    used, lacking = Labels({"good": 2}), Labels({"Good": 2})
    for labels in (used, lacking):
        labels.opinion(2, "grade", "good")
        assert labels.notes(FILE) == []


def test_a_column_of_something_else_is_cut() -> None:
    labels = Labels({})
    for line in range(SHOWN + 5):
        labels.opinion(line, "note", f"{line:02} {'x' * 100}")
    said = told(labels)
    assert "and 5 more" in said
    assert "x" * LETTERS not in said
