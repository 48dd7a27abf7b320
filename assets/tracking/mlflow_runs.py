"""One MLflow run for a study, one below it for each configuration up to a declared number.

The whole grid is always there: as a table and as metric steps. Everything is written through
the client with explicit run ids, so that a run of the user's own is never touched.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from assets.folder import StudyFolder
from assets.results import Results
from assets.tracking.answering import refuse_silent
from assets.tracking.mlflow_content import children, datasets, metrics, parameters, tables, tags
from assets.tracking.mlflow_store import experiment_of, is_local, prepare_store
from assets.tracking.names import key
from assets.unchanged import unwatched

METRICS_A_CALL, PARAMETERS_A_CALL = 1000, 100  # MLflow takes no more
ARTIFACT_FILES = ("decision/decision.json", "selection/selection.json", "snapshot/manifest.json")
STUDY, FINGERPRINT = "rankgate.study", "rankgate.fingerprint"
SUPERSEDED = "rankgate.superseded_by"
# How many configurations become runs of their own where the study does not say: MLflow's page
# compares slowly beyond 200, and a server is shared with others.
CHILDREN_HERE, CHILDREN_ON_A_SERVER = 200, 20
# A run on a server may be another machine's, at work; after an hour it is a killed process's.
ABANDONED_AFTER_SECONDS = 3600


def record_study(folder: StudyFolder, refuse_changed: Callable[[], None] = unwatched) -> str:
    """Writes the study's runs, unless MLflow already has them, and marks which ones are present.

    Args:
        folder: the study.
        refuse_changed: called before a run is begun and before it counts as the study's: where
            it raises there is no run, or a failed one.

    Returns:
        The id of the study's run.

    Raises:
        ParameterError: the declared server is no server.
        RankgateError: it does not answer.
    """
    from mlflow.tracking import MlflowClient

    results = Results(folder)
    address = prepare_store(folder)
    refuse_silent(address, folder)
    client = MlflowClient(tracking_uri=address)
    experiment = experiment_of(client, folder)
    refuse_changed()
    parent = _recorded(client, experiment, results.fingerprint)
    if parent is None:
        parent = _record(client, experiment, results, refuse_changed)
    _make_present(client, experiment, parent, folder)
    return parent


def _recorded(client: Any, experiment: str, fingerprint: str) -> str | None:
    condition = f"tags.`{FINGERPRINT}` = '{fingerprint}' and attributes.status = 'FINISHED'"
    found = client.search_runs([experiment], condition, max_results=1)
    return str(found[0].info.run_id) if found else None


def _record(
    client: Any, experiment: str, results: Results, refuse_changed: Callable[[], None]
) -> str:
    study = results.folder.params.study
    with _run(client, experiment, study, tags(results)) as parent:
        _log_parent(client, parent, results)
        for child in children(results, _number_of_children(client, results.folder)):
            _log_child(client, experiment, parent, child)
        refuse_changed()
        client.set_tag(parent, FINGERPRINT, results.fingerprint)
    return parent


def _number_of_children(client: Any, folder: StudyFolder) -> int:
    declared = folder.params.tracking.children
    if declared is not None:
        return declared
    return CHILDREN_HERE if is_local(client.tracking_uri, folder) else CHILDREN_ON_A_SERVER


@contextmanager
def _run(client: Any, experiment: str, name: str, marks: Mapping[str, str]) -> Iterator[str]:
    """A run that is finished when the block ends well, and failed otherwise."""
    run: str = client.create_run(experiment, run_name=name, tags=dict(marks)).info.run_id
    try:
        yield run
    except BaseException:
        client.set_terminated(run, status="FAILED")
        raise
    client.set_terminated(run)


def _make_present(client: Any, experiment: str, parent: str, folder: StudyFolder) -> None:
    """Marks the study's other runs as superseded, and ends those that a killed process left."""
    local = is_local(client.tracking_uri, folder)
    now = int(time.time() * 1000)
    for run in client.search_runs([experiment], f"tags.`{STUDY}` = '{folder.params.study}'"):
        if run.info.run_id == parent:
            if SUPERSEDED in run.data.tags:
                client.delete_tag(parent, SUPERSEDED)
            continue
        if run.data.tags.get(SUPERSEDED) != parent:
            client.set_tag(run.info.run_id, SUPERSEDED, parent)
        abandoned = local or now - run.info.start_time > ABANDONED_AFTER_SECONDS * 1000
        if run.info.status == "RUNNING" and abandoned:
            client.set_terminated(run.info.run_id, status="KILLED")


def _log_parent(client: Any, run: str, results: Results) -> None:
    from mlflow.entities import Metric, Param

    now = int(time.time() * 1000)
    values = [Metric(name, value, now, step) for name, value, step in metrics(results)]
    for batch in _batches(values, METRICS_A_CALL):
        client.log_batch(run, metrics=batch)
    params = [Param(name, value) for name, value in parameters(results.folder)]
    for batch in _batches(params, PARAMETERS_A_CALL):
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
        client.log_text(run, frame.write_csv(), f"{name}.csv")  # MLflow's page shows it as a table


def _log_child(client: Any, experiment: str, parent: str, child: Mapping[str, Any]) -> None:
    from mlflow.entities import Metric, Param

    marks = {"mlflow.parentRunId": parent, "rankgate.configuration": child["configuration"]}
    now = int(time.time() * 1000)
    params = [Param(key(name), str(value)) for name, value in child["settings"].items()]
    values = [Metric(key(name), value, now, 0) for name, value in child["values"].items()]
    with _run(client, experiment, child["configuration"], marks) as run:
        client.log_batch(run, params=params, metrics=values)


def _batches(items: Sequence[Any], length: int) -> Iterator[list[Any]]:
    iterator = iter(items)
    while batch := list(islice(iterator, length)):
        yield batch
