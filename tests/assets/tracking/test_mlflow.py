"""What MLflow shows of a study: one run for it, one for each point, the whole grid, no text."""

import math
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from mlflow.entities import Run
from mlflow.tracking import MlflowClient
from mlflow.utils.validation import _validate_metric_name

from assets.folder import StudyFolder
from assets.processes import environment
from assets.results import Results
from assets.runner import run_stage
from assets.tracking import mlflow_runs, mlflow_store
from assets.tracking.mlflow_content import metrics, tags, undefined
from assets.tracking.mlflow_runs import FINGERPRINT, SUPERSEDED, record_study
from assets.tracking.mlflow_store import prepare_store
from assets.tracking.names import mlflow_name
from pipeline.errors import ParameterError, RankgateError
from pipeline.storage import read_json, write_json
from tests.assets.five_queries import change_params, run_all


@pytest.fixture(scope="module", autouse=True)
def no_server() -> Iterator[None]:
    """No tracking server of the machine's, as the studies declare none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("MLFLOW_TRACKING_URI", raising=False)
        yield


@pytest.fixture(scope="module")
def empty_store(tmp_path_factory: pytest.TempPathFactory, founded: Path) -> Path:
    """A database of MLflow's with nothing in it: making one takes seconds."""
    root = Path(shutil.copytree(founded, tmp_path_factory.mktemp("store") / "five"))
    prepare_store(StudyFolder(root))
    return root / "mlruns"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory, finished: Path, empty_store: Path) -> Path:
    """The finished study, recorded; not to be changed."""
    root = Path(shutil.copytree(finished, tmp_path_factory.mktemp("recorded") / "five"))
    shutil.copytree(empty_store, root / "mlruns")
    record_study(StudyFolder(root))
    return root


@pytest.fixture
def copied(tmp_path: Path, finished: Path, empty_store: Path) -> Path:
    """A copy of the finished study with an empty store."""
    root = Path(shutil.copytree(finished, tmp_path / "five"))
    shutil.copytree(empty_store, root / "mlruns")
    return root


def client_of(root: Path) -> MlflowClient:
    return MlflowClient(tracking_uri=f"sqlite:///{root.resolve() / 'mlruns/mlflow.db'}")


def runs_of(client: MlflowClient, experiment: str = "five") -> list[Run]:
    found = client.get_experiment_by_name(experiment)
    return list(client.search_runs([found.experiment_id], order_by=["attributes.start_time"]))


def parents(client: MlflowClient) -> list[Run]:
    return [run for run in runs_of(client) if "mlflow.parentRunId" not in run.data.tags]


def children(client: MlflowClient, parent: Run) -> list[Run]:
    return [
        run
        for run in runs_of(client)
        if run.data.tags.get("mlflow.parentRunId") == parent.info.run_id
    ]


def test_a_study_is_one_run_with_one_below_it_for_each_declared_point(recorded: Path) -> None:
    client = client_of(recorded)
    (parent,) = parents(client)
    grids = Results(StudyFolder(recorded)).table("grids").filter(grid="declared")
    below = children(client, parent)
    assert parent.info.status == "FINISHED"
    assert {run.info.run_name for run in below} == set(grids["configuration"])
    assert {run.info.status for run in below} == {"FINISHED"}
    best = max(below, key=lambda run: run.data.metrics["nDCG_at_2"])
    assert {"method", "weight_lexical", "depth_lexical"} <= set(best.data.params)


@pytest.mark.parametrize(("moment", "left"), [("experiment_of", []), ("_log_parent", ["FAILED"])])
def test_a_study_whose_parameters_changed_meanwhile_is_not_recorded(
    copied: Path, monkeypatch: pytest.MonkeyPatch, moment: str, left: list[str]
) -> None:
    """Before a run is begun there is none; in the midst of it, a failed one without the mark."""
    truly = getattr(mlflow_runs, moment)

    def edited(*given: Any) -> Any:
        change_params(copied, seed=8)
        return truly(*given)

    monkeypatch.setattr(mlflow_runs, moment, edited)
    with pytest.raises(RankgateError, match=r"changed while.*found seed;"):
        run_stage(StudyFolder(copied), "tracking")
    found = parents(client_of(copied))
    assert [run.info.status for run in found] == left
    assert all(FINGERPRINT not in run.data.tags for run in found)


def test_the_whole_grid_is_there_as_a_table_and_as_metric_steps(recorded: Path) -> None:
    client = client_of(recorded)
    (parent,) = parents(client)
    table = pl.read_csv(client.download_artifacts(parent.info.run_id, "grid.csv"))
    known = Results(StudyFolder(recorded)).table("configurations")["configuration"]
    assert table["configuration"].to_list() == sorted(known)
    steps = client.get_metric_history(parent.info.run_id, "grid/nDCG_at_2")
    assert {each.step: each.value for each in steps} == {
        row["step"]: row["nDCG@2"] for row in table.drop_nulls("nDCG@2").iter_rows(named=True)
    }


