"""One MLflow run for a study, one below it for each configuration up to a declared number.

The whole grid is always there: as a table and as metric steps. Everything is written through
the client with explicit run ids, so that a run of the user's own is never touched.
"""

import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from assets.folder import StudyFolder
from assets.tracking.mlflow_content import children, datasets, metrics, parameters, tables, tags
from assets.tracking.mlflow_store import experiment_of, prepare_store
from assets.tracking.names import mlflow_name
from assets.tracking.results import Results

BATCH = 1000  # what MLflow takes in one call
ARTIFACT_FILES = ("decision/decision.json", "selection/selection.json", "snapshot/manifest.json")


def record_study(folder: StudyFolder) -> None:
    """Writes the study's runs, unless MLflow already has them."""
    from mlflow.tracking import MlflowClient

    results = Results(folder)
    client = MlflowClient(tracking_uri=prepare_store(folder))
    experiment = experiment_of(client, folder)
    if not _recorded(client, experiment, results.fingerprint):
        _record(client, experiment, results)


def _recorded(client: Any, experiment: str, fingerprint: str) -> bool:
    condition = f"tags.`rankgate.fingerprint` = '{fingerprint}' and attributes.status = 'FINISHED'"
    return bool(client.search_runs([experiment], condition, max_results=1))


def _record(client: Any, experiment: str, results: Results) -> None:
    parent = client.create_run(
        experiment, run_name=results.folder.params.study, tags=tags(results)
    ).info.run_id
    try:
        _log_parent(client, parent, results)
        for configuration in children(results):
            _log_child(client, experiment, parent, configuration)
    except BaseException:
        client.set_terminated(parent, status="FAILED")
        raise
    _supersede(client, experiment, parent, results.folder.params.study)
    client.set_tag(parent, "rankgate.fingerprint", results.fingerprint)
    client.set_terminated(parent)


def _supersede(client: Any, experiment: str, parent: str, study: str) -> None:
    """Marks the study's earlier runs: they are for other inputs."""
    for run in client.search_runs([experiment], f"tags.`rankgate.study` = '{study}'"):
        if run.info.run_id != parent:
            client.set_tag(run.info.run_id, "rankgate.superseded_by", parent)


def _log_parent(client: Any, run: str, results: Results) -> None:
    from mlflow.entities import Metric, Param

    now = int(time.time() * 1000)
    values = [Metric(name, value, now, step) for name, value, step in metrics(results)]
    for batch in _batches(values, BATCH):
        client.log_batch(run, metrics=batch)
    params = [Param(name, value) for name, value in parameters(results.folder)]
    for batch in _batches(params, 100):
        client.log_batch(run, params=batch)
    client.log_inputs(run, datasets=datasets(results))
    _log_files(client, run, results)


def _log_files(client: Any, run: str, results: Results) -> None:
    data = results.folder.data
    client.log_artifact(run, str(results.folder.root / "params.yaml"))
    for file in ARTIFACT_FILES:
        client.log_artifact(run, str(data / file), Path(file).parent.name)
    if not results.folder.params.report.text:  # text never leaves the study's folder
        client.log_artifact(run, str(data / "report" / "index.html"), "report")
    for name, frame in tables(results).items():
        client.log_table(run, frame.to_dict(as_series=False), f"{name}.json")


def _log_child(client: Any, experiment: str, parent: str, row: Mapping[str, Any]) -> None:
    from mlflow.entities import Metric, Param

    marks = {"mlflow.parentRunId": parent, "rankgate.configuration": row["configuration"]}
    run = client.create_run(experiment, run_name=row["configuration"], tags=marks).info.run_id
    now = int(time.time() * 1000)
    settings = ("method", "rank_constant", "weight_", "depth_")
    params = [
        Param(name, str(value))
        for name, value in row.items()
        if name.startswith(settings) and value is not None
    ]
    values = [
        Metric(mlflow_name(name), value, now, 0)
        for name, value in row.items()
        if isinstance(value, float) and not name.startswith(settings)
    ]
    client.log_batch(run, params=params, metrics=values)
    client.set_terminated(run)


def _batches(items: Sequence[Any], length: int) -> Iterator[list[Any]]:
    iterator = iter(items)
    while batch := list(islice(iterator, length)):
        yield batch
