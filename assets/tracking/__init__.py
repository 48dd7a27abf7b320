"""Tells MLflow and Dagster what the results are; the truth stays in the study's folder."""

import os
from collections.abc import Callable

from assets.folder import StudyFolder
from assets.orchestration.instance import IN_DAGSTER_RUN
from assets.unchanged import unwatched


def track(folder: StudyFolder, refuse_changed: Callable[[], None] = unwatched) -> None:
    """Records the study in MLflow, and its assets and gates in Dagster, each where new.

    Inside a Dagster run the run itself reports the assets.

    Args:
        folder: the study.
        refuse_changed: called before anything is told to either; raises where the parameters
            are no longer those of the results.

    Raises:
        ContractError: operations did not clear what would be told.
    """
    from assets.results import Results
    from assets.tracking.clearing import refuse_uncleared_results
    from assets.tracking.mlflow_runs import record_study

    refuse_uncleared_results(Results(folder))
    record_study(folder, refuse_changed)
    if IN_DAGSTER_RUN not in os.environ:
        from assets.tracking.dagster_events import report_assets

        refuse_changed()
        report_assets(folder)
