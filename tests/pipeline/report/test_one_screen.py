"""One screen for a product manager, in three forms."""

import polars as pl
import pytest

from pipeline.report.one_screen import one_screen
from pipeline.report.reference import reference
from pipeline.report.renderers import RENDERERS
from tests.pipeline.report.conftest import KINDS
from tests.pipeline.report.small_study import PASSAGE, SCRIPT

READS = ("decision", "evaluation_summary", "per_query", "latency", "queries", "params")


def screen_of(inputs, **changes):
    return one_screen(**{name: inputs[name] for name in READS} | changes)


@pytest.mark.parametrize("form", RENDERERS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_study_has_a_screen_in_every_form(studies, kind, form):
    inputs = studies(kind)
    said = RENDERERS[form](screen_of(inputs))
    word = inputs["decision"]["word"]
    assert (word if form == "html" else word.upper()) in said
    assert said.endswith("\n")
    assert SCRIPT not in said or (form, kind) == ("text", "text shown")
    assert PASSAGE not in said


def test_tells_the_word_the_tally_the_cost_and_what_to_do(studies):
    inputs = studies("opened")
    screen = screen_of(inputs)
    row = reference(inputs["decision"], {"words": {}, "vectors": {}})
    queries = row["wins"] + row["losses"] + row["ties"]
    assert screen.tally.startswith(f"Of {queries} test queries: {row['wins']} better")
    assert screen.cost[0].startswith("selected: 2 searches per query, up to 20 documents")
    assert screen.change == tuple(inputs["decision"]["next"])


def test_names_two_that_gained_and_two_that_lost_by_id(studies):
    screen = screen_of(studies("opened"))
    assert 0 < len(screen.gained) <= 2
    assert all(one.delta > 0 and not one.text for one in screen.gained)
    assert all(one.delta < 0 for one in screen.lost)


def test_shows_their_text_where_it_is_switched_on(studies):
    screen = screen_of(studies("text shown"))
    assert all(SCRIPT in one.text for one in (*screen.gained, *screen.lost))
    assert "&lt;script&gt;" in RENDERERS["html"](screen)
    assert "\\`cache\\`" in RENDERERS["markdown"](screen)


def test_fits_a_terminal(studies):
    lines = RENDERERS["text"](screen_of(studies("opened"))).splitlines()
    assert max(map(len, lines)) <= 80
    assert len(lines) <= 40


@pytest.mark.parametrize("form", ["text", "markdown", "html"])
def test_how_it_was_measured_stands_there(studies, form):
    said = " ".join(RENDERERS[form](screen_of(studies("opened"))).split())
    assert "fused by score, best rank, id ascending" in said
    assert "relevant from 1 of 0 to " in said
    assert "queries in the means" in said


def test_a_terminal_is_told_nothing_to_obey(studies):
    inputs = studies("opened")
    rows = inputs["per_query"].with_columns(pl.col("query_id") + "\x1b[2J\nq")
    written = RENDERERS["text"](screen_of(inputs, per_query=rows))
    assert "\x1b" not in written
    assert r"\x1b[2J\nq" in written


def test_an_id_with_backticks_stays_code_in_markdown(studies):
    inputs = studies("opened")
    rows = inputs["per_query"].with_columns(pl.col("query_id") + "``x")
    assert "``x ```" in RENDERERS["markdown"](screen_of(inputs, per_query=rows))


def test_an_id_of_several_lines_stays_code_in_markdown(studies):
    inputs = studies("opened")
    rows = inputs["per_query"].with_columns(pl.col("query_id") + "\n\n<img src=x>")
    written = RENDERERS["markdown"](screen_of(inputs, per_query=rows))
    assert r"\n\n<img src=x>` " in written
    assert "\n<img" not in written


def test_times_stand_beside_those_of_the_baseline(studies):
    inputs = studies("opened")
    rows = [_time("selected", 12.5), _time("words", 5.0), _time("vectors", 5.0)]
    latency = pl.DataFrame(rows, schema=inputs["latency"].schema, orient="row")
    assert "time: p95 12.5 ms warm" in screen_of(inputs, latency=latency).cost[-1]
    assert "alone 5 ms" in screen_of(inputs, latency=latency).cost[-1]


def _time(system, milliseconds):
    return (system, "end_to_end", "warm", 1, 95, milliseconds, None, None, 200)


def test_a_sealed_screen_is_about_dev_and_says_so(studies):
    said = RENDERERS["text"](screen_of(studies("sealed")))
    assert said.startswith("SEALED")
    assert "dev queries" in said
    assert "test queries" not in said
    assert "`rankgate open`" in said
