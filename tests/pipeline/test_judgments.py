"""Many opinions, one judgment."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import ParameterError, RecordError
from pipeline.judgments import RULES, resolve
from pipeline.tables import JUDGMENTS
from tests.rows import table

Opinion = tuple[str, str, int | str]  # assessor, round, grade or status


def opinions(*given_opinions: Opinion) -> pl.DataFrame:
    return table(
        JUDGMENTS,
        [
            {
                "query_id": "q",
                "evidence_id": "e",
                "grade": said if isinstance(said, int) else None,
                "status": "judged" if isinstance(said, int) else said,
                "assessor": assessor,
                "round": round_name,
                "line": line,
            }
            for line, (assessor, round_name, said) in enumerate(given_opinions, start=1)
        ],
    )


def resolved(rule: str, *given_opinions: Opinion) -> tuple[int | None, str]:
    return resolve(opinions(*given_opinions), rule).select("grade", "status").row(0)


def test_the_majority_decides_and_ties_go_to_the_lower_grade() -> None:
    assert resolved("majority", ("a", "1", 3), ("b", "1", 3), ("c", "1", 0)) == (3, "judged")
    assert resolved("majority", ("a", "1", 3), ("b", "1", 1)) == (1, "judged")


def test_the_other_rules() -> None:
    three = (("a", "1", 3), ("b", "1", 0), ("c", "2", 1))
    assert resolved("max", *three) == (3, "judged")
    assert resolved("latest", *three) == (1, "judged")
    assert resolved("latest", ("b", "1", 2), ("a", "1", 0)) == (0, "judged")


def test_an_assessor_counts_once_with_the_latest_round() -> None:
    changed = (("a", "1", 3), ("a", "2", 0), ("b", "1", 0), ("c", "1", 3))
    assert resolved("majority", *changed) == (0, "judged")


def test_a_grade_by_anyone_makes_the_pair_judged() -> None:
    assert resolved("majority", ("a", "1", "unknown"), ("b", "1", 2)) == (2, "judged")


def test_without_a_grade_unknown_outweighs_abstained() -> None:
    assert resolved("max", ("a", "1", "abstained"), ("b", "1", "unknown")) == (None, "unknown")
    assert resolved("max", ("a", "1", "abstained")) == (None, "abstained")


def test_two_opinions_of_one_assessor_in_one_round_are_refused() -> None:
    doubled = pl.concat([opinions(("a", "1", 2)), opinions(("a", "1", 0))])
    with pytest.raises(RecordError, match="'q', 'e', 'a', '1'"):
        resolve(doubled, "majority")


def test_an_unknown_rule_is_refused() -> None:
    with pytest.raises(ParameterError, match="majority or max or latest"):
        resolve(opinions(), "mean")


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abc"),
            st.sampled_from("12"),
            st.integers(0, 3) | st.sampled_from(["unknown", "abstained"]),
        ),
        unique_by=lambda row: row[:2],
    ),
    st.sampled_from(sorted(RULES)),
    st.randoms(use_true_random=False),
)
def test_the_order_of_rows_decides_nothing(rows: list, rule: str, random) -> None:
    frame = opinions(*rows)
    order = list(range(len(rows)))
    random.shuffle(order)
    assert resolve(frame, rule).equals(resolve(frame[order], rule))


@pytest.mark.parametrize("rule", sorted(RULES))
def test_the_streaming_engine_gives_the_same(rule: str) -> None:
    n = pl.col("n")
    many = pl.DataFrame({"n": range(100_000)}).select(
        query_id=pl.format("q{}", n % 500),
        evidence_id=pl.format("e{}", n // 500 % 10),
        grade=n * 7919 % 4,
        status=pl.lit("judged"),
        assessor=pl.format("a{}", n // 5_000 % 4),
        round=pl.format("r{}", n // 20_000),
        line="n",
    )
    with pl.Config():
        plain = resolve(many, rule)
        pl.Config.set_engine_affinity("streaming")
        assert resolve(many, rule).equals(plain)
