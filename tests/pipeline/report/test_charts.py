"""Charts: the same bytes, the page's own colours, names as they are, and what they show said."""

import re
from xml.etree import ElementTree

import pytest

from pipeline.report.charts import Span, Spot, Step, gains, heat, intervals, profile, shares
from pipeline.report.charts.palette import HEAT, heat_step

NAME = "a $x$ & <b> 東京"


def _intervals(name: str = "a") -> str:
    return intervals(
        name, [Span(NAME, 0.1, 0.05, 0.2), Span("none", None, None, None)], title="T", axis="x"
    )


def _heat(name: str = "a") -> str:
    spots = [Spot(0, 0, 0.25, False, False), Spot(1, 0, 0.75, True, True)]
    return heat(
        name,
        spots,
        columns=[".1", ".2"],
        rows=["60"],
        title="T",
        axis=("w", "k"),
        reach=(0.25, 0.75),
    )


CHARTS = {
    "intervals": _intervals,
    "gains": lambda name="a": gains(name, [0.5, 0.0, -0.25], title="T"),
    "shares": lambda name="a": shares(name, [(NAME, 3), ("none", 1)], title="T", unit="pairs"),
    "heat": _heat,
    "profile": lambda name="a": profile(
        name,
        [Step(NAME, 0.1, 0.2, True, 0.15), Step("b", 0.1, 0.1, False, None)],
        title="T",
        axis="x",
        measure="m",
    ),
}


@pytest.mark.parametrize("chart", CHARTS.values(), ids=CHARTS)
class TestEveryChart:
    def test_is_the_same_twice(self, chart):
        assert chart() == chart()

    def test_is_well_formed_without_declarations(self, chart):
        svg = chart()
        ElementTree.fromstring(svg)
        assert "xmlns" not in svg
        assert "metadata" not in svg

    def test_has_the_pages_colours_only(self, chart):
        colours = set(re.findall(r"(?:fill|stroke): ([^;\"]+)", chart()))
        assert all(colour == "none" or colour.startswith("var(--") for colour in colours)

    def test_keeps_its_ids_to_itself(self, chart):
        ids = re.findall(r'\bid="([^"]+)"', chart("first"))
        assert all(name.startswith("first-") for name in ids)
        assert len(ids) == len(set(ids))
        for target in re.findall(r'href="#([^"]+)"|url\(#([^)]+)\)', chart("first")):
            assert (target[0] or target[1]) in ids

    def test_says_in_words_what_it_shows(self, chart):
        tree = ElementTree.fromstring(chart())
        assert tree.attrib["role"] == "img"
        assert tree.attrib["aria-labelledby"] == "a-title a-said"
        assert tree[0].text == "T"
        assert tree[1].text


def test_names_stand_as_they_are():
    text = "".join(ElementTree.fromstring(_intervals()).itertext())
    assert NAME in text


def test_an_interval_is_told_by_its_bounds():
    svg = _intervals()
    assert "+0.1000 (L +0.0500, U +0.2000)" in svg
    assert "var(--good)" in svg


@pytest.mark.parametrize(
    ("low", "high", "better", "colour"),
    [
        (0.01, 0.2, True, "good"),
        (-0.2, -0.01, True, "bad"),
        (-0.1, 0.1, True, "open"),
        (0.01, 0.2, False, "bad"),
        (-0.2, -0.01, False, "good"),
    ],
)
def test_a_gain_is_a_gain_for_measures_where_less_is_better_too(low, high, better, colour):
    middle = (low + high) / 2
    svg = intervals("a", [Span("x", middle, low, high)], title="T", axis="x", better=better)
    assert f"var(--{colour})" in svg


def test_gains_and_losses_are_counted():
    said = gains("a", [0.5, 0.0, -0.25], title="T")
    assert "3 queries: 1 above zero, 1 below, 1 at zero; from -0.2500 to +0.5000" in said


def test_a_map_marks_ties_and_the_selected_one():
    svg = _heat()
    assert "var(--tied)" in svg
    assert "★.750" in svg
    assert "1 tied" in svg


def test_steps_of_heat_go_from_the_lowest_to_the_highest():
    assert [heat_step(value, 0.0, 1.0) for value in (0.0, 0.5, 1.0)] == [0, 3, len(HEAT) - 1]
    assert heat_step(0.3, 0.3, 0.3) == len(HEAT) - 1
