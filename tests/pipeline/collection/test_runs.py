"""Recorded runs: read as they are, ranked in one place, refused with line numbers."""

import gzip
import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.collection import RecordedRun, order_run, read_run
from pipeline.errors import CollectionError, ContractError, MissingError, ParameterError
from pipeline.tables import RECORDED_QUERIES, RECORDED_RUN

TREC_COVID = {
    "BM25R2": 30000,
    "CSIROmedNIR": 30000,
    "RUIR-doc2vec": 29979,
    "T5R3": 12506,
    "UP-cqqrnd1": 27274,
    "UP-rrf5rnd1": 26118,
    "UP-sdqrnd1": 28035,
    "sab20.1.meta.docs": 30000,
    "smith.bm25": 30000,
}


def file(tmp_path: Path, text: str | bytes, name: str = "system.run") -> Path:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def ranked(path: Path, **options: str) -> list[tuple[str, int, str]]:
    return read_run(path, **options).select("query_id", "rank", "doc_id").rows()


def test_ranks_come_from_scores_where_the_rank_column_is_constant(tmp_path: Path) -> None:
    # Neither the lines nor the ids stand in the order of the scores.
    path = file(tmp_path, "q1 Q0 d2 0 1.0 t\nq1 Q0 d3 0 9.5 t\nq1 Q0 d1 0 7.0 t\n")
    assert ranked(path) == [("q1", 1, "d3"), ("q1", 2, "d1"), ("q1", 3, "d2")]


def test_ties_go_by_id_descending_as_in_trec_eval(tmp_path: Path) -> None:
    path = file(tmp_path, "q Q0 m1 1 7.0 t\nq Q0 m2 2 7.0 t\n")
    assert ranked(path) == [("q", 1, "m2"), ("q", 2, "m1")]


def test_scores_keep_double_precision_and_make_no_false_ties(tmp_path: Path) -> None:
    path = file(tmp_path, "q Q0 aa 1 0.50000000002 t\nq Q0 zz 2 0.50000000001 t\n")
    assert ranked(path) == [("q", 1, "aa"), ("q", 2, "zz")]


def test_zero_and_negative_scores_are_results_like_any_other(tmp_path: Path) -> None:
    path = file(tmp_path, "q Q0 d1 1 -3.4 t\nq Q0 d0 2 -1.2 t\nq Q0 d2 3 0 t\n")
    assert [row[2] for row in ranked(path)] == ["d2", "d0", "d1"]


def test_ids_hold_commas_colons_hashes_and_letters_of_any_script(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        "q88 Q0 Pump_report,_1979 1 17.5 t\nq88 Q0 urn:doc:é:7 2 16.0 t\nq88 Q0 book#12 3 1 t\n",
    )
    assert [row[2] for row in ranked(path)] == ["Pump_report,_1979", "urn:doc:é:7", "book#12"]


def test_numeric_looking_ids_stay_texts_with_their_zeros(tmp_path: Path) -> None:
    path = file(tmp_path, "007 Q0 0012 1 2 t\n7 Q0 12 1 1 t\n")
    assert ranked(path) == [("007", 1, "0012"), ("7", 1, "12")]


def test_only_ascii_blanks_part_fields(tmp_path: Path) -> None:
    path = file(tmp_path, "q1\tQ0  a\u00a0b\u2028c 1 2.0 t\r\n")
    assert ranked(path) == [("q1", 1, "a\u00a0b\u2028c")]


def test_a_line_that_begins_with_a_hash_is_a_comment(tmp_path: Path) -> None:
    assert ranked(file(tmp_path, "# made by hand\nq Q0 a 1 1 t\n")) == [("q", 1, "a")]


def test_short_long_and_comma_lines_are_all_named(tmp_path: Path) -> None:
    text = "q1 Q0 d1 1 2.0 t\nq1 Q0 d2 2\nq1 Q0 d 3 3 1.0 t\nq1 Q0 d4 4 1,5 t\n"
    path = file(tmp_path, text)
    with pytest.raises(CollectionError) as refused:
        read_run(path)
    assert len(refused.value.problems) == 3
    for line in (2, 3, 4):
        assert f"{path}:{line}:" in str(refused.value)
    assert "1,5" in str(refused.value)


@pytest.mark.parametrize("score", ["nan", "NaN", "inf", "-Infinity", "1_0", "١", ""])
def test_scores_that_are_no_finite_numbers_are_refused(tmp_path: Path, score: str) -> None:
    with pytest.raises(CollectionError, match=r":1:.*score|:1:.*columns"):
        read_run(file(tmp_path, f"q1 Q0 d1 1 {score} t\n"))


