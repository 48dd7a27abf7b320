"""The page: every section for every kind of study, escaped, offline, the same bytes."""

import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import polars as pl
import pytest

from pipeline.params import LatencyLimit
from pipeline.report.sections import SECTIONS
from tests.pipeline.report.conftest import KINDS
from tests.pipeline.report.small_study import PASSAGE, SCRIPT, SECRET, page

VOID = {"meta", "br"}
FIRST = [
    "baselines",
    "queries",
    "sensitivity",
    "slices",
    "diagnosis",
    "equal-work",
    "systems",
    "unjudged",
    "coverage",
]
LAST = [
    "complementarity",
    "degraded",
    "authorization",
    "metamorphic",
    "latency",
    "splits",
    "measures",
    "fusion",
]
SHOWN = [*FIRST, *LAST, "gates", "inputs"]


class Outline(HTMLParser):
    """What a browser or a screen reader goes by: ids, headings, tables, unclosed elements."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.open: list[str] = []
        self.headings: list[str] = []
        self.attributes: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.attributes.append((tag, attributes))
        self.ids += [attributes["id"]] if "id" in attributes else []
        self.headings += [tag] if re.fullmatch(r"h\d", tag) else []
        self.open += [] if tag in VOID else [tag]

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("kind", KINDS)
class TestEveryKindOfStudy:
    def test_is_the_same_of_what_was_stored_as_of_what_is_in_memory(self, studies, pages, kind):
        inputs = studies(kind)
        stored = {
            name: json.loads(json.dumps(found, sort_keys=True))
            for name, found in inputs.items()
            if isinstance(found, dict)
        }
        assert page(inputs, **stored).html == pages(kind).html

    def test_has_every_section(self, pages, kind):
        outline = Outline(pages(kind).html)
        assert len(SECTIONS) == len(SHOWN)
        assert [name for name in outline.ids if name in SHOWN] == SHOWN

    def test_is_well_formed_and_every_id_is_one(self, pages, kind):
        outline = Outline(pages(kind).html)
        assert outline.open == []
        assert len(outline.ids) == len(set(outline.ids))

    def test_asks_nothing_of_a_network_or_of_a_script(self, pages, kind):
        html = pages(kind).html
        assert "http:" not in html
        assert "https:" not in html
        assert "<script" not in html
        found = re.findall(r'(?:src|href|action|data|poster)="([^"]*)"|url\(([^)]*)\)', html)
        assert {target[:1] for pair in found for target in pair if target} == {"#"}
        assert "@import" not in html
        assert "default-src 'none'" in html  # and the browser refuses what would slip through

    def test_can_be_read_by_ear(self, pages, kind):
        outline = Outline(pages(kind).html)
        assert outline.headings[0] == "h1"
        assert set(outline.headings[1:]) == {"h2"}
        for tag, attributes in outline.attributes:
            assert tag != "svg" or attributes["role"] == "img"
            assert tag != "th" or attributes["scope"] in {"col", "row"}
            for named in (attributes.get("aria-labelledby") or "").split():
                assert named in outline.ids

    def test_shows_text_only_where_it_is_switched_on(self, pages, kind):
        html = pages(kind).html
        shown = kind == "text shown"
        assert (PASSAGE in html) == shown
        assert ("cache` cold &amp; slow?" in html) == shown

    def test_says_the_word_before_anything_else(self, studies, pages, kind):
        report = pages(kind)
        word = studies(kind)["decision"]["word"]
        assert report.summary["word"] == word
        body = report.html[report.html.index("<body>") :]
        assert body.index(f'id="word">{word}<') < body.index('id="reasons"') < body.index("<nav")


def test_text_and_ids_are_text_and_never_markup(pages):
    html = pages("text shown").html
    assert SCRIPT not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert re.search(r"q\d\d&lt;i&gt;", html)
    assert re.search(r"d\d\d&lt;b&gt;", html)
    assert "short &lt;u&gt;" in html  # in a table and in a chart
    assert not re.search(r"<[ibu]>", html.replace("<b>small</b>", ""))


def test_text_is_shown_in_the_tables_of_gains_and_losses(pages):
    html = pages("text shown").html
    assert '<th scope="col">text</th>' in html
    assert SECRET.split("`")[0].strip() in html


def test_a_sealed_study_shows_dev_only_and_says_so(studies, pages):
    inputs, html = studies("sealed"), pages("sealed").html
    assert "the test is sealed" in html
    assert "Means on dev" in html
    assert "Means on test" not in html
    test = inputs["splits"].filter(pl.col("split") == "test")["query_id"]
    shown = html[html.index('id="queries"') : html.index('id="sensitivity"')]
    assert not [name for name in test if name.replace("<", "&lt;").replace(">", "&gt;") in shown]


def test_an_opened_study_shows_the_test_first(pages):
    html = pages("opened").html
    assert html.index("on test: the selected configuration") < html.index(
        "on dev: the selected configuration"
    )
    assert "first selection on this test set" in html


def test_equal_work_is_shown_after_a_recorded_reranker_too(pages):
    html = pages("reranked").html
    for said in ("fusion at D/B, reranked", "branch at the summed depth, reranked"):
        assert said in html
        assert said not in pages("three branches").html


def test_a_later_opening_shows_its_level(studies):
    inputs = studies("opened")
    decision = {**inputs["decision"], "openings": {"opening": 3, "alpha": 0.0034}}
    html = page(inputs, decision=decision).html
    assert "selection 3 on this test set" in html
    assert "alpha 0.0034" in html


def test_without_judgments_says_what_to_judge(pages):
    html = pages("no judgments").html
    assert "<code>rankgate judge export --assessor NAME</code>" in html
    assert "no judged query compares it" in html


def test_without_a_dev_side_nothing_was_tuned(pages):
    assert "No configuration was swept" in pages("no dev").html


def test_without_a_selection_claims_nothing(studies):
    inputs = studies("no judgments")
    decision = {**inputs["decision"], "selected": None}
    selection = {**inputs["selection"], "configuration": None, "contract": None}
    html = page(inputs, decision=decision, selection=selection).html
    assert "Nothing could be selected" in html
    assert "nothing is fused" in html


def test_crossfit_lists_what_was_chosen_without_each_fold(pages):
    assert "Crossfit: what was chosen without each fold" in pages("crossfit").html


def test_a_leak_stands_in_the_first_screen_before_other_reasons(pages):
    html = pages("tenants").html
    reasons = html[html.index('id="reasons"') : html.index("</ul>")]
    assert reasons.index("authorization") < reasons.index("primary")
    assert "another tenant&#39;s" in html


def test_every_table_of_measures_says_how_they_came_about(pages):
    html = pages("opened").html
    said = "How measured: order "
    assert "words by score, id descending; fused by score, best rank, id ascending" in html
    assert "gain the grade; relevant from 1 of 0 to 2" in html
    assert "unjudged irrelevant here, bounded elsewhere (pooled)" in html
    assert "queries in the means, left out 0 unanswerable, 0 nothing relevant found" in html
    assert html.count('class="note"') < 2 * html.count(said)


def test_the_words_behind_the_line_stand_once(pages):
    html = pages("opened").html
    for said in ("Macro means over queries.", "The ideal list of nDCG", "cluster-robust t"):
        assert html.count(said) == 1


def test_intervals_stand_with_number_unit_seed_and_rule_of_their_draws(pages):
    html = pages("opened").html
    assert "200 samples of whole query groups, with replacement, seeded by 7, side," in html
    assert "A bound is an order statistic: the outer neighbour" in html


def test_the_contract_and_the_hashes_are_printed_whole(studies, pages):
    inputs, html = studies("opened"), pages("opened").html
    for said in ("ties", "steps", "sum", "representative", "weight_zero", "formula"):
        assert inputs["selection"]["contract"][said].replace("'", "&#39;") in html
    for part in ("selection", "test_set"):
        assert inputs["decision"]["hashes"][part] in html
    assert inputs["manifest"]["hashes"]["collection"] in html


def test_times_are_shown_or_asked_for(studies, pages):
    inputs = studies("opened")
    assert "is recorded, so it cannot be timed here" in pages("opened").html
    html = page(inputs, latency=times(inputs)).html
    for said in (
        ">p95<",
        ">12.5 [11, 14]<",
        ">search of words<",
        ">80.5 [70, 90]<",
        ">33.5 [30, 35]<",
    ):
        assert said in html
    assert ">900<" in html


def times(inputs):
    rows = [
        ("selected", "end_to_end", "warm", 1, 95, 12.5, 11.0, 14.0, 200),
        ("selected", "search:words", "warm", 1, 95, 7.25, 7.0, 8.0, 200),
        ("selected", "end_to_end", "warm", 16, 95, 80.5, 70.0, 90.0, 200),
        ("selected", "start", "cold", 1, 50, 900.0, None, None, 20),
        ("words", "end_to_end", "recorded", None, 95, 33.5, 30.0, 35.0, 200),
    ]
    return pl.DataFrame(rows, schema=inputs["latency"].schema, orient="row")


def test_ratios_stand_with_their_bounds(studies):
    inputs = studies("opened")
    ratios = pl.DataFrame(
        [("selected", "words", "end_to_end", "warm", 1, 95, 2.5, 2.25, 2.75, 200)],
        schema=inputs["latency_ratios"].schema,
        orient="row",
    )
    assert ">2.5 [2.25, 2.75]<" in page(inputs, latency_ratios=ratios).html


def test_what_a_query_asks_for_is_shown_of_recorded_runs_too(pages):
    html = pages("opened").html
    for said in ("requests to indexes", "candidates returned", "documents fetched"):
        assert said in html


def test_depth_is_drawn_against_candidates_and_against_time(studies, pages):
    inputs, html = studies("opened"), pages("opened").html
    assert inputs["depths"]["depth"].n_unique() > 1
    assert 'id="depth-candidates-title"' in html
    assert 'id="depth-p95-title"' not in html  # recorded branches are not timed here
    timed = inputs["depths"].with_columns(
        p50=pl.lit(4.0),
        p95=pl.col("depth").cast(pl.Float64),
        p95_low=pl.lit(1.0),
        p95_high=pl.lit(9.0),
    )
    assert 'id="depth-p95-title"' in page(inputs, depths=timed).html


@pytest.mark.parametrize(
    ("limit", "drawn"),
    [
        ({"milliseconds": 7.5}, True),
        ({"milliseconds": 7.5, "percentile": 50}, False),
        ({"milliseconds": 7.5, "callers": 4}, False),
        ({"ratio": 2.0}, False),
    ],
)
def test_the_declared_limit_is_drawn_where_it_is_of_the_percentile_that_is_drawn(
    studies, limit, drawn
):
    inputs = studies("opened")
    of = inputs["params"]
    decision = of.decision.model_copy(update={"latency": LatencyLimit(**limit)})
    costs = {name: pl.lit(9.0) for name in ("p95_low", "p95_high")}
    timed = inputs["depths"].with_columns(p95=pl.col("depth").cast(pl.Float64), **costs)
    html = page(inputs, depths=timed, params=of.model_copy(update={"decision": decision})).html
    assert ("the limit is 7.5" in html) is drawn
    assert ("the dashed line the declared limit" in html) is drawn


def test_rows_in_another_order_give_the_same_bytes(studies, pages):
    inputs = studies("three branches")
    turned = {
        name: frame.reverse() for name, frame in inputs.items() if isinstance(frame, pl.DataFrame)
    }
    assert page(inputs, **turned).html == pages("three branches").html


def test_matplotlib_is_not_loaded_before_a_chart_is_drawn():
    code = "import sys, pipeline.report; sys.exit('matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).parents[3])
