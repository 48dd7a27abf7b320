"""Queries in other people's forms."""

from pathlib import Path

import pytest

from pipeline.collection.problems import Problems
from pipeline.collection.topics import read_any_queries
from pipeline.errors import CollectionError


def read(tmp_path: Path, text: str, name: str) -> list[tuple[str, str]]:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8", newline="")
    problems = Problems(path)
    rows = read_any_queries(path, problems)
    problems.raise_if_any()
    return [(row["query_id"], row["text"]) for row in rows.kept.values()]


def test_quotation_marks_in_a_table_quote_nothing(tmp_path: Path) -> None:
    text = 'q1\those is 5\' 9" long\nq2\t"quoted start\nq3\tplain\nq4\tend" here\n'
    assert read(tmp_path, text, "topics.tsv") == [
        ("q1", "hose is 5' 9\" long"),
        ("q2", '"quoted start'),
        ("q3", "plain"),
        ("q4", 'end" here'),
    ]


def test_ids_of_a_table_are_labels_whatever_they_look_like(tmp_path: Path) -> None:
    text = "-31\tpump noise\n12\tpump smell\nq7\tpump leak\n"
    assert sorted(dict(read(tmp_path, text, "topics.tsv"))) == ["-31", "12", "q7"]


def test_a_table_with_a_third_field_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match=":2: not a query; found 3 fields"):
        read(tmp_path, "q1\tone\nq2\ttwo\tmore\n", "topics.tsv")


def test_the_dialects_of_trec_topics(tmp_path: Path) -> None:
    text = """<top><num> Number: 0301
<title> stuck valve
<desc> Description:
What makes a valve stick?
</top>
<topic number="12a">Text directly here</topic>
<topic><number>55</number><query>gear oil &amp; grade</query></topic>
<topic number="56"><query>a</query><question>What is a?</question></topic>
"""
    assert read(tmp_path, text, "topics.txt") == [
        ("0301", "stuck valve"),
        ("12a", "Text directly here"),
        ("55", "gear oil & grade"),
        ("56", "a"),
    ]


def test_closed_tags_labels_and_topics_that_are_called_query(tmp_path: Path) -> None:
    ad_hoc = """<top>
<head> Tipster Topic Description
<num> Number:  051
<dom> Domain:  International Economics
<title> Topic:  Airbus
   Subsidies
<desc> Description: ...
</top>

<top>
<num> Number: MB111 </num>
<query> water shortages </query>
<querytime> Fri Mar 29 18:56:02 +0000 2013 </querytime>
</top>
"""
    assert read(tmp_path, ad_hoc, "a.txt") == [
        ("051", "Airbus Subsidies"),
        ("MB111", "water shortages"),
    ]
    ntcir = "<queries>\n<query>\n<qid>0001</qid>\n<content>a halloween</content></query></queries>"
    assert read(tmp_path, ntcir, "n.xml") == [("0001", "a halloween")]
    covid = "<?xml version='1.0'?>\n<topics task='COVIDSearch'>\n<topic number='1'><query>origin"
    assert read(tmp_path, covid + "</query></topic></topics>", "c.xml") == [("1", "origin")]


def test_numbers_and_texts_parted_by_a_colon(tmp_path: Path) -> None:
    text = "1:obama family tree\n02:time: 10:30\n"
    assert read(tmp_path, text, "web.txt") == [("1", "obama family tree"), ("02", "time: 10:30")]


def test_only_whole_entities_are_characters(tmp_path: Path) -> None:
    text = "<top><num>1<title>R&D &lt;b&gt; &copying AT&amp;amp;T</top>"
    assert read(tmp_path, text, "e.txt") == [("1", "R&D <b> &copying AT&amp;T")]


def test_a_torn_topic_is_told_with_its_line(tmp_path: Path) -> None:
    text = "<top><num>1<title>one</top>\n\n<top><num>2<title>two\n<top><num>3<title>three</top>\n"
    with pytest.raises(CollectionError, match=r"torn\.txt:4: not a dialect"):
        read(tmp_path, text, "torn.txt")


@pytest.mark.parametrize("piece", ["<top", "<top>", "<top><num", "</top>", "<top><num>1<title>"])
def test_a_long_broken_file_is_refused_in_one_pass(tmp_path: Path, piece: str) -> None:
    # With a pattern that looks again from every place this takes hours.
    with pytest.raises(CollectionError, match="not a dialect"):
        read(tmp_path, "<x>" + piece * 100_000, "long.txt")


@pytest.mark.parametrize(
    "text",
    [
        "<queries><q id='1'>text</q></queries>\n",
        "<top><num> 1 <title> one </top>\n<top><num> 2 <title> two\n",
        "<top><num> 1 <desc> no title </top>\n",
    ],
)
def test_an_unknown_dialect_is_an_error_and_not_zero_topics(tmp_path: Path, text: str) -> None:
    with pytest.raises(CollectionError, match=r"dialect|without number or title"):
        read(tmp_path, text, "topics.txt")


def test_the_same_topic_with_another_text_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match="the same query_id"):
        read(tmp_path, "q1\tone\nq1\ttwo\n", "topics.tsv")


def test_no_topics_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match="no queries"):
        read(tmp_path, "\n", "topics.tsv")


def test_beir_and_native_lines_are_told_apart(tmp_path: Path) -> None:
    assert read(tmp_path, '{"_id": "1", "text": "a"}\n', "b.jsonl") == [("1", "a")]
    assert read(tmp_path, '{"query_id": "1", "query": "a"}\n', "n.jsonl") == [("1", "a")]


def test_blank_lines_before_the_names_of_columns_make_them_no_query(tmp_path: Path) -> None:
    text = "\n\r\nquery_id\ttext\nq7\tpump leak\n"
    assert read(tmp_path, text, "topics.tsv") == [("q7", "pump leak")]
