"""What the page says of lost evidence, of equal work and of each branch's worth."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from pipeline.report.sections.branch_value import value_blocks
from pipeline.report.sections.diagnosis import diagnosis
from pipeline.report.sections.equal_work import equal_work
from pipeline.report.stored import Stored
from pipeline.tables import LATENCY
from tests.pipeline.report.small_study import params, report_inputs, write_collection
from tests.rows import table


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Stored:
    """The small study, opened."""
    folder: Path = tmp_path_factory.mktemp("small")
    inputs: Mapping[str, Any] = report_inputs(write_collection(folder), params())
    return Stored(**{name: inputs[name] for name in Stored.__dataclass_fields__})


def text(rows: Any) -> list[list[str]]:
    return [[cell.text for cell in row] for row in rows.cells]


def test_the_stages_add_up_to_the_missed_evidence(stored: Stored) -> None:
    shown = next(block for block in diagnosis(stored).blocks if "test" in block.caption)
    missed = stored.diagnosis.filter((pl.col("split") == "test") & (pl.col("against") == ""))
    assert shown.columns[1] == "missed"
    assert sum(int(row[1]) for row in text(shown)) == missed.height > 0


def test_no_document_is_named(stored: Stored) -> None:
    cells = {
        cell
        for section in (diagnosis(stored), equal_work(stored))
        for block in section.blocks
        for row in text(block)
        for cell in row
    }
    assert not cells & set(stored.documents["doc_id"])


def test_equal_work_shows_every_branch_on_every_open_side(stored: Stored) -> None:
    blocks = equal_work(stored).blocks
    assert [block.caption for block in blocks] == ["At equal work, dev", "At equal work, test"] or [
        block.caption for block in blocks
    ] == ["At equal work, test", "At equal work, dev"]
    first = [row for row in text(blocks[0]) if row[:2] == ["fusion at D/B", "nDCG@5"]]
    assert [row[2] for row in first] == ["best_branch", "vectors", "words"]
    assert {(row[3], row[4]) for row in first} == {("10", "10")}


def test_a_branch_s_worth_stands_beside_its_time_where_one_is_recorded(stored: Stored) -> None:
    untimed = text(next(iter(value_blocks(stored, "test"))))
    assert {row[-1] for row in untimed} == {"–"}
    time = {
        "system": "selected",
        "component": "search:words",
        "mode": "warm",
        "callers": 1,
        "percentile": 50,
        "milliseconds": 2.0,
        "calls": 200,
    }
    timed = Stored(
        **{
            **{name: getattr(stored, name) for name in Stored.__dataclass_fields__},
            "latency": table(LATENCY, [time]),
        }
    )
    rows = {row[0]: row for row in text(next(iter(value_blocks(timed, "test"))))}
    loss = stored.branch_value.row(
        by_predicate=(pl.col("split") == "test")
        & (pl.col("slice") == "")
        & (pl.col("branch") == "words"),
        named=True,
    )["delta"]
    assert rows["words"][-2:] == ["2", f"{loss / 2:+.4g}"]
    assert rows["vectors"][-1] == "–"
