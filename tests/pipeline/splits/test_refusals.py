"""Queries that cannot be put on sides: why, with a real pair, and what to declare."""

import pytest

from pipeline.errors import ParameterError
from pipeline.splits import split_queries
from pipeline.splits.refusals import refuse_to_split
from tests.pipeline.splits.grouped import BRANCHES, grouped, numbered
from tests.rows import documents, judgments, params, queries


def test_where_every_key_was_dropped_the_refusal_says_why_and_the_way_out() -> None:
    pairs = [(f"q{i:02}", "D0121") for i in range(60)]
    with pytest.raises(ParameterError) as refused:
        refuse_to_split(grouped(numbered(60), pairs))
    assert "shared relevant documents, which ties 60 of 60 queries together" in str(refused.value)
    assert "e.g. q00, q01 and 58 more share D0121; expected" in str(refused.value)
    assert "source" not in str(refused.value)  # each document is its own
    assert "splits.independent: true" in str(refused.value)


def test_too_few_groups_for_the_sides_are_refused_with_the_reason() -> None:
    pairs = [(f"q{i:02}", "D0121") for i in range(40)]
    given = queries(numbered(40)), judgments(dict.fromkeys(pairs, 1)), documents({"D0121": ""})
    with pytest.raises(ParameterError) as refused:
        split_queries(*given, params(BRANCHES))
    said = str(refused.value)
    assert "found 40 queries in 1 group: 40 tied by shared relevant documents" in said
    assert "q00, q01 and 38 more share D0121" in said
    assert "at least 2 groups, for dev, test" in said
    assert "rankgate study --independent, or splits.independent: true" in said
    alone = params(BRANCHES, splits={"independent": True})
    assert len(split_queries(*given, alone)) == 40


def test_too_few_queries_are_not_blamed_on_ties() -> None:
    given = queries({"q1": "a"}), judgments({}), documents({"d": ""})
    with pytest.raises(ParameterError, match=r"found 1 query group\(s\) for dev, test"):
        split_queries(*given, params(BRANCHES))
