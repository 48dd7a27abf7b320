"""One MLflow run for a study, one below it for each configuration up to a declared number.

The whole grid is always there: as a table and as metric steps. Everything is written through
the client with explicit run ids, so that a run of the user's own is never touched.
"""

import json
import os
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import polars as pl

from assets.folder import StudyFolder
from assets.tracking.names import mlflow_name
from assets.tracking.results import Results

BATCH = 1000  # what MLflow takes in one call
ARTIFACT_FILES = ("decision/decision.json", "selection/selection.json", "snapshot/manifest.json")
LONGEST_PARAMETER = 6000


def record_study(folder: StudyFolder) -> None:
    """Writes the study's runs, unless MLflow already has them."""
    from mlflow.tracking import MlflowClient

    results = Results(folder)
    client = MlflowClient(tracking_uri=prepare_store(folder))
    experiment = _experiment(client, folder)
    if not _recorded(client, experiment, results.fingerprint):
        _record(client, experiment, results)


def prepare_store(folder: StudyFolder) -> str:
    """The tracking server's address; the local database's where none is declared.

    The folder of the local database is made here, once, before anything else opens it.
    """
    declared = folder.params.tracking.uri or os.environ.get("MLFLOW_TRACKING_URI")
    os.environ.setdefault("MLFLOW_DISABLE_TELEMETRY", "true")
    if declared:
        return declared
    home = folder.repository.resolve() / "mlruns"
    home.mkdir(exist_ok=True)
    return f"sqlite:///{home / 'mlflow.db'}"


def _experiment(client: Any, folder: StudyFolder) -> str:
    """The experiment named after the collection, with its artifacts beside the database."""
    name = Path(folder.params.collection.path).name
    local = client.tracking_uri.startswith("sqlite:")
    location = (folder.repository.resolve() / "mlruns" / "artifacts" / name).as_uri()
    found = client.get_experiment_by_name(name)
    if found and local and found.artifact_location != location:
        # MLflow stores absolute places: after a move the old one lists nothing, silently.
        client.rename_experiment(found.experiment_id, f"{name} (moved, {found.experiment_id})")
        found = None
    if found:
        return str(found.experiment_id)
    return str(client.create_experiment(name, artifact_location=location if local else None))


def _recorded(client: Any, experiment: str, fingerprint: str) -> bool:
    condition = f"tags.`rankgate.fingerprint` = '{fingerprint}' and attributes.status = 'FINISHED'"
    return bool(client.search_runs([experiment], condition, max_results=1))


def _record(client: Any, experiment: str, results: Results) -> None:
    parent = client.create_run(
        experiment, run_name=results.folder.params.study, tags=_tags(results)
    ).info.run_id
    try:
        _log_parent(client, parent, results)
        for configuration in _children(results):
            _log_child(client, experiment, parent, configuration)
    except BaseException:
        client.set_terminated(parent, status="FAILED")
        raise
    client.set_tag(parent, "rankgate.fingerprint", results.fingerprint)
    client.set_terminated(parent)


def _log_parent(client: Any, run: str, results: Results) -> None:
    from mlflow.entities import Metric, Param

    now = int(time.time() * 1000)
    metrics = [Metric(name, value, now, step) for name, value, step in _metrics(results)]
    for batch in _batches(metrics, BATCH):
        client.log_batch(run, metrics=batch)
    params = [Param(name, value) for name, value in _flat(_params(results.folder))]
    for batch in _batches(params, 100):
        client.log_batch(run, params=batch)
    client.log_inputs(run, datasets=_datasets(results))
    _log_files(client, run, results)


def _log_files(client: Any, run: str, results: Results) -> None:
    data = results.folder.data
    client.log_artifact(run, str(results.folder.root / "params.yaml"))
    for file in ARTIFACT_FILES:
        client.log_artifact(run, str(data / file), Path(file).parent.name)
    if not results.folder.params.report.text:  # text never leaves the study's folder
        client.log_artifact(run, str(data / "report" / "index.html"), "report")
    for name, frame in _tables(results).items():
        client.log_table(run, frame.to_dict(as_series=False), f"{name}.json")


def _tables(results: Results) -> dict[str, pl.DataFrame]:
    return {
        "grid": results.table("configurations").join(_wide(results), on="configuration"),
        "systems": results.table("systems"),
        "comparisons": results.table("comparisons"),
    }


