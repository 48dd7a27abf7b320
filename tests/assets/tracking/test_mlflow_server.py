"""Studies on a tracking server that others share: one server of this file's own, on loopback."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from mlflow.entities import Run
from mlflow.tracking import MlflowClient

from assets.folder import StudyFolder
from assets.processes import environment
from assets.results import Results
from assets.tracking import answering
from assets.tracking.mlflow_runs import CHILDREN_ON_A_SERVER, record_study
from assets.tracking.mlflow_store import STUDIES, studies_path
from tests.assets.commands.test_ui_command import fetched, free_port
from tests.assets.five_queries import Run as Rankgate
from tests.assets.five_queries import change_params, run_all

pytestmark = pytest.mark.slow

HOUR = 3_600_000  # milliseconds


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server with a database and an artifact folder of its own."""
    home, port = tmp_path_factory.mktemp("server"), free_port()
    store = ["--backend-store-uri", f"sqlite:///{home}/mlflow.db", "--artifacts-destination"]
    address = ["--host", "127.0.0.1", "--port", str(port), "--workers", "1"]
    process = subprocess.Popen(
        [sys.executable, "-m", "mlflow", "server", *store, str(home / "artifacts"), *address],
        cwd=home,
        env=environment() | {"MLFLOW_SERVER_ENABLE_JOB_EXECUTION": "false"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        fetched(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(process.pid, 15)
        process.wait()


@pytest.fixture(scope="module")
def wide(tmp_path_factory: pytest.TempPathFactory, finished: Path) -> Path:
    """The study with a grid of more points than a server is told as runs; not to be changed."""
    root = Path(shutil.copytree(finished, tmp_path_factory.mktemp("wide") / "five"))
    ranks = [float(rank) for rank in range(1, 10)]
    folder = change_params(
        root, sweep={"rank_constants": ranks}, tracking={"children": None, "experiment": "team/x"}
    )
    run_all(folder)
    return root


@pytest.fixture
def shared(
    tmp_path: Path, wide: Path, server: str, monkeypatch: pytest.MonkeyPatch
) -> tuple[StudyFolder, MlflowClient]:
    """A clone of the study, and a client of the server that the environment names."""
    monkeypatch.setenv("MLFLOW_TRACKING_URI", server)
    monkeypatch.setattr(answering, "PATIENCE_SECONDS", 600)  # its one worker may be busy
    root = Path(shutil.copytree(wide, tmp_path / "five"))
    return StudyFolder(root), MlflowClient(tracking_uri=server)


def runs_of(client: MlflowClient, condition: str = "") -> list[Run]:
    experiment = client.get_experiment_by_name("team/x")
    return list(client.search_runs([experiment.experiment_id], condition))


def test_a_server_is_told_the_whole_grid_and_few_configurations_as_runs(
    shared: tuple[StudyFolder, MlflowClient],
) -> None:
    folder, client = shared
    declared = Results(folder).table("grids").filter(grid="declared").height
    run = record_study(folder)
    below = runs_of(client, f"tags.mlflow.parentRunId = '{run}'")
    assert declared > CHILDREN_ON_A_SERVER == len(below)
    table = Path(client.download_artifacts(run, "grid.csv")).read_text("utf-8")
    assert len(table.splitlines()) == 1 + Results(folder).table("configurations").height
    assert not (folder.root / "mlruns" / "mlflow.db").exists()


def test_a_clone_elsewhere_finds_the_study_told_already_with_its_artifacts(
    shared: tuple[StudyFolder, MlflowClient], tmp_path: Path
) -> None:
    folder, client = shared
    first = record_study(folder)
    moved = StudyFolder(folder.root.rename(tmp_path / "elsewhere"))
    assert record_study(moved) == first
    assert {"decision", "grid.csv"} <= {each.path for each in client.list_artifacts(first)}


def test_another_machines_run_at_work_is_left_and_an_abandoned_one_ended(
    shared: tuple[StudyFolder, MlflowClient],
) -> None:
    folder, client = shared
    record_study(folder)
    experiment = client.get_experiment_by_name("team/x").experiment_id
    now = int(time.time() * 1000)
    marks = {"rankgate.study": folder.params.study}
    at_work = client.create_run(experiment, tags=marks, start_time=now).info.run_id
    abandoned = client.create_run(experiment, tags=marks, start_time=now - 2 * HOUR).info.run_id
    record_study(folder)
    assert client.get_run(at_work).info.status == "RUNNING"
    assert client.get_run(abandoned).info.status == "KILLED"


def test_the_page_is_told_by_its_address_and_shows_studies_alone(
    shared: tuple[StudyFolder, MlflowClient], server: str, rankgate: Rankgate
) -> None:
    folder, client = shared
    run = record_study(folder)
    done = rankgate("ui", "mlflow", study=folder.root)
    assert done.exit_code == 0
    assert done.output.startswith(f"mlflow: {server}{studies_path(server, folder)}")
    assert unquote(studies_path(server, folder)).endswith(f"searchFilter={STUDIES}")
    shown = {each.info.run_id for each in runs_of(client, STUDIES)}
    assert run in shown
    assert not shown & {each.info.run_id for each in runs_of(client, "params.method = 'rrf'")}
