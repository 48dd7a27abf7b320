"""Groupings for tests: queries by text, what is relevant to them, declared fields."""

from typing import Any

from pipeline.splits.grouping import Grouping, group_queries
from tests.rows import documents, judgments, params, queries

Pairs = list[tuple[str, str]]
BRANCHES = {"bm25": {"kind": "bm25"}}


def grouped(
    texts: dict[str, str | None],
    relevant: Pairs = (),  # type: ignore[assignment]
    splits: dict[str, Any] | None = None,
    sources: dict[str, str] | None = None,
    **fields: dict[str, Any],
) -> Grouping:
    names = {document for _, document in relevant} | {"d"}
    return group_queries(
        queries(texts, **fields),
        judgments(dict.fromkeys(relevant, 1)),
        documents(dict.fromkeys(sorted(names), ""), source_id=sources or {}),
        params(BRANCHES, splits=splits or {}),
    )


def numbered(count: int) -> dict[str, str | None]:
    return {f"q{i:02}": f"text {i}" for i in range(count)}
