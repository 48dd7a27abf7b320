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
    # NumRelRet is another word for NumRet(rel=1), as trec_eval's num_rel_ret for its level.
    assert values("NumRelRet", rel=2) == {"q1": 1.0, "q2": None, "q3": None}


def test_what_is_relevant_to_a_name_decides_which_queries_it_has_a_value_for() -> None:
    # q2 has an item of grade 1 only, and nothing was returned for it.
    assert values("SetP(rel=1)", rel=2)["q2"] == values("P(rel=1)@2", rel=2)["q2"] == 0.0
    assert values("SetP(rel=2)")["q2"] is values("P(rel=2)@2")["q2"] is None


def test_a_measure_without_a_threshold_is_given_none() -> None:
    # Of three returned items for q1 two are relevant.
    assert values("NumRet") == {"q1": 3.0, "q2": 0.0, "q3": None}


def test_a_query_with_grades_below_0_alone_is_kept_from_code_that_cannot_bear_it() -> None:
    below = JUDGED.with_columns(grade=pl.when(pl.col("query_id") == "q2").then(-2).otherwise(2))
    assert per_query(RUN, below, ["NumRet"], rel=-2)["value"].to_list() == [3.0, None, 1.0]


def test_a_list_of_relevant_items_alone_has_no_accuracy_and_the_others_have() -> None:
    # q1's top holds b (relevant), u; nothing of q2 was returned, which ir_measures passes over.
    assert values("Accuracy@2") == {"q1": 1.0, "q2": None, "q3": None}
    assert values("Accuracy@1") == {"q1": None, "q2": None, "q3": None}
    answered = pl.concat(
        [RUN, pl.DataFrame({"query_id": ["q2"], "rank": [1], "evidence_id": ["x"]})]
    )
    found = per_query(answered, JUDGED, ["Accuracy"])
    assert found["value"].to_list() == [0.5, None, None]


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


THEIRS = [
    *("Rprec", "infAP", "SetF(beta=2.0)", "IPrec@0.1", "NumRet", "NumRet(rel=1)", "SetRelP"),
    # Compat takes what was not returned to have the score 0.
    *("Compat", "Compat(p=0.8,normalize=False)"),
]


@pytest.mark.parametrize("name", THEIRS)
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
                ir_measures.ScoredDoc(*row)
                for row in run.select("query_id", "evidence_id", "score").iter_rows()
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
