"""Examples of lists: those that were measured, ids alone unless text may be shown."""

from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest

from pipeline.report.examples import first_documents


def stored(*systems: str) -> Any:
    rows = [
        {"system": system, "query_id": "q", "rank": rank, "doc_id": f"{system}-{rank}"}
        for system in systems
        for rank in range(1, 5)
    ]
    params = SimpleNamespace(report=SimpleNamespace(text=False))
    return SimpleNamespace(runs=pl.DataFrame(rows), params=params)


@pytest.mark.parametrize(
    ("system", "shown"),
    [
        ("selected", "selected_held_out-1, selected_held_out-2, selected_held_out-3"),
        ("bm25", "bm25-1, bm25-2, bm25-3"),
    ],
)
def test_where_folds_chose_the_held_out_list_is_shown(system: str, shown: str) -> None:
    lists = stored("bm25", "selected", "selected_held_out")
    assert first_documents(lists, system, "q") == shown


def test_otherwise_the_list_itself() -> None:
    assert first_documents(stored("selected"), "selected", "q").startswith("selected-1, ")