def test_the_run_carries_word_hashes_commit_datasets_and_parameters(recorded: Path) -> None:
    (parent,) = parents(client_of(recorded))
    decision = read_json(recorded / "data" / "decision" / "decision.json")
    manifest = read_json(recorded / "data" / "snapshot" / "manifest.json")
    marks = parent.data.tags
    assert marks["rankgate.word"] == decision["word"]
    assert marks["rankgate.selection"] == decision["hashes"]["selection"]
    assert marks["rankgate.data.candidates.lexical"].endswith(".dir")
    assert decision["word"].upper() in marks["mlflow.note.content"]
    assert parent.data.params["sweep.rank_constants"] == "[1.0, 60.0]"
    digests = {each.dataset.name: each.dataset.digest for each in parent.inputs.dataset_inputs}
    assert digests["documents"] == manifest["hashes"]["documents"][:36]
    assert {"queries", "judgments", "runs/lexical"} <= set(digests)


def test_no_text_of_the_collection_is_uploaded(recorded: Path) -> None:
    uploaded = [path for path in (recorded / "mlruns" / "artifacts").rglob("*") if path.is_file()]
    assert {"params.yaml", "decision.json", "index.html"} <= {path.name for path in uploaded}
    assert not [path for path in uploaded if b"pump" in path.read_bytes()]
    with sqlite3.connect(recorded / "mlruns" / "mlflow.db") as database:
        assert "pump" not in "\n".join(database.iterdump())
    database.close()


def test_a_report_with_text_stays_at_home(copied: Path) -> None:
    folder = change_params(copied, report={"text": True}, tracking={"children": 0})
    run = record_study(folder)
    names = {each.path for each in client_of(copied).list_artifacts(run)}
    assert "report" not in names
    assert "decision" in names


def test_recording_again_changes_nothing(recorded: Path) -> None:
    before = [run.to_dictionary() for run in runs_of(client_of(recorded))]
    record_study(StudyFolder(recorded))
    assert [run.to_dictionary() for run in runs_of(client_of(recorded))] == before


def test_other_inputs_make_a_new_run_and_going_back_makes_the_old_one_present(
    copied: Path,
) -> None:
    first = record_study(change_params(copied, tracking={"children": 1}))
    second = record_study(change_params(copied, tracking={"children": 2}))
    client = client_of(copied)
    assert client.get_run(first).data.tags[SUPERSEDED] == second
    assert len(children(client, client.get_run(second))) == 2
    assert record_study(change_params(copied, tracking={"children": 1})) == first
    assert SUPERSEDED not in client.get_run(first).data.tags
    assert client.get_run(second).data.tags[SUPERSEDED] == first