def test_one_score_that_is_missing_or_no_number_is_never_the_best(tmp_path: Path) -> None:
    # Sorted with the others, null and NaN would come first.
    def listed(*scores: str) -> Path:
        items = (f'{{"doc_id": "d{i}", "score": {score}}}' for i, score in enumerate(scores))
        text = f'{{"query_id": "q7", "results": [{", ".join(items)}]}}\n'
        return file(tmp_path, text, "s.jsonl")

    with pytest.raises(ContractError, match="without a score; found query q7 document d2"):
        read_run(listed("0.4", "0.9", "null"))
    with pytest.raises(CollectionError, match=":1: not JSON; found NaN"):
        read_run(listed("0.4", "NaN", "0.9"))
    assert [row[2] for row in ranked(listed("0.4", "0.9"))] == ["d1", "d0"]


@pytest.mark.parametrize("rank", ["first", "1.0", "1_0", str(2**64)])
def test_ranks_that_are_no_whole_numbers_are_refused(tmp_path: Path, rank: str) -> None:
    with pytest.raises(CollectionError, match=":1: the rank"):
        read_run(file(tmp_path, f"q1 Q0 d1 {rank} 1 t\n"))


def test_a_document_twice_in_a_list_is_refused_naming_both(tmp_path: Path) -> None:
    path = file(tmp_path, "q1 Q0 a 1 3.0 t\nq1 Q0 a 2 2.0 t\nq1 Q0 b 3 1.0 t\n")
    with pytest.raises(ContractError, match=r"system\.run.*query q1 document a .*\[1, 2\]"):
        read_run(path)
    assert ranked(path, duplicates="keep_first") == [("q1", 1, "a"), ("q1", 2, "b")]


def test_order_rank_is_refused_where_ranks_repeat(tmp_path: Path) -> None:
    path = file(tmp_path, "q1 Q0 a 1 3 t\nq1 Q0 b 1 2 t\n")
    with pytest.raises(ContractError, match=r"rank column repeats.*query q1 rank 1"):
        read_run(path, order="rank")


def test_the_three_orders(tmp_path: Path) -> None:
    path = file(tmp_path, "q Q0 a 3 2 t\nq Q0 b 0 1 t\nq Q0 c 1 3 t\n")
    assert [r[2] for r in ranked(path)] == ["c", "a", "b"]
    assert [r[2] for r in ranked(path, order="rank")] == ["b", "c", "a"]
    assert [r[2] for r in ranked(path, order="file")] == ["a", "b", "c"]


def test_a_distance_ranks_the_smallest_first_and_is_negated(tmp_path: Path) -> None:
    path = file(tmp_path, "q Q0 q 1 0.9 t\nq Q0 p 2 0.2 t\nq Q0 r 3 1.4 t\n")
    run = read_run(path, higher_is_better=False)
    assert run.select("doc_id", "score").rows() == [("p", -0.2), ("q", -0.9), ("r", -1.4)]


@pytest.mark.parametrize("option", [{"order": "best"}, {"duplicates": "sum"}, {"trailing": "some"}])
def test_unknown_options_are_refused(tmp_path: Path, option: dict[str, str]) -> None:
    with pytest.raises(ParameterError, match="no such"):
        read_run(file(tmp_path, "q Q0 a 1 1 t\n"), **option)


def test_an_empty_run_is_no_error(tmp_path: Path) -> None:
    assert read_run(file(tmp_path, "")).height == 0


def test_a_gzipped_run_reads_like_a_plain_one(tmp_path: Path) -> None:
    text = b"q Q0 a 1 1 t\n"
    assert ranked(file(tmp_path, gzip.compress(text), "s.run.gz")) == [("q", 1, "a")]


def test_a_broken_gzip_file_is_named(tmp_path: Path) -> None:
    broken = gzip.compress(b"q Q0 a 1 1 t\n" * 1000)[:-10]
    with pytest.raises(ValueError, match="compressed file is broken"):
        read_run(file(tmp_path, broken, "s.run.gz"))


def test_bytes_that_are_not_utf8_are_named_with_their_line(tmp_path: Path) -> None:
    with pytest.raises(CollectionError, match=":2: not UTF-8"):
        read_run(file(tmp_path, b"q Q0 a 1 2 t\nq Q0 caf\xe9 2 1 t\n"))


