"""What `dagster dev` loads: every study of the repository."""

import os
from pathlib import Path

import dagster as dg

from assets.folder import StudyFolder
from assets.orchestration.chain import chain
from assets.orchestration.watch import corpus_sensor, nightly, study_job

REPOSITORY = "RANKGATE_REPOSITORY"


def studies(repository: Path) -> list[StudyFolder]:
    """The study at the repository's root and those under `studies/`, where they are."""
    roots = [repository, *sorted((repository / "studies").glob("*"))]
    return [StudyFolder(root) for root in roots if (root / "params.yaml").is_file()]


def definitions(repository: Path) -> dg.Definitions:
    """Assets, checks, job, sensor and schedule of every study."""
    found = [(folder, chain(folder)) for folder in studies(repository)]
    jobs = [study_job(folder, assets) for folder, assets in found]
    pairs = [(folder, job) for (folder, _), job in zip(found, jobs, strict=True)]
    return dg.Definitions(
        assets=[assets for _, assets in found],
        jobs=jobs,
        sensors=[corpus_sensor(folder, job) for folder, job in pairs],
        schedules=[nightly(folder, job) for folder, job in pairs],
    )


defs = definitions(Path(os.environ.get(REPOSITORY, ".")).resolve())
