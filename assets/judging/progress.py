"""How far judging has come."""

from collections.abc import Iterator

from assets.artifacts import stored
from assets.folder import StudyFolder
from assets.records import WORKSHEETS
from pipeline.worksheets import judging_progress, read_worksheet


def progress(folder: StudyFolder) -> Iterator[str]:
    """Lines of a small table: pairs of the pool by side and status, and the worksheets there are.

    Raises:
        MissingError: there is no pool yet.
    """
    counts = judging_progress(stored(folder, "pool"), stored(folder, "splits"))
    for row in (counts.columns, *counts.rows()):
        yield "".join(f"{cell!s:>10}" for cell in row)
    for path in sorted((folder.root / WORKSHEETS).glob("*.*")):
        rows = [cells for _, cells in read_worksheet(path)]
        answered = sum(bool(cells["grade"] or cells["status"]) for cells in rows)
        yield f"{path}: {answered} of {len(rows)} answered"
