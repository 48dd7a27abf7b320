"""Where MLflow keeps a study: the declared server, or a database under `mlruns/`."""

import functools
import hashlib
import logging
import os
import re
import sqlite3
import tempfile
from contextlib import closing, suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from assets.folder import StudyFolder
from assets.processes import QUIET
from pipeline.errors import ParameterError, RankgateError

NOTE = "mlflow.note.content"
VARIABLE = "MLFLOW_TRACKING_URI"
STUDIES = "tags.`rankgate.study` LIKE '%'"
PATIENCE_SECONDS = 10.0  # with a database that another process is just writing to
KIND = "mlflow.experimentKind"  # with it MLflow's page opens on runs, not on traces


def prepare_store(folder: StudyFolder) -> str:
    """The tracking server's address; the local database's where none is declared.

    Raises:
        RankgateError: another program holds the local database.
        ParameterError: the declared address is a folder, which MLflow writes to no longer.
    """
    os.environ.update(QUIET)
    # Each start would tell of its database migrations.
    logging.getLogger("mlflow.store.db.utils").setLevel(logging.WARNING)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    declared = folder.params.tracking.uri or os.environ.get(VARIABLE)
    if declared:
        _refuse_files(declared, folder)
        return declared
    return _local_database(folder.repository.resolve() / "mlruns")


def _refuse_files(address: str, folder: StudyFolder) -> None:
    if address.startswith("databricks") or ("://" in address and not address.startswith("file:")):
        return
    key = f"{folder.root / 'params.yaml'}: tracking.uri"
    raise ParameterError(
        "MLflow no longer writes runs to a folder",
        where=key if folder.params.tracking.uri else VARIABLE,
        found=address,
        expected="null (a database under mlruns/), sqlite:///FILE, or a server's http address",
        next_command="mlflow migrate-filestore --help keeps the old runs",
    )


def _local_database(home: Path) -> str:
    """The database's address; a new one is made under another name first, then put in place.

    Two processes that make the same database at once would break it; of several, the first one's
    stays, and what was written to it in the meantime.
    """
    from mlflow.tracking import MlflowClient

    _wait_less_for_the_disk()
    home.mkdir(exist_ok=True)
    database = home / "mlflow.db"
    if not database.exists():
        with tempfile.TemporaryDirectory(prefix=".mlflow.", dir=home) as place:
            unfinished = Path(place) / "mlflow.db"
            MlflowClient(tracking_uri=f"sqlite:///{unfinished}").search_experiments()
            with suppress(FileExistsError):
                os.link(unfinished, database)  # unlike a rename it never replaces
    else:
        _refuse_held(database)
    return f"sqlite:///{database}"


def _refuse_held(database: Path) -> None:
    """Refuses a database that another program holds; MLflow would try for some minutes.

    Raises:
        RankgateError: it stayed locked, or is no database.
    """
    try:
        with closing(sqlite3.connect(database, timeout=PATIENCE_SECONDS)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            connection.rollback()
    except sqlite3.Error as problem:
        raise RankgateError(
            "MLflow's database cannot be written to",
            where=database,
            found=problem,
            expected="a database that no other program holds, and room on the disk",
            next_command="dvc repro, once that program has ended",
        ) from problem


def is_local(address: str, folder: StudyFolder) -> bool:
    """Whether an address is the repository's own database, which no other machine writes to."""
    return address == f"sqlite:///{folder.repository.resolve() / 'mlruns' / 'mlflow.db'}"


@functools.cache
def _wait_less_for_the_disk() -> None:
    """Has SQLite wait for the disk at its critical moments only, in this process.

    A study is some hundred small writes, which would wait three times as long as they work.
    """
    from sqlalchemy import event
    from sqlalchemy.engine import Engine

    @event.listens_for(Engine, "connect")
    def _normal(connection: Any, _: Any) -> None:
        if isinstance(connection, sqlite3.Connection):
            connection.execute("PRAGMA synchronous=NORMAL")


def experiment_of(client: Any, folder: StudyFolder) -> str:
    """The declared experiment, else one named after the collection, made where it is absent.

    In the repository's own database its artifacts lie beside the database.

    Returns:
        Its id.
    """
    collection = (folder.root / folder.params.collection.path).resolve().name
    name = folder.params.tracking.experiment or collection
    local = is_local(client.tracking_uri, folder)
    artifacts = folder.repository.resolve() / "mlruns" / "artifacts" / _folder_name(name)
    location = artifacts.as_uri() if local else None
    found = client.get_experiment_by_name(name)
    if found and found.lifecycle_stage == "deleted":
        client.restore_experiment(found.experiment_id)
    if found and local and found.artifact_location != location:
        # MLflow stores absolute places: after a move the old one lists nothing, silently.
        client.rename_experiment(found.experiment_id, f"{name} (moved, {found.experiment_id})")
        found = None
    return str(found.experiment_id) if found else _new_experiment(client, name, location)


def studies_path(address: str, folder: StudyFolder) -> str:
    """Where MLflow's page shows the studies alone, side by side.

    Unfiltered it shows the newest hundred runs, which are one study's configurations.
    """
    from mlflow.tracking import MlflowClient

    experiment = experiment_of(MlflowClient(tracking_uri=address), folder)
    return f"/#/experiments/{experiment}/runs?searchFilter={quote(STUDIES)}"


def _folder_name(experiment: str) -> str:
    """An experiment's name as one folder's: a server's experiments may be called `/Users/me/x`."""
    if re.fullmatch(r"[^/.\x00][^/\x00]{0,199}", experiment):
        return experiment
    plain = re.sub(r"[^A-Za-z0-9_-]+", "_", experiment).strip("_")[:60]
    return f"{plain}-{hashlib.sha256(experiment.encode()).hexdigest()[:12]}"


def _new_experiment(client: Any, name: str, location: str | None) -> str:
    from mlflow.exceptions import MlflowException

    marks = {KIND: "custom_model_development", NOTE: f"Studies alone: search {STUDIES}"}
    try:
        return str(client.create_experiment(name, artifact_location=location, tags=marks))
    except MlflowException:
        found = client.get_experiment_by_name(name)
        if found is None:
            raise
        return str(found.experiment_id)  # another process made it in this very moment
