"""What `dagster dev` loads: every study of the repository."""

import os
from pathlib import Path

import dagster as dg

from assets.folder import StudyFolder
from assets.orchestration.chain import chain
from assets.orchestration.pages import identifier
from assets.orchestration.watch import corpus_sensor, nightly, study_job
from pipeline.errors import ParameterError

REPOSITORY = "RANKGATE_REPOSITORY"


def studies(repository: Path) -> list[StudyFolder]:
    """The study at the repository's root and those under `studies/`, where they are.

    Raises:
        ParameterError: two of them have a name that Dagster takes for the same.
    """
    roots = [repository, *sorted((repository / "studies").glob("*"))]
    found = [StudyFolder(root) for root in roots if (root / "params.yaml").is_file()]
    names: dict[str, StudyFolder] = {}
    for folder in found:
        other = names.setdefault(identifier(folder.params.study), folder)
        if other is not folder:
            raise ParameterError(
                "two studies of one repository have the same name",
                where=f"{folder.root / 'params.yaml'}: study",
                found=f"{folder.params.study}, and {other.params.study} in {other.root}",
                expected="names that differ in a letter or figure",
            )
    return found


def definitions(repository: Path) -> dg.Definitions:
    """Assets, checks, job, sensor and schedule of every study."""
    found = [(folder, chain(folder)) for folder in studies(repository)]
    jobs = [(folder, study_job(folder, assets)) for folder, assets in found]
    return dg.Definitions(
        assets=[assets for _, assets in found],
        jobs=[job for _, job in jobs],
        sensors=[corpus_sensor(folder, job) for folder, job in jobs],
        schedules=[nightly(folder, job) for folder, job in jobs],
        executor=dg.in_process_executor,
    )


defs = definitions(Path(os.environ.get(REPOSITORY, ".")).resolve())