def _wide(results: Results) -> pl.DataFrame:
    """The grid's dev values, one column for each measure."""
    rows = results.table("results")
    measures = rows["measure"].unique().sort().to_list()
    wide = rows.select("configuration").unique(maintain_order=True)
    for measure in measures:
        values = rows.filter(pl.col("measure") == measure)
        wide = wide.join(
            values.select("configuration", pl.col("value").alias(measure)), on="configuration"
        )
    return wide.sort("configuration")


def _metrics(results: Results) -> Iterator[tuple[str, float, int]]:
    """Name, value and step: every system's values, then the whole grid as steps."""
    for row in results.table("systems").drop_nulls("value").iter_rows(named=True):
        yield mlflow_name(f"{row['split']}/{row['system']}/{row['measure']}"), row["value"], 0
    for row in _against_baselines(results).iter_rows(named=True):
        name = f"{row['split']}/delta to {row['baseline']}/{row['measure']}"
        yield mlflow_name(name), row["delta"], 0
    grid = _wide(results)
    for step, row in enumerate(grid.iter_rows(named=True)):
        yield from (
            (mlflow_name(f"grid/{measure}"), value, step)
            for measure, value in row.items()
            if measure != "configuration" and value is not None
        )


def _against_baselines(results: Results) -> pl.DataFrame:
    rows = results.table("comparisons")
    return rows.filter((pl.col("slice") == "") & pl.col("delta").is_not_null())


def _children(results: Results) -> list[dict[str, Any]]:
    """The best configurations by the selection's measure, up to the declared number."""
    params = results.folder.params
    grid = results.table("configurations").join(_wide(results), on="configuration", how="left")
    measure = params.selection.measure
    if measure in grid.columns:
        grid = grid.sort([measure, "configuration"], descending=[True, False], nulls_last=True)
    return grid.head(params.tracking.children).to_dicts()


def _log_child(client: Any, experiment: str, parent: str, row: Mapping[str, Any]) -> None:
    from mlflow.entities import Metric, Param

    tags = {"mlflow.parentRunId": parent, "rankgate.configuration": row["configuration"]}
    run = client.create_run(experiment, run_name=row["configuration"], tags=tags).info.run_id
    now = int(time.time() * 1000)
    settings = ("method", "rank_constant", "weight_", "depth_")
    params = [
        Param(name, str(value))
        for name, value in row.items()
        if name.startswith(settings) and value is not None
    ]
    metrics = [
        Metric(mlflow_name(name), value, now, 0)
        for name, value in row.items()
        if isinstance(value, float) and not name.startswith(settings)
    ]
    client.log_batch(run, params=params, metrics=metrics)
    client.set_terminated(run)


def _tags(results: Results) -> dict[str, str]:
    decision, hashes = results.decision, results.decision.get("hashes", {})
    tags = {
        "rankgate.study": results.folder.params.study,
        "rankgate.word": str(decision["word"]),
        "rankgate.question": results.folder.params.question,
        **{f"rankgate.{name}": str(value) for name, value in sorted(hashes.items())},
        **{
            f"rankgate.data.{'.'.join(key)}": version for key, version in results.versions().items()
        },
    }
    commit = _commit(results.folder)
    return tags | ({"mlflow.source.git.commit": commit} if commit else {})


def _commit(folder: StudyFolder) -> str:
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"],  # noqa: S607 - the user's own git
            cwd=folder.root,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return ""
    return done.stdout.strip()


def _datasets(results: Results) -> list[Any]:
    from mlflow.entities import Dataset, DatasetInput

    manifest = results.read("manifest")
    return [
        DatasetInput(
            Dataset(
                name=name,
                digest=str(digest)[:36],
                source_type="local",
                source=json.dumps({"uri": results.folder.params.collection.path}),
                profile=json.dumps(manifest.get("counts", {})),
            )
        )
        for name, digest in sorted(manifest["hashes"].items())
        if isinstance(digest, str)
    ]


def _params(folder: StudyFolder) -> dict[str, Any]:
    content: dict[str, Any] = folder.params.model_dump(mode="json")
    return content


def _flat(content: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in content.items():
        key = mlflow_name(f"{prefix}{name}")
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield key[:250], str(value)[:LONGEST_PARAMETER]


def _batches(items: Sequence[Any], length: int) -> Iterator[list[Any]]:
    iterator = iter(items)
    while batch := list(islice(iterator, length)):
        yield batch