def test_a_run_that_fails_half_way_is_failed_and_written_again(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = change_params(copied, tracking={"children": 2})

    def full_disk(*_: Any, **__: Any) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(MlflowClient, "log_text", full_disk)
        with pytest.raises(OSError, match="no space left"):
            record_study(folder)
    client = client_of(copied)
    (broken,) = parents(client)
    assert broken.info.status == "FAILED"
    whole = record_study(folder)
    assert client.get_run(whole).info.status == "FINISHED"
    assert client.get_run(broken.info.run_id).data.tags[SUPERSEDED] == whole


def test_a_child_that_fails_leaves_no_run_running(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, calls = MlflowClient.log_batch, list[str]()

    def broken(client: MlflowClient, run: str, *rest: Any, **more: Any) -> None:
        if "mlflow.parentRunId" in client.get_run(run).data.tags:
            calls.append(run)
            if len(calls) == 2:
                raise OSError("no space left")
        real(client, run, *rest, **more)

    monkeypatch.setattr(MlflowClient, "log_batch", broken)
    with pytest.raises(OSError, match="no space left"):
        record_study(change_params(copied, tracking={"children": 4}))
    client = client_of(copied)
    (parent,) = parents(client)
    assert parent.info.status == "FAILED"
    below = {run.info.run_id: run.info.status for run in children(client, parent)}
    assert below == {calls[0]: "FINISHED", calls[1]: "FAILED"}


def test_the_whole_grid_takes_few_calls(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, calls = MlflowClient.log_batch, list[str]()

    def counted(client: MlflowClient, run: str, *rest: Any, **more: Any) -> None:
        calls.append(run)
        real(client, run, *rest, **more)

    monkeypatch.setattr(MlflowClient, "log_batch", counted)
    record_study(change_params(copied, tracking={"children": 0}))
    assert len(runs_of(client_of(copied))) == 1
    assert len(calls) <= 5


def test_nothing_is_written_where_the_command_was_called(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    record_study(change_params(copied, tracking={"children": 0}))
    assert list(elsewhere.iterdir()) == []
    assert (copied / "mlruns" / "mlflow.db").exists()


def test_a_run_that_a_killed_process_left_running_is_ended(copied: Path) -> None:
    folder = change_params(copied, tracking={"children": 0})
    whole = record_study(folder)
    client = client_of(copied)
    left = client.create_run(
        client.get_run(whole).info.experiment_id, tags={"rankgate.study": folder.params.study}
    ).info.run_id
    record_study(folder)
    assert client.get_run(left).info.status == "KILLED"


def test_a_database_that_another_program_holds_is_told_and_later_recorded(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mlflow_store, "PATIENCE_SECONDS", 0.1)
    folder = change_params(copied, tracking={"children": 0})
    with closing(sqlite3.connect(copied / "mlruns" / "mlflow.db")) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(RankgateError, match=r"mlflow\.db: .* found database is locked"):
            record_study(folder)
        other.rollback()
    assert client_of(copied).get_run(record_study(folder)).info.status == "FINISHED"


def test_a_database_that_is_none_is_told(copied: Path) -> None:
    (copied / "mlruns" / "mlflow.db").write_text("not a database, but long enough to look at")
    with pytest.raises(RankgateError, match=r"mlflow\.db: .* found file is not a database"):
        record_study(StudyFolder(copied))


def test_a_run_of_the_users_own_is_never_touched(
    copied: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = client_of(copied)
    own = client.create_run("0").info.run_id
    before = client.get_run(own).to_dictionary()
    monkeypatch.setenv("MLFLOW_RUN_ID", own)
    monkeypatch.setenv("MLFLOW_EXPERIMENT_ID", "0")
    record_study(change_params(copied, tracking={"children": 1}))
    assert client.get_run(own).to_dictionary() == before
    assert len(client.search_runs(["0"])) == 1


def test_a_moved_repository_shows_its_artifacts(copied: Path) -> None:
    record_study(change_params(copied, tracking={"children": 0}))
    moved = copied.rename(copied.with_name("elsewhere"))
    run = record_study(StudyFolder(moved))
    client = client_of(moved)
    assert {"decision", "grid.csv"} <= {each.path for each in client.list_artifacts(run)}
    assert client.get_run(run).info.artifact_uri.startswith(moved.as_uri())


def test_a_deleted_experiment_comes_back(copied: Path) -> None:
    folder = change_params(copied, tracking={"children": 0})
    run = record_study(folder)
    client = client_of(copied)
    client.delete_experiment(client.get_run(run).info.experiment_id)
    assert record_study(folder) is not None
    assert client.get_experiment_by_name("five").lifecycle_stage == "active"


def test_a_declared_address_is_honoured_and_the_environments_comes_second(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(shutil.copytree(finished, tmp_path / "five"))
    monkeypatch.setenv("MLFLOW_TRACKING_URI", "http://127.0.0.1:1")
    assert prepare_store(StudyFolder(root)) == "http://127.0.0.1:1"
    folder = change_params(root, tracking={"uri": "https://mlflow.example"})
    assert prepare_store(folder) == "https://mlflow.example"
    assert not (root / "mlruns").exists()


@pytest.mark.parametrize("address", ["file:///srv/mlruns", "./mlruns"])
def test_a_folder_as_an_address_is_refused_in_our_own_words(study: Path, address: str) -> None:
    folder = change_params(study, tracking={"uri": address})
    with pytest.raises(ParameterError, match=r"tracking\.uri.*migrate-filestore"):
        prepare_store(folder)


@pytest.mark.parametrize("name", ["pumps 2026", "/Users/me@b.c/pumps", "..", "p" * 500])
def test_a_declared_experiment_holds_the_study_and_its_artifacts_stay_beside_the_database(
    copied: Path, name: str
) -> None:
    folder = change_params(copied, tracking={"children": 0, "experiment": name})
    run = record_study(folder)
    client = client_of(copied)
    assert [each.info.run_id for each in runs_of(client, name)] == [run]
    assert "grid.csv" in {each.path for each in client.list_artifacts(run)}
    assert client.get_experiment_by_name("five") is None
    (experiment,) = (copied / "mlruns" / "artifacts").iterdir()
    assert (experiment / run / "artifacts" / "grid.csv").exists()


def test_names_and_values_longer_than_mlflow_takes_are_cut(copied: Path) -> None:
    branch = "b" * 230  # nearly the longest name of a folder
    run = {"kind": "recorded", "run": "lexical", "depth": 3}
    folder = change_params(copied, candidates={branch: run}, tracking={"children": 1})
    run_all(folder)
    whole = record_study(folder)
    client = client_of(copied)
    shown = client.get_run(whole).data
    assert max(map(len, [*shown.metrics, *shown.params, *shown.tags])) == 250
    told = dict.fromkeys(name for name, _, _ in metrics(Results(folder)))
    assert set(shown.metrics) == set(told)
    assert len([name for name in shown.tags if name.startswith("rankgate.data.candidates.")]) == 3
    (child,) = children(client, client.get_run(whole))
    assert len([name for name in child.data.params if name.startswith("weight_")]) == 3


@pytest.mark.slow
def test_processes_at_once_make_one_database_and_lose_no_run(
    finished: Path, tmp_path: Path
) -> None:
    root = Path(shutil.copytree(finished, tmp_path / "five"))
    others = [Path(shutil.copytree(finished, root / "studies" / name)) for name in ("six", "seven")]
    for other in others:
        shutil.rmtree(other / ".dvc")
        shutil.rmtree(other / ".git")
        change_params(other, study=other.name, tracking={"children": 2})
    record = "from assets.tracking.mlflow_runs import record_study as r; import sys, pathlib\n"
    record += "from assets.tracking import mlflow_store; mlflow_store.PATIENCE_SECONDS = 300\n"
    record += "from assets.folder import StudyFolder; r(StudyFolder(pathlib.Path(sys.argv[1])))"
    working = [
        subprocess.Popen([sys.executable, "-c", record, study], env=environment())
        for study in (*others, root)
    ]
    assert [process.wait(timeout=900) for process in working] == [0, 0, 0]
    told = {run.data.tags["rankgate.study"]: run.info.status for run in parents(client_of(root))}
    assert told == {"five": "FINISHED", "six": "FINISHED", "seven": "FINISHED"}
    assert [path.name for path in (root / "mlruns").iterdir() if ".mlflow." in path.name] == []


def test_undefined_values_are_left_out(study: Path) -> None:
    told = list(metrics(Results(StudyFolder(study))))
    systems = Results(StudyFolder(study)).table("systems")
    assert all(math.isfinite(value) for _, value, _ in told)
    assert systems["value"].null_count() + sum(1 for _, _, step in told if step == 0) > 0
    for name, _, _ in told:
        _validate_metric_name(name)


def test_what_is_left_out_has_a_tag_that_says_why(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    results = Results(StudyFolder(study))
    systems, read = results.table("systems"), Results.table
    hole = (pl.col("system") == "selected") & (pl.col("measure") == systems["measure"][0])
    holed = systems.with_columns(pl.when(hole).then(None).otherwise("value").alias("value"))
    monkeypatch.setattr(
        Results, "table", lambda self, name: holed if name == "systems" else read(self, name)
    )
    names = {name for name, _, _ in metrics(results)}
    why = dict(undefined(results))
    left_out = [
        mlflow_name(f"{r['split']}/{r['system']}/{r['measure']}")
        for r in holed.filter(hole).to_dicts()
    ]
    assert left_out
    for name in left_out:
        assert name not in names
        assert "on which it is defined" in why[f"rankgate.undefined/{name}"]
    # Nothing has both a value and a reason to have none.
    assert not {f"rankgate.undefined/{name}" for name in names} & set(why)
    told = tags(results)
    assert why.items() <= told.items()
    assert told["rankgate.how_measured"].startswith("How measured: order ")
    assert told["rankgate.how_measured"] in told["mlflow.note.content"]


def test_every_system_is_told_under_its_own_name(study: Path) -> None:
    results = Results(StudyFolder(study))
    names = [name for name, _, _ in metrics(results)]
    for row in results.table("systems").drop_nulls("value").iter_rows(named=True):
        assert mlflow_name(f"{row['split']}/{row['system']}/{row['measure']}") in names


def test_the_fingerprint_is_of_what_is_shown_and_not_of_how_it_is_spelled(study: Path) -> None:
    before = Results(StudyFolder(study)).fingerprint
    text = (study / "params.yaml").read_text("utf-8")
    (study / "params.yaml").write_text(f"# a comment\n{text}", "utf-8")
    assert Results(StudyFolder(study)).fingerprint == before
    assert Results(change_params(study, question="not_worse")).fingerprint != before


def test_results_that_dvc_does_not_know_have_a_version_of_their_bytes(study: Path) -> None:
    (study / "dvc.lock").unlink()
    before = Results(StudyFolder(study)).versions[("decision",)]
    write_json(study / "data" / "decision" / "summary.json", {"word": "other"})
    assert Results(StudyFolder(study)).versions[("decision",)] != before


def test_the_run_is_found_by_its_fingerprint(recorded: Path) -> None:
    (parent,) = parents(client_of(recorded))
    assert parent.data.tags[FINGERPRINT] == Results(StudyFolder(recorded)).fingerprint
