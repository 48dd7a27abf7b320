"""Which Rankgate a study was made for: an upgrade is a visible edit that reruns the study."""

from importlib.metadata import version

from assets.folder import StudyFolder
from pipeline.errors import ParameterError

VERSION = version("rankgate")


def refuse_other_version(folder: StudyFolder) -> None:
    """Refuses to run a study that declares another version.

    Raises:
        ParameterError: `rankgate` in params.yaml is not the installed version.
    """
    declared = folder.params.rankgate
    if declared is not None and declared != VERSION:
        raise ParameterError(
            "the study was made for another version",
            where=f"{folder.root / 'params.yaml'}: rankgate",
            found=f"{declared}, installed is {VERSION}",
            expected="the installed version",
            next_command=f"set rankgate: {VERSION} and run dvc repro",
        )
