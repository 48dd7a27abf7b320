"""A table is checked at the border: columns, types, nulls, real numbers, key, order."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import ContractError
from pipeline.tables import BRANCH_CANDIDATES, CONFIGURATIONS, PER_QUERY, SPLITS, table


def _candidates(**changes: list[object]) -> pl.DataFrame:
    columns: dict[str, list[object]] = {
        "query_id": ["q", "q"],
        "rank": [2, 1],
        "doc_id": ["b", "a"],
        "evidence_id": ["b", "a"],
        "source_id": ["b", "a"],
        "score": [1.0, 2.0],
    }
    return pl.DataFrame(columns | changes, strict=False)


def test_rows_come_out_in_the_order_of_the_key_and_columns_in_theirs() -> None:
    shuffled = _candidates().select(
        "score", "rank", "query_id", "doc_id", "source_id", "evidence_id"
    )
    checked = BRANCH_CANDIDATES.check(shuffled)
    assert checked.columns == list(BRANCH_CANDIDATES.columns)
    assert checked["doc_id"].to_list() == ["a", "b"]


def test_whole_numbers_become_real_where_the_table_says_so() -> None:
    assert BRANCH_CANDIDATES.check(_candidates(score=[1, 2]))["score"].dtype == pl.Float64


def test_a_column_of_nulls_takes_the_tables_type() -> None:
    assert BRANCH_CANDIDATES.check(_candidates(score=[None, None]))["score"].dtype == pl.Float64


def test_a_real_number_is_no_rank() -> None:
    with pytest.raises(ContractError, match="column 'rank' has the wrong type; found Float64"):
        BRANCH_CANDIDATES.check(_candidates(rank=[1.0, 2.0]))


def test_missing_and_unknown_columns_are_both_named() -> None:
    frame = _candidates().drop("score").with_columns(colour=pl.lit("red"))
    with pytest.raises(ContractError, match=r"missing \['score'\], unknown \['colour'\]"):
        BRANCH_CANDIDATES.check(frame)


def test_null_ids_are_refused_before_they_can_join() -> None:
    with pytest.raises(ContractError, match="column 'doc_id' has nulls; found 1 of 2 rows"):
        BRANCH_CANDIDATES.check(_candidates(doc_id=["a", None]))


@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_nan_and_infinity_are_refused_instead_of_sorting_first(score: float) -> None:
    with pytest.raises(ContractError, match="column 'score' has NaN or infinite values"):
        BRANCH_CANDIDATES.check(_candidates(score=[1.0, score]))


def test_a_repeated_key_is_refused_instead_of_multiplying_rows() -> None:
    with pytest.raises(ContractError, match=r"repeat the key \(query_id, rank\); found \('q', 1\)"):
        BRANCH_CANDIDATES.check(_candidates(rank=[1, 1]))


def test_wide_tables_take_a_column_for_each_branch_and_no_others() -> None:
    frame = pl.DataFrame(
        {
            "configuration": ["c"],
            "method": ["rrf"],
            "rank_constant": [60.0],
            "weight_bm25": [1.0],
            "depth_bm25": [100],
        }
    )
    assert CONFIGURATIONS.check(frame).columns[-2:] == ["weight_bm25", "depth_bm25"]
    with pytest.raises(ContractError, match="unknown"):
        CONFIGURATIONS.check(frame.with_columns(cost=pl.lit(1.0)))


def test_an_empty_table_passes_its_own_check() -> None:
    assert SPLITS.check(SPLITS.empty()).is_empty()


def test_values_of_two_cutoffs_never_lie_under_one_name() -> None:
    columns = ("system", "split", "query_id", "measure", "value")
    rows = [("bm25", "dev", "q", name, value) for name, value in (("RR@10", 0.2), ("RR@5", 0.0))]
    both = pl.DataFrame(rows, schema=columns, orient="row")
    assert PER_QUERY.check(both)["measure"].to_list() == ["RR@10", "RR@5"]
    with pytest.raises(ContractError, match="repeat the key"):
        PER_QUERY.check(both.with_columns(measure=pl.lit("RR@10")))


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 3)), max_size=6))
def test_sorted_or_not_the_same_rows_come_out_and_repeats_are_refused(
    keys: list[tuple[str, int]],
) -> None:
    """Rows that rise by their key take a short way; this is the long one, by hand."""
    frame = pl.DataFrame(
        [{"query_id": q, "rank": r, "doc_id": f"{q}{r}"} for q, r in keys],
        schema={"query_id": pl.String, "rank": pl.Int64, "doc_id": pl.String},
    ).with_columns(evidence_id="doc_id", source_id="doc_id", score=pl.lit(None, pl.Float64))
    if len(set(keys)) < len(keys):
        with pytest.raises(ContractError, match="rows repeat the key"):
            BRANCH_CANDIDATES.check(frame)
    else:
        checked = BRANCH_CANDIDATES.check(frame)
        assert checked.select("query_id", "rank").rows() == sorted(keys)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 3)), max_size=12))
def test_keys_rise_where_each_is_greater_than_the_one_before(keys: list[tuple[str, int]]) -> None:
    """Also over the borders of the pieces in which they are looked at."""
    frame = pl.DataFrame(keys, schema={"query_id": pl.String, "rank": pl.Int64}, orient="row")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(table, "_AT_ONCE", 3)
        assert table.rises(frame, ["query_id", "rank"]) == (sorted(set(keys)) == keys)
