"""Tells MLflow and Dagster what the results are; the truth stays in the study's folder."""

import os

from assets.folder import StudyFolder

IN_DAGSTER_RUN = "RANKGATE_IN_DAGSTER_RUN"


def track(folder: StudyFolder) -> None:
    """Records the study in MLflow, and its assets and gates in Dagster, each where new.

    Inside a Dagster run the run itself reports the assets.

    Raises:
        ContractError: operations did not clear what would be told.
    """
    from assets.tracking.clearing import refuse_uncleared_results
    from assets.tracking.mlflow_runs import record_study
    from assets.tracking.results import Results

    refuse_uncleared_results(Results(folder))
    record_study(folder)
    if IN_DAGSTER_RUN not in os.environ:
        from assets.tracking.dagster_events import report_assets

        report_assets(folder)


__all__ = ["IN_DAGSTER_RUN", "track"]
