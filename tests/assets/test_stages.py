"""The one table of stages: what a row says is what its function takes, gives and looks at."""

import dataclasses
import inspect
import typing
from pathlib import Path

import pytest

from assets.artifacts import ARTIFACTS
from assets.records import assign_new_queries
from assets.runner import load
from assets.stages import STAGES, TRACKING, Stage
from pipeline.appending import append_lines
from pipeline.gates.findings import Findings
from pipeline.ledger import opening_line
from pipeline.params import Params
from pipeline.report.stored import Stored
from pipeline.storage import read_json, read_lines
from tests.assets.five_queries import change_params, run_all, write_lines

# Stages that hand on most of what they read as one dataclass, and which.
GATHERED: dict[str, type] = {"decision": Findings, "report": Stored}
ROWS = pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)


@ROWS
def test_a_function_takes_what_its_row_reads(stage: Stage) -> None:
    taken = set(inspect.signature(load(stage.compute)).parameters)
    if stage.name in GATHERED:
        taken.remove("results")
        taken |= {field.name for field in dataclasses.fields(GATHERED[stage.name])}
    marks = {"branch": stage.per_branch, "cache": stage.cached}
    assert taken == {*stage.reads, "params", *(name for name, is_so in marks.items() if is_so)}


@ROWS
def test_a_function_gives_what_its_row_writes_and_a_summary(stage: Stage) -> None:
    result = typing.get_type_hints(load(stage.compute))["return"]
    assert {field.name for field in dataclasses.fields(result)} == {*stage.writes, "summary"}
    assert dataclasses.fields(result)[-1].name == "summary"


@ROWS
def test_a_stage_writes_under_its_own_name_only(stage: Stage) -> None:
    for name in stage.writes.values():
        assert Path(ARTIFACTS[name].path).parts[0] == stage.name
        assert ARTIFACTS[name].write is not None


@ROWS
def test_a_stage_reads_what_the_world_or_an_earlier_stage_wrote(stage: Stage) -> None:
    earlier = {row.name for row in STAGES[: STAGES.index(stage)]}
    stored = [ARTIFACTS[name] for name in stage.reads]
    assert {Path(each.path).parts[0] for each in stored if each.in_data} <= earlier


@ROWS
def test_its_sections_are_sections_or_keys_of_one(stage: Stage) -> None:
    for section, _, key in (name.partition(".") for name in stage.sections):
        field = Params.model_fields[section]
        keys = getattr(field.annotation, "model_fields", {})
        assert not key or key in keys


@ROWS
def test_who_reads_all_branches_is_rerun_when_one_is_removed(stage: Stage) -> None:
    if any(ARTIFACTS[name].path == "candidates" for name in stage.reads):
        assert "candidates" in stage.sections


def test_neither_sweep_nor_selection_sees_a_test_grade() -> None:
    for stage in STAGES[: [row.name for row in STAGES].index("evaluation")]:
        if stage.name in {"sweep", "selection"}:
            assert not {"test_judgments", "judgments", "pool"} & set(stage.reads)


def test_tracking_shows_every_parameter_so_it_depends_on_all() -> None:
    assert set(TRACKING.sections) == set(Params.model_fields) - {"rankgate"}
    assert TRACKING.writes == {}


ASKED = {
    "question": "not_worse",
    "production": "lexical",
    "fusion": {
        "branches": ["lexical", "semantic"],
        "missing": "past_depth",
        "minima": {"lexical": 0.0, "semantic": 0.0},
    },
    "pool": {"depth": 2, "systems": "grid"},
    "sweep": {"methods": ["rrf", "convex_tmm", "combsum", "borda", "isr"], "joint": True},
    "operations": {"timeout_ms": {"lexical": 50.0}},
    "decision": {
        "primary": {"margin": 0.0, "tolerance": 0.1},
        "latency": {"percentile": 95, "milliseconds": 100.0},
        "zero_hits": {"tolerance": 0.1},
        "cost": {"requests": {"most": 2}, "candidates": {"ratio": 3.0}},
        "degraded": {"floor": 0.1},
        "coverage": {"judged": 0.5, "gap": 0.5},
        "robust": True,
        "equal_work": True,
        "stability": True,
        "slices": {"short": {"veto": "statistical", "tolerance": 0.1}},
        "pinned": [{"query": "q4", "evidence": "a", "cutoff": 2}],
    },
    "report": {"text": True},
}


def test_a_moved_limit_chooses_and_measures_nothing_again() -> None:
    looking = {stage.name for stage in STAGES if "decision" in stage.sections}
    assert looking == {"decision", "report"}


def test_its_sections_are_enough_where_folds_choose_for_themselves(new_study: Path) -> None:
    queries = new_study / "data" / "collections" / "five" / "queries.jsonl"
    lines = [{k: v for k, v in line.items() if k != "split"} for line in read_lines(queries)]
    write_lines(queries, lines)
    splits = {"protocol": "crossfit", "folds": 2, "independent": True}
    folder = change_params(new_study, **ASKED, splits=splits)
    (folder.data / "sides.jsonl").write_text("")
    assign_new_queries(folder)
    run_all(folder)
    selection = read_json(folder.data / "selection" / "selection.json")
    line = opening_line(selection, opened_at="2026-01-01T00:00:00+00:00")
    append_lines(folder.data / "ledger.jsonl", [line])
    run_all(folder, first="selection")
    assert set(read_json(folder.data / "selection" / "selection.json")["folds"]) == {"0", "1"}
    assert read_json(folder.data / "decision" / "decision.json")["word"] != "sealed"


def test_its_sections_are_enough_where_everything_is_asked(new_study: Path) -> None:
    folder = change_params(new_study, **ASKED)
    run_all(folder)
    sealed = read_json(folder.data / "decision" / "decision.json")
    selection = read_json(folder.data / "selection" / "selection.json")
    line = opening_line(selection, opened_at="2026-01-01T00:00:00+00:00")
    append_lines(folder.data / "ledger.jsonl", [line])
    run_all(folder, first="selection")
    opened = read_json(folder.data / "decision" / "decision.json")
    assert sealed["word"] == "sealed" != opened["word"]
    for decision in (sealed, opened):
        assert {"latency", "degraded", "coverage", "slices"} <= {
            gate["gate"] for gate in decision["gates"]
        }
