"""A study's folder: where its files lie, and where the state that several studies share lies."""

import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.errors import MissingError, first_three
from pipeline.params import Params, read_params

if TYPE_CHECKING:
    from pipeline.cache import Cache


@dataclass(frozen=True)
class StudyFolder:
    """The folder of one study.

    Args:
        root: the folder that holds `params.yaml`, `dvc.yaml` and `data/`.
    """

    root: Path

    @cached_property
    def params(self) -> Params:
        """The study's parameters, read once."""
        return read_params(self.root / "params.yaml")

    @property
    def data(self) -> Path:
        """Where every stage writes."""
        return self.root / "data"

    @property
    def repository(self) -> Path:
        """The repository's root: DVC's inside a stage, else the nearest folder with `.dvc`.

        Raises:
            MissingError: there is none.
        """
        if "DVC_ROOT" in os.environ:
            return Path(os.environ["DVC_ROOT"])
        here = self.root.resolve()
        for folder in (here, *here.parents):
            if (folder / ".dvc").is_dir():
                return folder
        raise MissingError(
            "no DVC repository here or above", where=self.root, next_command="rankgate init"
        )

    @property
    def cache(self) -> "Cache | None":
        """Where the studies of the repository keep indexes and embeddings; None outside of one."""
        # Imported here: most commands keep nothing, and it brings numpy.
        from pipeline.cache import Cache

        try:
            return Cache(self.repository / ".rankgate" / "cache")
        except MissingError:
            return None

    @property
    def is_this_repository(self) -> bool:
        """Whether this study's code lies beside it (Rankgate's own checkout)."""
        return (self.root / "assets" / "stages.py").is_file()


def study_folder(path: Path | None = None) -> StudyFolder:
    """The study in `path`, or in the current folder.

    Raises:
        MissingError: there is no `params.yaml`; names the studies that are near.
    """
    root = path or Path()
    if (root / "params.yaml").is_file():
        return StudyFolder(root)
    near = studies_near(root)
    make = "rankgate init DIR --collection PATH, or --study DIR"
    raise MissingError(
        "no study here",
        where=root / "params.yaml",
        found=f"studies in {first_three(near)}" if near else None,
        next_command=f"cd {near[0]}, or --study {near[0]}" if near else make,
    )


def studies_near(root: Path) -> list[Path]:
    """The folders of studies beneath, where they usually lie, and the study around a folder."""
    beneath = [root.glob(f"{place}/params.yaml") for place in ("*", "studies/*")]
    around = [Path(os.path.relpath(one, root.resolve())) for one in root.resolve().parents]
    found = [file.parent for files in beneath for file in sorted(files)]
    found += [root / up for up in around if (root / up / "params.yaml").is_file()]
    # Other tools have a params.yaml too; a study has its dvc.yaml and its records beside it.
    return [one for one in found if all((one / name).exists() for name in ("dvc.yaml", "data"))]
