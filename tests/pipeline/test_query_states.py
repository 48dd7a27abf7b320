"""Which queries enter ranking means."""

import polars as pl

from pipeline.query_states import count_states, query_states, ranked_queries
from pipeline.tables import QRELS_COLUMNS

QUERIES = pl.DataFrame(
    {
        "query_id": ["q5", "q1", "q2", "q3", "q4", "q6"],
        "answerable": [None, True, None, None, False, None],
    }
)
JUDGMENTS = pl.DataFrame(
    [
        ("q1", "a", 2, "judged"),
        ("q2", "a", 0, "judged"),
        ("q2", "b", None, "unknown"),
        ("q3", "a", None, "abstained"),
        ("q4", "a", 3, "judged"),
        ("q6", "a", 1, "judged"),
    ],
    schema=dict(QRELS_COLUMNS),
    orient="row",
)


def test_each_state_by_hand() -> None:
    states = dict(query_states(QUERIES, JUDGMENTS).rows())
    assert states == {
        "q1": "ranked",
        "q2": "no_relevant",
        "q3": "no_judgments",
        "q4": "unanswerable",
        "q5": "no_judgments",
        "q6": "ranked",
    }


def test_the_threshold_decides_what_is_relevant() -> None:
    states = query_states(QUERIES, JUDGMENTS, rel=2)
    assert ranked_queries(states) == ["q1"]
    assert count_states(states) == {
        "ranked": 1,
        "unanswerable": 1,
        "no_relevant": 2,
        "no_judgments": 2,
    }


def test_without_judgments_no_query_is_ranked() -> None:
    states = query_states(QUERIES, JUDGMENTS.clear())
    assert ranked_queries(states) == []
    assert count_states(states)["no_judgments"] == 5


def test_without_queries_every_state_counts_zero() -> None:
    assert set(count_states(query_states(QUERIES.clear(), JUDGMENTS)).values()) == {0}