def test_a_byte_order_mark_is_no_part_of_the_first_id(tmp_path: Path) -> None:
    assert ranked(file(tmp_path, b"\xef\xbb\xbfq Q0 a 1 1 t\n")) == [("q", 1, "a")]


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match=r"absent\.run"):
        read_run(tmp_path / "absent.run")


def test_json_lines_carry_lists_with_and_without_scores(tmp_path: Path) -> None:
    lines = [
        {"query_id": "q1", "results": [{"doc_id": "a", "score": 1}, {"doc_id": "b", "score": 2}]},
        {"query_id": "q2", "results": []},
    ]
    path = file(tmp_path, "".join(json.dumps(line) + "\n" for line in lines), "s.jsonl")
    assert ranked(path) == [("q1", 1, "b"), ("q1", 2, "a")]
    plain = file(tmp_path, '{"query_id": "q", "results": [{"doc_id": "a"}]}\n', "p.jsonl")
    assert ranked(plain, order="file") == [("q", 1, "a")]
    with pytest.raises(ContractError, match="without a score"):
        read_run(plain)


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ('{"query_id": "q", "results": [{"doc_id": "a", "score": NaN}]}', "NaN is not JSON"),
        ('{"query_id": "q", "results": [{"doc_id": "a", "score": 1e999}]}', "finite number"),
        ('{"query_id": "q", "results": [{"doc_id": null}]}', "'doc_id' is missing"),
        ('{"query_id": 7, "results": []}', "ids are texts"),
        ('{"query_id": "q"}', "results and channels"),
        ('{"query_id": "q", "results": {}}', "a list of"),
        ('{"query_id": "q", "results": [], "status": "late"}', "timeout"),
        ('{"query_id": "q", "query_id": "r", "results": []}', "stands twice"),
        ('["q"]', "not a JSON object"),
    ],
)
def test_bad_json_lines_are_named_with_their_line(tmp_path: Path, line: str, word: str) -> None:
    path = file(tmp_path, '{"query_id": "ok", "results": []}\n' + line + "\n", "s.jsonl")
    with pytest.raises(CollectionError, match=word) as refused:
        read_run(path)
    assert f"{path}:2" in str(refused.value)


@pytest.mark.parametrize("name", TREC_COVID)
def test_trec_covid_runs_read_as_they_are(collections: Path, name: str) -> None:
    run = read_run(collections / f"trec-covid-r1-runs/runs/{name}.run.gz")
    assert run.height == TREC_COVID[name]
    assert run["query_id"].n_unique() == 30


def test_words_after_the_sixth_column_are_refused_unless_ignored(collections: Path) -> None:
    path = collections / "trec_eval-tests/runs/results.trunc.run"
    with pytest.raises(CollectionError, match=r"wrong number of columns; found 9.*--trailing"):
        read_run(path)
    assert read_run(path, trailing="ignore").height == 584


@pytest.mark.parametrize("name", ["results.test", "results-302.test"])
def test_trec_evals_own_runs_read_as_they_are(collections: Path, name: str) -> None:
    run = read_run(collections / f"trec_eval-tests/runs/{name}.run")
    falling = run.select(pl.col("score").diff().over("query_id").fill_null(0).le(0).all()).item()
    assert falling


LISTS = st.lists(
    st.tuples(
        st.sampled_from(["q1", "q2"]),
        st.sampled_from(["a", "b", "é", "𐀀", "10", "9"]),
        st.sampled_from([-1.0, 0.0, 0.5, 0.5 + 1e-12, 2.0]),
    ),
    unique_by=lambda row: row[:2],
)


@given(LISTS, st.randoms(use_true_random=False))
def test_order_by_score_does_not_depend_on_the_order_of_rows(rows: list, random) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert order_run(recorded(rows)).equals(order_run(recorded(shuffled)))


@given(LISTS)
def test_ranks_are_whole_and_without_gaps(rows: list) -> None:
    run = order_run(recorded(rows))
    for (_,), part in run.group_by("query_id"):
        assert sorted(part["rank"]) == list(range(1, part.height + 1))


def recorded(rows: list[tuple[str, str, float]]) -> RecordedRun:
    results = pl.DataFrame(
        [(query, i, None, document, score) for i, (query, document, score) in enumerate(rows, 1)],
        schema=dict(RECORDED_RUN.columns),
        orient="row",
    )
    return RecordedRun(results, RECORDED_QUERIES.empty())
