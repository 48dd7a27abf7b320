"""The page's colours: text stands out from what it stands on, in light and in the dark."""

import re

import pytest

from pipeline.report.charts.palette import VARIABLES
from pipeline.report.page import stylesheet

READABLE = 4.5  # WCAG 2, level AA, text of any size
SEEN = 3.0  # parts of charts
TEXTS = ["ink", "muted", "good", "bad", "open", "sealed", "accent"]


def schemes() -> dict[str, dict[str, str]]:
    """The variables of each scheme; the dark one says what differs."""
    light, dark = re.findall(r":root \{([^}]*)\}", stylesheet())[:2]
    read = [dict(re.findall(r"--([\w-]+): (#\w{6})", block)) for block in (light, dark)]
    return {"light": read[0], "dark": {**read[0], **read[1]}}


def luminance(colour: str) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """The ratio of the lighter to the darker, 1 to 21."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_black_on_white_is_21():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("ground", ["paper", "raised"])
def test_text_can_be_read(scheme, text, ground):
    colours = schemes()[scheme]
    assert contrast(colours[text], colours[ground]) >= READABLE


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("step", range(7))
def test_figures_on_a_map_can_be_read(scheme, step):
    colours = schemes()[scheme]
    text = colours["on-weak" if step < 4 else "on-strong"]
    assert contrast(text, colours[f"heat-{step}"]) >= READABLE


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_heat_rises(scheme):
    colours = schemes()[scheme]
    steps = [contrast(colours[f"heat-{step}"], colours["paper"]) for step in range(7)]
    assert steps == sorted(steps)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("ground", ["paper", "heat-6"])
def test_marks_of_ties_are_seen_where_ties_lie(scheme, ground):
    colours = schemes()[scheme]
    assert contrast(colours["tied"], colours[ground]) >= SEEN


def test_every_colour_of_a_chart_is_one_of_the_pages():
    for scheme in schemes().values():
        assert {variable.removeprefix("--") for variable in VARIABLES.values()} <= set(scheme)


def rule(selector: str) -> str:
    """What the stylesheet says of this selector where no medium is asked for."""
    found = re.search(rf"^{re.escape(selector)} \{{([^}}]*)\}}", stylesheet(), re.MULTILINE)
    assert found, selector
    return found[1]


def test_a_wide_table_scrolls_shows_that_it_does_and_wraps_its_headings():
    assert "overflow-x: auto" in rule(".box")
    paper, shade = re.findall(
        r"linear-gradient\(.*?\)[^,;(]*(local|scroll)", rule(".box"), re.DOTALL
    )
    assert (paper, shade) == ("local", "scroll")
    assert "nowrap" not in rule("thead th") + rule(".n")
    assert "nowrap" in rule("td.n")
