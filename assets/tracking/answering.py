"""Whether a tracking server answers: MLflow itself would try for many minutes."""

from assets.folder import StudyFolder
from assets.tracking.mlflow_store import VARIABLE
from pipeline.errors import RankgateError

PATIENCE_SECONDS = 10.0
HEALTH = "/health"


def refuse_silent(address: str, folder: StudyFolder) -> None:
    """Refuses a server that does not answer; databases are nobody to ask.

    Any answer will do that is none of a proxy without the server behind it.

    Args:
        address: as `prepare_store` gives it.
        folder: the study, for the message.

    Raises:
        RankgateError: no answer within some seconds, or one of status 5xx.
    """
    if not address.startswith(("http://", "https://")):
        return
    import requests  # MLflow's own

    try:
        answer = requests.get(address.rstrip("/") + HEALTH, timeout=PATIENCE_SECONDS)
        found = f"status {answer.status_code}" if answer.status_code >= 500 else None
    except requests.exceptions.SSLError:
        return  # there is somebody; MLflow knows more of certificates
    except requests.RequestException as problem:
        found = type(problem).__name__
    if found is not None:
        key = f"{folder.root / 'params.yaml'}: tracking.uri"
        raise RankgateError(
            f"MLflow's server {address} does not answer",
            where=key if folder.params.tracking.uri else VARIABLE,
            found=found,
            expected=f"an answer within {PATIENCE_SECONDS:g} seconds",
            next_command="dvc repro once it does; without a server take the address away there",
        )
