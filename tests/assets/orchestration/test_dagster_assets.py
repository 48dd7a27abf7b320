"""Dagster's assets and checks: made from the rows, run by DVC, told once for each version."""

import shutil
from pathlib import Path
from typing import Any

import dagster as dg
import pytest
import yaml

from assets.definitions import definitions, studies
from assets.folder import StudyFolder
from assets.lock import data_versions, targets
from assets.orchestration.chain import PREPARE
from assets.orchestration.instance import study_instance
from assets.orchestration.pages import gate_results, page
from assets.results import Results
from assets.stages import STAGES
from assets.tracking.dagster_events import DATA_VERSION_TAG, report_assets
from pipeline.errors import ParameterError
from pipeline.gates import GATES
from pipeline.storage import read_json, write_json, write_text
from tests.assets.five_queries import change_params

DECISION = dg.AssetKey(["five", "decision"])


@pytest.fixture(scope="module")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Dagster home with nothing in it: making its databases takes a second."""
    root = tmp_path_factory.mktemp("home")
    with study_instance(root):
        return root / ".dagster"


@pytest.fixture
def study(study: Path, empty_home: Path) -> Path:
    """A copy of the finished study, which Dagster knows nothing of."""
    shutil.copytree(empty_home, study / ".dagster")
    return study


def chain_of(root: Path) -> dg.AssetsDefinition:
    (chain,) = definitions(root).assets or []
    assert isinstance(chain, dg.AssetsDefinition)
    return chain


def names_of(chain: dg.AssetsDefinition) -> set[str]:
    return {spec.key.to_user_string() for spec in chain.specs}


def materialize(root: Path, *names: str, prepare: bool = False) -> dg.ExecuteInProcessResult:
    """Materializes `stage` or `stage/branch`, everything without one, as a click would."""
    job = definitions(root).resolve_job_def("five_study")
    with study_instance(root) as instance:
        return job.execute_in_process(
            asset_selection=[dg.AssetKey(["five", *name.split("/")]) for name in names] or None,
            instance=instance,
            raise_on_error=False,
            tags={PREPARE: "yes" if prepare else ""},
        )


def drop_branch(root: Path, name: str) -> None:
    path = root / "params.yaml"
    content = yaml.safe_load(path.read_text("utf-8"))
    del content["candidates"][name]
    write_text(path, yaml.safe_dump(content, sort_keys=False))


def versions_told(root: Path) -> dict[tuple[str, ...], list[str]]:
    """Stage, or stage and branch, to the data versions of its events, newest first."""
    told = {}
    with study_instance(root) as instance:
        for key in targets(StudyFolder(root)):
            records = instance.fetch_materializations(dg.AssetKey(["five", *key]), limit=9).records
            events = [record.asset_materialization for record in records]
            told[key] = [event.tags[DATA_VERSION_TAG] for event in events if event]
    return told


def times_checked(root: Path, gate: str) -> int:
    key = dg.AssetCheckKey(DECISION, gate)
    with study_instance(root) as instance:
        storage = instance.event_log_storage
        return len(storage.get_asset_check_execution_history(key, limit=9))


def stored_decision(root: Path, **gates: dict[str, Any]) -> dict[str, Any]:
    """The study's decision with some gates' records changed."""
    decision: dict[str, Any] = read_json(root / "data" / "decision" / "decision.json")
    decision["gates"] = [gate | gates.get(gate["gate"], {}) for gate in decision["gates"]]
    return decision


def test_every_row_is_an_asset_with_its_question(study: Path) -> None:
    specs = {spec.key.to_user_string(): spec for spec in chain_of(study).specs}
    assert set(specs) == {f"five/{'/'.join(key)}" for key in targets(StudyFolder(study))}
    for stage in STAGES:
        spec = specs[f"five/{stage.name}" + ("/lexical" if stage.per_branch else "")]
        assert (spec.description, spec.group_name) == (stage.question, "five")


def test_an_asset_depends_on_the_stages_whose_files_it_reads(study: Path) -> None:
    specs = {spec.key.path[-1]: spec for spec in chain_of(study).specs}
    assert {dep.asset_key.path[-1] for dep in specs["lexical"].deps} == {"snapshot"}
    assert {dep.asset_key.path[-1] for dep in specs["sweep"].deps} == {
        "snapshot",
        "splits",
        "lexical",
        "semantic",
    }


def test_every_gate_is_a_check_of_the_decision_and_blocks_nothing(study: Path) -> None:
    checks = list(chain_of(study).check_specs)
    assert {check.name for check in checks} == set(GATES)
    assert all(check.asset_key == DECISION and not check.blocking for check in checks)


def test_a_branch_that_is_declared_no_longer_is_no_asset(study: Path) -> None:
    drop_branch(study, "semantic")
    assert "five/candidates/lexical" in names_of(chain_of(study))
    assert "five/candidates/semantic" not in names_of(chain_of(study))


def test_a_dotted_branch_is_an_asset(study: Path) -> None:
    change_params(study, candidates={"smith.bm25": {"kind": "recorded", "run": "lexical"}})
    (key,) = [key for key in targets(StudyFolder(study)) if key[-1] == "smith.bm25"]
    assert targets(StudyFolder(study))[key] == "candidates@smith.bm25"
    assert dg.AssetKey(["five", *key]) in chain_of(study).keys


def test_two_studies_of_one_name_are_refused(study: Path) -> None:
    other = study / "studies" / "five"
    write_text(other / "params.yaml", (study / "params.yaml").read_text("utf-8"))
    with pytest.raises(ParameterError, match=r"studies/five.*same name"):
        studies(study)


def test_a_second_study_of_the_repository_is_shown_beside_the_first(study: Path) -> None:
    other = study / "studies" / "six"
    write_text(other / "params.yaml", (study / "params.yaml").read_text("utf-8"))
    change_params(other, study="six")
    found = definitions(study)
    assert {job.name for job in found.resolve_all_job_defs()} >= {"five_study", "six_study"}


def test_the_word_hold_is_a_failed_check(study: Path) -> None:
    decision = stored_decision(study, primary={"status": "fail", "reason": "B loses"})
    checks = {check["check_name"]: check for check in gate_results("five", decision)}
    assert set(checks) == set(GATES)
    assert not checks["primary"]["passed"]
    assert checks["primary"]["severity"] is dg.AssetCheckSeverity.ERROR
    assert checks["primary"]["description"] == "B loses"


@pytest.mark.parametrize(
    ("status", "passed"),
    [
        ("pass", True),
        ("not_applicable", True),
        ("unresolved", False),
        ("not_measured", False),
    ],
)
def test_what_is_not_known_is_a_warning_and_no_success(
    study: Path, status: str, passed: bool
) -> None:
    decision = stored_decision(study, primary={"status": status})
    (check,) = [c for c in gate_results("five", decision) if c["check_name"] == "primary"]
    assert check["passed"] is passed
    assert check["severity"] is dg.AssetCheckSeverity.WARN


def test_a_gate_nobody_asked_for_says_so(study: Path) -> None:
    checks = {c["check_name"]: c for c in gate_results("five", stored_decision(study))}
    assert checks["latency"]["passed"]
    assert "no limit" in checks["latency"]["description"]


def test_a_summary_becomes_figures_and_a_table() -> None:
    shown = page(
        {
            "queries": 5,
            "best": 0.25,
            "nothing": None,
            "sides": {"dev": 3},
            "table": {"columns": ["a|b", "c"], "rows": [["x", 0.123456], [None, "two\nlines"]]},
        }
    )
    assert (shown["queries"], shown["best"]) == (5, 0.25)
    assert shown["sides"].value == {"dev": 3}
    assert "nothing" not in shown
    assert shown["table"].value.splitlines() == [
        "| a\\|b | c |",
        "| --- | --- |",
        "| x | 0.1235 |",
        "|  | two lines |",
    ]


def test_under_a_table_of_values_stands_how_they_were_measured(study: Path) -> None:
    results = Results(StudyFolder(study))
    for stage in ("sweep", "selection", "evaluation", "decision"):
        how = results.how_measured((stage,))
        assert how.startswith("How measured: order ")
        assert "unjudged" in how
        shown = page(results.summary((stage,)), stage, how)
        assert shown["table"].value.splitlines()[-1] == how
    assert "queries in the means" in results.how_measured(("evaluation",))
    assert results.how_measured(("snapshot",)) == ""


def test_a_terminal_run_is_told_once_for_each_new_version(study: Path) -> None:
    report_assets(StudyFolder(study))
    report_assets(StudyFolder(study))
    locked = data_versions(StudyFolder(study))
    assert versions_told(study) == {key: [version] for key, version in locked.items()}
    assert times_checked(study, "primary") == 1


def test_only_what_has_a_new_version_is_told_again(study: Path) -> None:
    report_assets(StudyFolder(study))
    lock = study / "dvc.lock"
    before = lock.read_text("utf-8")
    old = data_versions(StudyFolder(study))[("decision",)]
    write_text(lock, before.replace(old, "0" * 32 + ".dir"))
    report_assets(StudyFolder(study))
    write_text(lock, before)
    report_assets(StudyFolder(study))
    told = versions_told(study)
    assert told[("decision",)] == [old, "0" * 32 + ".dir", old]
    assert {len(versions) for key, versions in told.items() if key != ("decision",)} == {1}
    assert times_checked(study, "primary") == 3


def test_one_asset_runs_its_stage_through_dvc_and_shows_what_it_wrote(study: Path) -> None:
    before = data_versions(StudyFolder(study))
    change_params(study, seed=11)
    done = materialize(study, "selection")
    assert done.success
    (event,) = done.get_asset_materialization_events()
    shown = event.step_materialization_data.materialization
    now = data_versions(StudyFolder(study))
    assert {key for key in now if now[key] != before[key]} <= {("selection",)}
    assert (shown.tags or {})[DATA_VERSION_TAG] == now[("selection",)]
    summary = read_json(study / "data" / "selection" / "summary.json")
    assert set(shown.metadata) >= set(page(summary))
    lock = yaml.safe_load((study / "dvc.lock").read_text("utf-8"))["stages"]
    assert lock["selection"]["params"]["params.yaml"]["seed"] == 11
    assert lock["evaluation"]["params"]["params.yaml"]["seed"] == 7


def test_a_failing_stage_is_red_with_its_reason(study: Path) -> None:
    write_text(study / "data" / "sides.jsonl", '{"query_id": "q1"}\n')
    done = materialize(study, "splits")
    assert not done.success
    (failure,) = [event for event in done.all_events if event.is_step_failure]
    shown = failure.step_failure_data.user_failure_data
    assert shown is not None
    assert "sides.jsonl" in str(shown.description)


@pytest.mark.slow
def test_what_was_done_before_a_failure_is_not_red(study: Path) -> None:
    write_json(study / "data" / "collections" / "five" / "note.json", {})
    write_text(study / "data" / "sides.jsonl", '{"query_id": "q1"}\n')
    done = materialize(study, "snapshot", "splits")
    told = {e.asset_key.path[-1] for e in done.get_asset_materialization_events() if e.asset_key}
    assert not done.success
    assert told == {"snapshot"}


def only_checks(root: Path) -> dg.ExecuteInProcessResult:
    """Executes the decision's checks alone, as Dagster's `Execute` button does."""
    selection = dg.AssetSelection.checks_for_assets(DECISION)
    job = definitions(root).resolve_implicit_job_def_def_for_assets([DECISION])
    assert job is not None
    with study_instance(root) as instance:
        return job.get_subset(
            asset_check_selection=selection.resolve_checks(job.asset_layer.asset_graph)
        ).execute_in_process(instance=instance, raise_on_error=False)


@pytest.mark.slow
def test_checks_alone_are_of_the_stored_decision_for_these_inputs_only(study: Path) -> None:
    before = (study / "dvc.lock").read_bytes()
    done = only_checks(study)
    assert done.success
    assert {check.check_name for check in done.get_asset_check_evaluations()} == set(GATES)
    assert not done.get_asset_materialization_events()
    assert (study / "dvc.lock").read_bytes() == before
    change_params(study, question="not_worse")
    assert not only_checks(study).success


@pytest.mark.slow
def test_branches_that_changed_since_loading_ask_for_a_reload(study: Path) -> None:
    loaded = definitions(study)
    drop_branch(study, "semantic")
    with study_instance(study) as instance:
        done = loaded.resolve_job_def("five_study").execute_in_process(
            instance=instance, raise_on_error=False
        )
    (failure,) = [event for event in done.all_events if event.is_step_failure]
    assert "Reload definitions" in str(failure.step_failure_data.user_failure_data)
