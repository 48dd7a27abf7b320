"""Pictures of the stages' summaries on Dagster's page."""

import base64
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from assets.folder import StudyFolder
from assets.lock import targets
from assets.orchestration.pictures import PICTURES, ROWS, picture
from assets.results import Results


def svg_of(stage: str, summary: dict[str, Any]) -> str:
    """The picture's drawing, out of the Markdown that carries it."""
    shown = picture(stage, summary)
    assert shown is not None
    before, _, image = str(shown.value).partition("base64,")
    assert before == f"![{stage}](data:image/svg+xml;"
    return base64.b64decode(image.removesuffix(")")).decode()


def texts_of(svg: str) -> list[str]:
    return ["".join(each.itertext()) for each in ElementTree.fromstring(svg).iter() if each.text]


@pytest.mark.parametrize("stage", sorted(PICTURES))
def test_every_stage_that_has_one_draws_its_summary(stage: str, finished: Path) -> None:
    results = Results(StudyFolder(finished))
    (key, *_) = [key for key in targets(results.folder) if key[0] == stage]
    summary = results.summary(key)
    drawn = texts_of(svg_of(stage, summary))
    bars, table = PICTURES[stage], summary["table"]
    first = [str(row[table["columns"].index(bars.label[0])]) for row in table["rows"]]
    assert any(text.startswith(name[:12]) for text in drawn for name in first)


def test_a_bar_stands_for_each_row_and_a_long_table_is_cut() -> None:
    rows = [[f"c{number:02}", number / 100] for number in range(40)]
    drawn = texts_of(
        svg_of("sweep", {"table": {"columns": ["configuration", "value"], "rows": rows}})
    )
    assert [text for text in drawn if text.startswith("c")] == [f"c{n:02}" for n in range(ROWS)]


def test_a_gates_state_is_written_beside_its_colour() -> None:
    table = {"columns": ["gate", "status"], "rows": [["primary", "fail"], ["slices", "unresolved"]]}
    drawn = svg_of("decision", {"table": table})
    assert {"primary: fail", "slices: unresolved"} <= set(texts_of(drawn))
    assert "#c53030" in drawn


def test_a_bar_is_as_long_as_its_part_of_the_whole() -> None:
    table = {"columns": ["kind", "pairs", "judged"], "rows": [["all", 12, 9], ["filtered", 4, 0]]}
    drawn = svg_of("pool", {"table": table})
    assert "M112 6h160" in drawn  # the whole of the widest row: all of 160 pixels
    assert "M112 6h120" in drawn  # nine of twelve
    assert "M112 18h53" in drawn  # four of twelve


def test_a_loss_goes_left_of_zero_with_its_interval() -> None:
    columns = ["split", "system", "delta", "low", "high"]
    rows = [["dev", "a", -0.1, -0.2, 0.0], ["dev", "b", 0.2, 0.1, 0.2]]
    drawn = svg_of("evaluation", {"table": {"columns": columns, "rows": rows}})
    assert "M192 6h-40" in drawn  # zero is in the middle: -0.1 of 0.4 is 40 of 160 pixels
    assert "M112 6h80" in drawn
    assert "M192 18h80" in drawn


@pytest.mark.parametrize("stage", sorted(PICTURES))
def test_every_picture_is_short_enough_to_be_shown_where_it_stands(stage: str) -> None:
    bars = PICTURES[stage]
    named = [*bars.label, *(c for c in (bars.whole, bars.low, bars.high, bars.state) if c)]
    columns = [*named, *([bars.value or "measure"] if bars.state is None else [])]
    figures = {bars.value or "measure", bars.whole, bars.low, bars.high}
    rows = [
        [-1.5 if c in figures else f"日本語の長い名前{n}" * 5 for c in columns] for n in range(40)
    ]
    shown = picture(stage, {"table": {"columns": columns, "rows": rows}})
    assert shown is not None
    assert len(str(shown.value)) < 1000


def test_the_same_summary_is_the_same_picture() -> None:
    table = {"columns": ["kind", "pairs", "judged"], "rows": [["all", 12, 9]]}
    assert svg_of("pool", {"table": table}) == svg_of("pool", {"table": table})


@pytest.mark.parametrize(
    ("stage", "summary"),
    [
        ("report", {"table": {"columns": ["section"], "rows": [["a"]]}}),
        ("sweep", {}),
        ("sweep", {"table": {"columns": ["configuration", "value"], "rows": []}}),
        ("sweep", {"table": {"columns": ["configuration", "value"], "rows": [["a", None]]}}),
        (
            "sweep",
            {"table": {"columns": ["configuration", "value"], "rows": [["a", float("nan")]]}},
        ),
    ],
)
def test_nothing_to_draw_is_no_picture(stage: str, summary: dict[str, Any]) -> None:
    assert picture(stage, summary) is None


def test_letters_of_the_readers_own_do_not_break_it() -> None:
    rows = [["$x_1$ <b> & 日本", 0.5]]
    svg = svg_of("sweep", {"table": {"columns": ["configuration", "value"], "rows": rows}})
    assert "$x_1$ <b> & 日本" in texts_of(svg)
