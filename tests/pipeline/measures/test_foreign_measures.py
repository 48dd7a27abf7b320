"""Names that are not ours go to ir_measures, with its values."""

from pathlib import Path

import ir_measures
import polars as pl
import pytest

from pipeline.collection import read_qrels, read_run
from pipeline.errors import MissingError, ParameterError
from pipeline.measures import parse_measure, parse_own_measure, per_query

JUDGED = pl.DataFrame(
    {
        "query_id": ["q1", "q1", "q1", "q2", "q3"],
        "evidence_id": ["a", "b", "c", "x", "n"],
        "grade": [1, 2, 0, 1, 0],
    }
)
RUN = pl.DataFrame(
    {
        "query_id": ["q1", "q1", "q1", "q3"],
        "rank": [1, 2, 3, 1],
        "evidence_id": ["b", "u", "a", "n"],
    }
)


def values(name: str, **more: object) -> dict[str, float | None]:
    found = per_query(RUN, JUDGED, [name], **more)  # type: ignore[arg-type]
    return dict(found.select("query_id", "value").iter_rows())


def test_precision_at_the_number_of_relevant_items_by_hand() -> None:
    # q1 has two relevant items, and one of them in its first two; q2 is answered by nothing; of
    # q3 nothing relevant is known, which is undefined for every measure alike.
    assert values("Rprec") == {"q1": 0.5, "q2": 0.0, "q3": None}


def test_the_collections_threshold_counts_where_the_name_says_none() -> None:
    assert values("SetP", rel=2) == {"q1": pytest.approx(1 / 3), "q2": None, "q3": None}
    assert values("SetP(rel=1)", rel=2)["q1"] == pytest.approx(2 / 3)


def test_our_families_take_the_options_that_only_ir_measures_knows() -> None:
    # Gains 1 and 5 for grades 1 and 2: (5 + 1/2) / (5 + 1/log2 3).
    gained = values("nDCG(gains={1:1,2:5})@10")["q1"]
    assert gained == pytest.approx(5.5 / (5 + 1 / 1.584962500721156), abs=1e-6)


def test_ours_and_theirs_stand_side_by_side_under_the_names_as_given() -> None:
    found = per_query(RUN, JUDGED, ["nDCG@10", "Rprec", "ZeroHit@5"])
    assert found["measure"].unique().sort().to_list() == ["Rprec", "ZeroHit@5", "nDCG@10"]


def test_a_repeated_evidence_gains_once() -> None:
    twice = pl.concat([RUN, RUN.head(1).with_columns(rank=pl.lit(4, pl.Int64))])
    once = per_query(RUN, JUDGED, ["SetR"])
    assert per_query(twice, JUDGED, ["SetR"], repeats="first_gains").equals(once)


@pytest.mark.parametrize("name", ["Rprec", "infAP", "SetF(beta=2.0)", "IPrec@0.1", "NumRet(rel=1)"])
def test_each_query_has_ir_measures_own_value(collections: Path, name: str) -> None:
    folder = collections / "dl19-passage-runs"
    run = read_run(next((folder / "runs").glob("bm25.run*")))
    judgments = read_qrels(folder / "qrels.txt")
    measure = ir_measures.parse_measure(name)
    theirs = {
        metric.query_id: metric.value
        for metric in ir_measures.iter_calc(
            [measure],
            [ir_measures.Qrel(*row) for row in judgments.iter_rows()],
            [
                ir_measures.ScoredDoc(query, item, -rank)
                for query, rank, item in run.select("query_id", "rank", "evidence_id").iter_rows()
            ],
        )
    }
    ours = dict(per_query(run, judgments, [name]).select("query_id", "value").iter_rows())
    assert ours == theirs


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Rpec", "nearest known is 'Rprec'"),
        ("SetP(foo=1)", "found foo; expected of ir_measures' rel"),
        ("IPrec", "found no recall"),
        ("SetF(beta='two')", "found beta='two'"),
        ("alpha_nDCG@10", "need Perl, subtopics or timings"),
        ("Rprec@", "unknown measure"),
        ("__import__('os')", "unknown measure"),
    ],
)
def test_what_ir_measures_refuses_is_refused_in_words(name: str, problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        parse_measure(name)


def test_a_part_that_is_not_installed_is_named_with_the_command() -> None:
    if ir_measures.cwl_eval.is_available():
        pytest.skip("cwl-eval is installed here")
    with pytest.raises(MissingError, match=r"pip install 'ir-measures\[cwl-eval\]'"):
        parse_measure("BPM(T=1.0, max_rel=3)@10")


def test_a_grid_is_measured_by_our_own_only() -> None:
    assert parse_own_measure("nDCG@5") == parse_measure("nDCG@5")
    with pytest.raises(ParameterError, match=r"evaluation\.measures takes 'Rprec'"):
        parse_own_measure("Rprec")
