"""Pictures of the stages' summaries on Dagster's page."""

import base64
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from assets.folder import StudyFolder
from assets.lock import targets
from assets.orchestration.pictures import PICTURES, ROWS, picture
from assets.tracking.results import Results


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
    assert any(text.startswith(name[:20]) for text in drawn for name in first)


def test_a_bar_stands_for_each_row_and_a_long_table_is_cut() -> None:
    rows = [[f"c{number:02}", number / 100] for number in range(40)]
    drawn = texts_of(
        svg_of("sweep", {"table": {"columns": ["configuration", "value"], "rows": rows}})
    )
    assert [text for text in drawn if text.startswith("c")] == [f"c{n:02}" for n in range(ROWS)]


def test_a_gates_state_is_written_beside_its_colour() -> None:
    table = {"columns": ["gate", "status"], "rows": [["primary", "fail"], ["slices", "unresolved"]]}
    drawn = svg_of("decision", {"table": table})
    assert {"primary", "fail", "slices", "unresolved"} <= set(texts_of(drawn))
    assert "#c53030" in drawn


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
