"""From files to values: small runs and judgments, read as they are and measured."""

import math
from pathlib import Path

import pytest

from pipeline.collection import read_qrels, read_run
from pipeline.measures import per_query

LOG3 = math.log2(3)


def measured(
    tmp_path: Path, run: str, qrels: str, *measures: str, duplicates: str = "reject"
) -> list[float]:
    """The values of one query, in the order of the measures."""
    (tmp_path / "s.run").write_text(run, encoding="utf-8")
    (tmp_path / "qrels.txt").write_text(qrels, encoding="utf-8")
    lists = read_run(tmp_path / "s.run", duplicates=duplicates)
    values = per_query(lists, read_qrels(tmp_path / "qrels.txt"), measures)
    found = dict(values.select("measure", "value").iter_rows())
    return [found[name] for name in measures]


def test_an_id_with_a_hash_is_the_same_in_run_and_judgments(tmp_path: Path) -> None:
    assert measured(tmp_path, "q1 Q0 book#12 1 3.0 t\n", "q1 0 book#12 1\n", "RR") == [1.0]


def test_judged_evidence_that_no_document_carries_stays_in_the_ideal(tmp_path: Path) -> None:
    found = measured(tmp_path, "q1 Q0 d1 1 1 t\n", "q1 0 d1 1\nq1 0 ghost 1\n", "R@10", "nDCG@10")
    assert found == pytest.approx([0.5, 1 / (1 + 1 / LOG3)])
    assert found[1] == pytest.approx(0.613147, abs=5e-7)


def test_a_document_twice_gains_once_where_its_best_place_is_kept(tmp_path: Path) -> None:
    # Counted twice, it would have an nDCG of 1.63 and a recall of 2.
    run = "q1 Q0 a 1 3.0 t\nq1 Q0 a 2 2.0 t\nq1 Q0 b 3 1.0 t\n"
    measures = ("nDCG@2", "R@2", "P@2")
    found = measured(tmp_path, run, "q1 0 a 1\n", *measures, duplicates="keep_first")
    assert found == [1.0, 1.0, 0.5]


def test_tied_scores_are_valued_as_trec_eval_orders_them(tmp_path: Path) -> None:
    run = "q Q0 m1 1 7.0 t\nq Q0 m2 2 7.0 t\n"
    found = measured(tmp_path, run, "q 0 m1 1\n", "RR", "nDCG@10", "R@1")
    assert found == pytest.approx([0.5, 0.630930, 0.0], abs=5e-7)


def test_scores_that_only_double_precision_tells_apart_do_not_tie(tmp_path: Path) -> None:
    run = "q Q0 zz 1 0.50000000001 t\nq Q0 aa 2 0.50000000002 t\n"
    assert measured(tmp_path, run, "q 0 aa 1\n", "RR") == [1.0]


@pytest.mark.parametrize("scores", [(0.0, 0.0), (-1.2, -3.4)])
def test_items_scored_zero_or_below_are_retrieved(
    tmp_path: Path, scores: tuple[float, float]
) -> None:
    run = "".join(f"q Q0 d{i} {i} {score} t\n" for i, score in enumerate(scores))
    assert measured(tmp_path, run, "q 0 d0 1\nq 0 d1 1\n", "R@2") == [1.0]


def test_ids_of_two_normal_forms_do_not_join(tmp_path: Path) -> None:
    run, qrels = "q Q0 re\u0301sume\u0301-1 1 1.0 t\n", "q 0 r\u00e9sum\u00e9-1 1\n"
    assert measured(tmp_path, run, qrels, "R@10", "Judged@10") == [0.0, 0.0]
