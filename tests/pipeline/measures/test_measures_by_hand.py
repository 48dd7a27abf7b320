"""Every measure on lists that a reader can redo on paper."""

import math
from collections.abc import Mapping, Sequence

import polars as pl
import pytest

from pipeline.errors import ContractError, RecordError
from pipeline.measures import per_query

LOG3, LOG5 = math.log2(3), math.log2(5)


def a_run(lists: Mapping[str, Sequence[str]]) -> pl.DataFrame:
    """A run from query id to evidence ids, best first."""
    rows = [(q, rank, e) for q, items in lists.items() for rank, e in enumerate(items, start=1)]
    schema = {"query_id": pl.String, "rank": pl.Int64, "evidence_id": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def judged(grades: Mapping[str, Mapping[str, int]]) -> pl.DataFrame:
    """Judgments from query id to evidence id to grade."""
    rows = [(q, e, grade) for q, items in grades.items() for e, grade in items.items()]
    schema = {"query_id": pl.String, "evidence_id": pl.String, "grade": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def value(measure: str, items: Sequence[str], grades: Mapping[str, int], rel: int = 1) -> object:
    """One measure of one list."""
    table = per_query(a_run({"q": items}), judged({"q": grades}), [measure], rel=rel)
    return table["value"].item()


def is_near(measure: str, items: Sequence[str], grades: Mapping[str, int]) -> object:
    return pytest.approx(value(measure, items, grades), abs=1e-12)


def test_ndcg_takes_the_grade_as_the_gain_and_exp_log2_only_by_name() -> None:
    grades, items = {"a": 1, "b": 3, "c": 0, "d": 2}, ["a", "b", "c", "d"]
    assert value("nDCG@4", items, grades) == pytest.approx(0.788377, abs=5e-7)
    exponential = value("nDCG(dcg='exp-log2')@4", items, grades)
    assert exponential == pytest.approx(0.714222, abs=5e-7)


def test_a_power_that_no_float_holds_is_refused_and_leaves_no_query_out() -> None:
    exponential = "nDCG(dcg='exp-log2')@5"
    assert value(exponential, ["a"], {"a": 1_000}) == value("nDCG@5", ["a"], {"a": 2_000}) == 1.0
    with pytest.raises(ContractError, match=r"too high for the gain.*found grade 1001"):
        value(exponential, ["a"], {"a": 1_001})


def test_the_ideal_comes_from_all_judged_items_not_from_what_was_retrieved() -> None:
    grades = {"a": 1, "b": 1, "c": 1}
    assert is_near("nDCG@10", ["a"], grades) == 1 / (1 + 1 / LOG3 + 1 / 2)
    assert is_near("R@10", ["a"], grades) == 1 / 3


def test_the_ideal_is_cut_at_k() -> None:
    assert value("nDCG@1", ["a"], {"a": 1, "b": 1}) == 1.0


def test_fewer_relevant_items_than_k_make_a_shorter_ideal() -> None:
    dcg, ideal = 2 / LOG3 + 1 / 2, 2 + 1 / LOG3
    assert is_near("nDCG@10", ["x", "g2", "g1"], {"g2": 2, "g1": 1}) == dcg / ideal


def test_negative_grades_gain_nothing_but_are_judged() -> None:
    items, grades = ["a", "b", "c"], {"a": -2, "b": 2, "c": 1}
    assert is_near("nDCG@3", items, grades) == (2 / LOG3 + 1 / 2) / (2 + 1 / LOG3)
    assert value("RR", items, grades) == 0.5
    assert value("R@1", items, grades) == 0.0
    assert value("Judged@3", items, grades) == 1.0


def test_recall_divides_by_all_relevant_items_not_by_k() -> None:
    assert value("R@2", ["a", "b", "x"], {"a": 1, "b": 1, "c": 1, "d": 1}) == 0.5


def test_precision_divides_by_k_even_where_the_list_is_shorter() -> None:
    assert value("P@5", ["a"], {"a": 1}) == 0.2


@pytest.mark.parametrize(("cutoff", "share"), [(2, 1 / 2), (3, 2 / 3), (10, 2 / 3)])
def test_judged_divides_by_what_was_returned_in_a_short_list(cutoff: int, share: float) -> None:
    assert value(f"Judged@{cutoff}", ["a", "u1", "b"], {"a": 1, "b": 0}) == share


def test_judged_of_an_empty_list_is_undefined_not_zero() -> None:
    assert value("Judged@10", [], {"a": 1}) is None


def test_unjudged_items_count_as_nonrelevant_or_are_taken_out_by_name() -> None:
    items, grades = ["u1", "b", "u2", "d"], {"b": 2, "d": 1}
    full = (2 / LOG3 + 1 / LOG5) / (2 + 1 / LOG3)
    assert is_near("nDCG@4", items, grades) == full
    assert value("P@4", items, grades) == value("Judged@4", items, grades) == 0.5
    assert value("nDCG(judged_only=True)@4", items, grades) == 1.0
    assert value("P(judged_only=True)@2", items, grades) == 1.0


def test_a_text_twin_that_nobody_judged_gains_nothing() -> None:
    items, grades = ["c1", "t1"], {"t1": 1}
    assert is_near("nDCG@10", items, grades) == 1 / LOG3
    assert value("Judged@2", items, grades) == 0.5


def test_average_precision_divides_by_all_relevant_items() -> None:
    items, grades = ["a", "x", "b"], {"a": 1, "b": 1, "c": 1}
    assert is_near("AP", items, grades) == (1 / 1 + 2 / 3) / 3
    assert is_near("AP@2", items, grades) == (1 / 1) / 3


def test_bpref_counts_judged_nonrelevant_items_above_relevant_ones() -> None:
    # R = 2, N = 3: a has none above, b has n1 and n2 above, u is passed over.
    items, grades = ["a", "n1", "u", "n2", "b"], {"a": 1, "b": 1, "n1": 0, "n2": 0, "n3": 0}
    assert is_near("Bpref", items, grades) == (1 + (1 - 2 / 2)) / 2


def test_bpref_without_judged_nonrelevant_items_is_recall() -> None:
    assert value("Bpref", ["u", "a"], {"a": 1, "b": 1}) == 0.5


def test_rank_biased_precision_weighs_ranks_by_persistence() -> None:
    assert is_near("RBP(p=0.5)", ["a", "x", "b"], {"a": 1, "b": 1}) == 0.5 * (1 + 0.25)


def test_success_and_zero_hit_are_opposites() -> None:
    items, grades = ["x", "a"], {"a": 1}
    assert [value(f"Success@{k}", items, grades) for k in (1, 2)] == [0.0, 1.0]
    assert [value(f"ZeroHit@{k}", items, grades) for k in (1, 2)] == [1.0, 0.0]


def test_the_collections_threshold_counts_where_the_name_gives_none() -> None:
    items, grades = ["a", "b"], {"a": 1, "b": 2}
    assert value("RR", items, grades, rel=2) == 0.5
    assert value("RR(rel=1)", items, grades, rel=2) == 1.0


def required(*evidence: str) -> pl.DataFrame:
    return pl.DataFrame({"query_id": ["q"] * len(evidence), "evidence_id": evidence})


def test_required_evidence_is_covered_in_part_or_wholly() -> None:
    run, judgments = a_run({"q": ["a", "x", "b"]}), judged({"q": {"a": 1}, "p": {"a": 1}})
    names = ["EvidenceCoverage@2", "EvidenceCoverage@3", "AllEvidence@2", "AllEvidence@3"]
    table = per_query(run, judgments, names, required=required("a", "b"))
    covered = {(q, m): v for q, m, v in table.iter_rows()}
    assert [covered["q", name] for name in names] == [0.5, 1.0, 0.0, 1.0]
    assert [covered["p", name] for name in names] == [None] * 4  # none declared


def test_a_query_that_the_run_lacks_is_a_zero_never_a_gap() -> None:
    run = a_run({"q1": ["a"], "q2": ["x", "b"], "q9": ["a"]})
    table = per_query(run, judged({"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}), ["RR"])
    assert table.rows() == [("q1", "RR", 1.0), ("q2", "RR", 0.5), ("q3", "RR", 0.0)]


@pytest.mark.parametrize("empty", ["q2", "q3", "q4"])
def test_which_query_is_empty_does_not_matter(empty: str) -> None:
    queries = {"q1": "a", "q2": "b", "q3": "c", "q4": "d"}
    run = a_run({q: [] if q == empty else [e] for q, e in queries.items()})
    judgments = judged({q: {e: 1} for q, e in queries.items()})
    table = per_query(run, judgments, ["P@1", "R@10", "RR"])
    means = dict(table.group_by("measure").agg(pl.col("value").mean()).iter_rows())
    assert means == {"P@1": 0.75, "R@10": 0.75, "RR": 0.75}


def test_a_run_of_empty_lists_scores_zero() -> None:
    table = per_query(a_run({}), judged({"q": {"a": 1}}), ["nDCG@10", "AP", "Bpref", "P@1"])
    assert table["value"].to_list() == [0.0] * 4


def test_without_a_relevant_item_every_ranking_measure_is_undefined() -> None:
    names = ["nDCG@10", "R@10", "P@10", "RR", "AP", "Success@10", "Bpref", "RBP", "ZeroHit@10"]
    run, judgments = (
        a_run({"q1": ["a", "b"], "q2": ["c"]}),
        {"q1": {"a": 0, "b": 0}, "q2": {"c": 1}},
    )
    table = per_query(run, judged(judgments), names)
    assert table.filter(query_id="q1")["value"].to_list() == [None] * len(names)
    assert table.filter(query_id="q2")["value"].null_count() == 0


def test_a_query_without_a_grade_at_the_threshold_leaves_all_means_alike() -> None:
    table = per_query(a_run({"q": ["a"]}), judged({"q": {"a": 1}}), ["nDCG@5", "R@5"], rel=2)
    assert table["value"].to_list() == [None, None]


def test_queries_asked_for_come_back_whether_judged_or_not() -> None:
    table = per_query(
        a_run({"new": ["a"]}), judged({"q": {"a": 1}}), ["Judged@5", "nDCG@5"], queries=["new"]
    )
    assert table.rows() == [("new", "Judged@5", 0.0), ("new", "nDCG@5", None)]


def test_rank_decides_and_neither_row_order_nor_gaps_in_it_matter() -> None:
    run = pl.DataFrame(
        {"query_id": ["q"] * 3, "rank": [9, 0, 4], "evidence_id": ["d2", "d3", "d1"]}
    )
    table = per_query(run, judged({"q": {"d1": 1}}), ["RR", "nDCG@3"])
    assert table["value"].to_list() == [0.5, 1 / LOG3]


def test_the_cutoff_is_part_of_the_stored_name() -> None:
    table = per_query(a_run({"q": ["a"]}), judged({"q": {"a": 1}}), ["RR@10", "RR@5"])
    assert table["measure"].to_list() == ["RR@10", "RR@5"]


def test_the_same_list_has_the_same_bits_whatever_else_the_run_holds() -> None:
    items = [f"d{i}" for i in range(10)]
    grades = {item: 1 + i % 3 for i, item in enumerate(items)}
    judgments = judged({"q": grades, "long": {"a": 1}})
    alone = per_query(a_run({"q": items}), judgments, ["nDCG", "AP"])
    beside = per_query(
        a_run({"q": items, "long": [f"x{i}" for i in range(997)]}), judgments, ["nDCG", "AP"]
    )
    assert alone.filter(query_id="q").equals(beside.filter(query_id="q"))


def test_an_evidence_twice_in_a_list_is_refused() -> None:
    with pytest.raises(ContractError, match=r"evidence_id stands twice.*\('q', 'a'\)"):
        value("nDCG@2", ["a", "a", "b"], {"a": 1})


def test_without_collapse_only_the_first_place_of_an_evidence_gains() -> None:
    table = per_query(
        a_run({"q": ["a", "a", "b"]}),
        judged({"q": {"a": 1}}),
        ["R@2", "nDCG@2", "P@2", "Judged@2", "EvidenceCoverage@2"],
        required=required("a", "b"),
        repeats="first_gains",
    )
    assert dict(table.select("measure", "value").iter_rows()) == {
        "R@2": 1.0,
        "nDCG@2": 1.0,
        "P@2": 0.5,
        "Judged@2": 1.0,
        "EvidenceCoverage@2": 0.5,
    }


def test_a_judgment_twice_counts_once() -> None:
    twice = pl.concat([judged({"q": {"a": 2}})] * 2)
    table = per_query(a_run({"q": ["a"]}), twice, ["nDCG@10", "R@10"])
    assert table["value"].to_list() == [1.0, 1.0]


def test_two_grades_for_one_pair_are_a_contradiction() -> None:
    both = pl.concat([judged({"q": {"a": 2}}), judged({"q": {"a": 0}})])
    with pytest.raises(RecordError, match=r"different grades.*\('q', 'a', 0\), \('q', 'a', 2\)"):
        per_query(a_run({"q": ["a"]}), both, ["nDCG@10"])


def test_a_pair_that_is_unknown_or_abstained_is_not_judged() -> None:
    judgments = pl.DataFrame(
        {
            "query_id": ["q"] * 3,
            "evidence_id": ["a", "b", "c"],
            "grade": [1, None, None],
            "status": ["judged", "unknown", "abstained"],
        }
    )
    table = per_query(a_run({"q": ["a", "b", "c"]}), judgments, ["Judged@3"])
    assert table["value"].item() == 1 / 3


def test_a_repeated_rank_is_refused() -> None:
    run = pl.DataFrame({"query_id": ["q"] * 2, "rank": [1, 1], "evidence_id": ["a", "b"]})
    with pytest.raises(ContractError, match="rank stands twice"):
        per_query(run, judged({"q": {"a": 1}}), ["RR"])


def test_null_ids_are_refused_so_that_none_can_match() -> None:
    run = pl.DataFrame({"query_id": ["q"] * 2, "rank": [1, 2], "evidence_id": ["a", None]})
    with pytest.raises(ContractError, match="'evidence_id' has nulls"):
        per_query(run, judged({"q": {"a": 1}}), ["RR"])


def test_ids_that_were_read_as_numbers_are_refused() -> None:
    run = pl.DataFrame({"query_id": [7], "rank": [1], "evidence_id": ["a"]})
    with pytest.raises(ContractError, match="query_id: Int64"):
        per_query(run, judged({"7": {"a": 1}}), ["RR"])


def test_a_missing_column_is_named() -> None:
    with pytest.raises(ContractError, match="rank: missing"):
        per_query(a_run({"q": ["a"]}).drop("rank"), judged({"q": {"a": 1}}), ["RR"])


def test_no_judgments_and_no_run_give_an_empty_table() -> None:
    table = per_query(pl.DataFrame(schema=a_run({}).schema), judged({}), ["nDCG@10"])
    assert table.height == 0
    assert table.columns == ["query_id", "measure", "value"]
