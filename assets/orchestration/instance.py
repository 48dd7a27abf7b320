"""The repository's Dagster home: `.dagster/`, made here; and how its runs are known.

Telemetry and the sign-up window off, one run at a time.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from assets.processes import QUIET
from pipeline.storage import write_text

if TYPE_CHECKING:
    from dagster import DagsterInstance

# Set where a Dagster run started DVC: the run itself reports the assets.
IN_DAGSTER_RUN = "RANKGATE_IN_DAGSTER_RUN"

# SQLite event logs lock under concurrent runs.
CONFIGURATION = """\
telemetry:
  enabled: false
nux:
  enabled: false
concurrency:
  runs:
    max_concurrent_runs: 1
"""


def dagster_home(repository: Path) -> Path:
    """The absolute path of the repository's Dagster home, made where it is absent."""
    home = repository.resolve() / ".dagster"
    home.mkdir(exist_ok=True)
    configuration = home / "dagster.yaml"
    if not configuration.exists():
        write_text(configuration, CONFIGURATION)
    return home


def study_instance(repository: Path) -> "DagsterInstance":
    """The repository's Dagster instance, a context manager."""
    from dagster import DagsterInstance

    os.environ.update(QUIET)
    return DagsterInstance.from_config(str(dagster_home(repository)))
