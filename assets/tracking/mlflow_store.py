"""Where MLflow keeps a study: the declared server, or a database under `mlruns/`."""

import os
from pathlib import Path
from typing import Any

from assets.folder import StudyFolder


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


def experiment_of(client: Any, folder: StudyFolder) -> str:
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
