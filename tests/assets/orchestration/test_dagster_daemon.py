"""A study under the real daemon and web server, as `rankgate ui dagster` starts them.

One server for the whole file: the tests tell one day of a study, in order, and each waits for the
runs that it caused. The daemon's clock decides when something happens, never whether it is right.
"""

import json
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from assets.artifacts import ARTIFACTS
from assets.folder import StudyFolder
from assets.freshness import stale_stages
from assets.lock import targets
from assets.orchestration.pictures import PICTURES
from assets.processes import DVC, environment
from assets.records import LEDGER
from pipeline.appending import append_lines
from pipeline.ledger import opening_line
from pipeline.storage import read_json, write_text
from tests.assets.commands.test_ui_command import CHECKOUT, free_port
from tests.assets.five_queries import change_params

pytestmark = pytest.mark.slow

T = TypeVar("T")

ROUND = Path("data/collections/five/judgments/first.jsonl")
PATIENCE_SECONDS = 900  # only so that a hang ends
ENDED = {"SUCCESS", "FAILURE", "CANCELED"}
WHERE = {"repositoryName": "__repository__", "repositoryLocationName": "definitions.py"}

RUNS = """query { runsOrError { ... on Runs { results {
    runId status jobName tags { key value } } } } }"""
LAUNCH = """mutation ($params: ExecutionParams!) { launchRun(executionParams: $params) {
    __typename ... on LaunchRunSuccess { run { runId } } ... on PythonError { message } } }"""
TOLD = """query ($run: ID!) { runOrError(runId: $run) { ... on Run {
    stepStats { stepKey status }
    assetMaterializations { assetKey { path } metadataEntries { label
        ... on MarkdownMetadataEntry { mdStr } } }
    eventConnection { events { __typename
        ... on AssetCheckEvaluationEvent { evaluation {
            checkName success severity description } }
        ... on ExecutionStepFailureEvent { error { message }
            failureMetadata { description } } } } } } }"""
SENSOR = """query ($which: SensorSelector!) { sensorOrError(sensorSelector: $which) {
    ... on Sensor { sensorState { status ticks(limit: 9) { status cursor } } } } }"""
START = """mutation ($which: ScheduleSelector!) { startSchedule(scheduleSelector: $which) {
    ... on ScheduleStateResult { scheduleState { id status } } } }"""
STOP = """mutation ($id: String!) { stopRunningSchedule(id: $id) {
    ... on ScheduleStateResult { scheduleState { status ticks(limit: 9) { status } } } } }"""


@dataclass(frozen=True)
class Page:
    """Dagster's page of the study, spoken to as the browser does."""

    root: Path
    port: int

    def ask(self, query: str, **variables: Any) -> Any:
        """The answer to one GraphQL request."""
        body = json.dumps({"query": query, "variables": variables}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/graphql", body, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=PATIENCE_SECONDS) as answer:
            told = json.load(answer)
        assert "errors" not in told, told
        return told["data"]

    def runs(self, tag: str = "") -> list[dict[str, Any]]:
        """All runs, or those with a tag; the newest first."""
        found = self.ask(RUNS)["runsOrError"]["results"]
        return [run for run in found if not tag or tag in {t["key"] for t in run["tags"]}]

    def finished(self, run: str) -> str:
        """How a run ended, once it did."""

        def ended() -> str:
            (status,) = [each["status"] for each in self.runs() if each["runId"] == run]
            return status if status in ENDED else ""

        return wait_for(ended)

    def is_quiet(self) -> bool:
        """Whether every run that was started has ended."""
        return {run["status"] for run in self.runs()} <= ENDED

    def after(self, change: Callable[[], object]) -> dict[str, Any]:
        """Changes the collection; the run that the sensor starts for it, ended."""
        known = {run["runId"] for run in self.runs("dagster/sensor_name")}
        change()

        def new() -> list[str]:
            now = [run["runId"] for run in self.runs("dagster/sensor_name")]
            return [run for run in now if run not in known]

        (run,) = wait_for(new)
        return {"status": self.finished(run)} | self.ask(TOLD, run=run)["runOrError"]


def wait_for(look: Callable[[], T]) -> T:
    """What `look` finds, once it finds something."""
    end = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.5)
    raise TimeoutError(f"nothing in {PATIENCE_SECONDS} s")


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory, finished: Path) -> Path:
    """The finished study, its test just opened and a gate declared that it fails: nothing rerun."""
    root = Path(shutil.copytree(finished, tmp_path_factory.mktemp("daemon") / "five"))
    change_params(root, decision={"coverage": {"judged": 0.99}}, tracking={"children": 1})
    selection = ARTIFACTS["selection"].read(StudyFolder(root), None)
    line = opening_line(selection, opened_at="2026-01-02T03:04:05+00:00")
    append_lines(root / LEDGER, [line])
    return root


@pytest.fixture(scope="module")
def by_hand(opened: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same study, reproduced in a terminal."""
    root = Path(shutil.copytree(opened, tmp_path_factory.mktemp("by_hand") / "five"))
    subprocess.run(
        [*DVC, "repro", "report"], cwd=root, env=environment(), capture_output=True, check=True
    )
    return root


@pytest.fixture(scope="module")
def page(opened: Path) -> Iterator[Page]:
    """The study served; ended as a person ends it."""
    port = free_port()
    variables = environment() | {
        "RANKGATE_SECONDS_BETWEEN_LOOKS": "1",
        "RANKGATE_SCHEDULE": "* * * * *",
        "DAGSTER_GRPC_TIMEOUT_SECONDS": str(PATIENCE_SECONDS),  # between Dagster's own processes
        "DAGSTER_REPOSITORY_GRPC_TIMEOUT_SECONDS": str(PATIENCE_SECONDS),
    }
    command = ["-m", "assets", "--study", str(opened), "ui", "dagster", "--port", str(port)]
    said = opened.parent / "said.txt"
    with said.open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, *command], cwd=CHECKOUT, env=variables, stdout=log, stderr=log
        )
    try:
        served = Page(opened, port)
        wait_for(lambda: _is_up(served, server, said))
        yield served
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=PATIENCE_SECONDS) == 0
    wait_for(lambda: not _processes_of(opened))  # the last of them may still be ending


def _is_up(served: Page, server: "subprocess.Popen[bytes]", said: Path) -> bool:
    """Whether the page answers and the sensor has looked once."""
    assert server.poll() is None, said.read_text("utf-8")[-3000:]
    try:
        which = {**WHERE, "sensorName": "five_corpus"}
        sensor = served.ask(SENSOR, which=which)["sensorOrError"].get("sensorState")
    except OSError:
        return False
    return bool(sensor) and any(tick["cursor"] for tick in sensor["ticks"])


def _processes_of(root: Path) -> list[str]:
    """What still runs with this study's Dagster home."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if f"DAGSTER_HOME={root.resolve()}".encode() in (place / "environ").read_bytes():
                found.append((place / "cmdline").read_text("utf-8").replace("\0", " "))
        except OSError:
            continue
    return [command for command in found if command]


@pytest.fixture(scope="module")
def clicked(page: Page) -> str:
    """Everything materialized by a click; the run's id."""
    keys = [["five", *key] for key in targets(StudyFolder(page.root))]
    selector = {**WHERE, "jobName": "__ASSET_JOB", "assetSelection": [{"path": k} for k in keys]}
    params = {"selector": selector, "mode": "default", "runConfigData": "{}"}
    launched = page.ask(LAUNCH, params=params)["launchRun"]
    assert launched["__typename"] == "LaunchRunSuccess", launched
    return str(launched["run"]["runId"])


@pytest.fixture(scope="module")
def scheduled(page: Page, clicked: str) -> dict[str, Any]:
    """The first run of the schedule, behind the click's; it is switched on for that long.

    From then on only what a test does starts a run: no file changes while it is looked at.
    """
    which = {**WHERE, "scheduleName": "five_nightly"}
    state = page.ask(START, which=which)["startSchedule"]["scheduleState"]
    assert state["status"] == "RUNNING"
    wait_for(lambda: page.runs("dagster/schedule_name"))

    def is_off() -> bool:
        """Said until all is quiet: the first tick ends with writing back the state it began in."""
        stopped = page.ask(STOP, id=state["id"])["stopRunningSchedule"]["scheduleState"]
        ticks = {tick["status"] for tick in stopped["ticks"]}
        return stopped["status"] == "STOPPED" and "STARTED" not in ticks and page.is_quiet()

    wait_for(is_off)
    (*_, first) = page.runs("dagster/schedule_name")
    return first


@pytest.fixture(scope="module")
def materialized(page: Page, clicked: str, scheduled: dict[str, Any]) -> dict[str, Any]:
    """What the click's run told."""
    return {"status": page.finished(clicked)} | page.ask(TOLD, run=clicked)["runOrError"]


def checks_of(told: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Gate to its check's result in a run."""
    found = [event.get("evaluation") for event in told["eventConnection"]["events"]]
    return {check["checkName"]: check for check in found if check}


def test_a_click_writes_the_files_that_a_terminal_writes(
    page: Page, materialized: dict[str, Any], by_hand: Path
) -> None:
    assert materialized["status"] == "SUCCESS"
    assert _without_tracking(page.root) == _without_tracking(by_hand)
    for folder in (path for path in (by_hand / "data").rglob("*") if path.is_file()):
        name = folder.relative_to(by_hand)
        assert (page.root / name).read_bytes() == folder.read_bytes(), name
    assert stale_stages(StudyFolder(page.root)) == []


def test_a_hold_is_a_failed_check_and_the_report_is_made_all_the_same(
    page: Page, materialized: dict[str, Any]
) -> None:
    assert read_json(page.root / "data" / "decision" / "decision.json")["word"] == "hold"
    check = checks_of(materialized)["coverage"]
    assert (check["success"], check["severity"]) == (False, "ERROR")
    assert "judged" in check["description"]
    made = {each["assetKey"]["path"][-1] for each in materialized["assetMaterializations"]}
    assert {"decision", "report"} <= made
    assert {step["status"] for step in materialized["stepStats"]} == {"SUCCESS"}


def test_a_stage_is_shown_with_a_picture_of_its_summary(materialized: dict[str, Any]) -> None:
    shown = {
        each["assetKey"]["path"][1]: [
            entry["mdStr"] for entry in each["metadataEntries"] if entry["label"] == "picture"
        ]
        for each in materialized["assetMaterializations"]
    }
    with_picture = {stage for stage, pictures in shown.items() if pictures}
    assert with_picture == set(PICTURES)
    assert all(shown[each][0].startswith(f"![{each}](data:image/svg") for each in with_picture)


def test_the_schedule_runs_the_study_once_it_is_switched_on(scheduled: dict[str, Any]) -> None:
    assert (scheduled["jobName"], scheduled["status"]) == ("five_study", "SUCCESS")


def test_each_content_launches_and_a_bad_one_is_red_with_its_reason(
    page: Page, materialized: dict[str, Any], by_hand: Path
) -> None:
    known = len(page.runs())
    path = page.root / ROUND
    first = path.read_text("utf-8")
    other = page.after(lambda: write_text(path, first.replace('"grade": 2', '"grade": 1')))
    assert other["status"] == "SUCCESS"
    assert _without_tracking(page.root) != _without_tracking(by_hand)

    broken = page.after(lambda: write_text(path, first + "{broken\n"))
    assert broken["status"] == "FAILURE"
    (failure,) = [
        event
        for event in broken["eventConnection"]["events"]
        if event["__typename"] == "ExecutionStepFailureEvent"
    ]
    said = failure["failureMetadata"]["description"]
    assert "first.jsonl" in said
    assert "10" in said  # the line
    assert [step["status"] for step in broken["stepStats"]] == ["FAILURE"]

    back = page.after(lambda: write_text(path, first))
    assert back["status"] == "SUCCESS"
    assert _without_tracking(page.root) == _without_tracking(by_hand)
    assert stale_stages(StudyFolder(page.root)) == []
    assert len(page.runs()) == known + 3  # the schedule stayed off


def _without_tracking(root: Path) -> str:
    return (root / "dvc.lock").read_text("utf-8").partition("\n  tracking:")[0]
