"""What stands in grade cells: whole numbers, or labels that are mapped to grades."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from pipeline.collection.problems import Problems
from pipeline.collection.ratings import Opinion

SHOWN = 10  # different labels that one message lists; where there are more, it is another column
LETTERS = 40  # of a label
# Spreadsheets write 2 as 2.0, or 2,0 where the comma is the decimal sign.
_WHOLE = re.compile(r"([-+]?[0-9]{1,15})(?:[.,]0+)?")


class Labels:
    """The mapping of labels, and which labels it lacks in the file that is being read.

    Args:
        mapped: label to grade, unknown or abstained.
    """

    def __init__(self, mapped: Mapping[str, Opinion]) -> None:
        self._mapped = mapped
        self._seen: set[str] = set()
        self._lacking: dict[str, Counter[str]] = {}
        self._first: dict[str, int] = {}

    def opinion(self, line: int, column: str, cell: str) -> Opinion | None:
        """The grade that a cell means; None, and noted, where it means none.

        Args:
            line: where the cell stands.
            column: the name of its column.
            cell: what it holds, blanks around it taken off.
        """
        if cell in self._mapped:
            self._seen.add(cell)
            return self._mapped[cell]
        whole = _WHOLE.fullmatch(cell)
        if whole is not None:
            return int(whole[1])
        self._lacking.setdefault(column, Counter())[cell[:LETTERS]] += 1
        self._first.setdefault(column, line)
        return None

    def tell(self, path: Path, problems: Problems) -> None:
        """One problem for each column: every label that is not mapped, and how often it stands.

        Args:
            path: the file that was read.
            problems: takes them.
        """
        idle = self._idle()
        for column, labels in self._lacking.items():
            lacking = f"; nothing in the file is {_shown(idle)}" if idle else ""
            problems.add(
                path,
                f"no grade in column {column!r}",
                line=self._first[column],
                found=_shown([f"{label} ({count} times)" for label, count in labels.most_common()]),
                expected=f"whole numbers, or labels that are mapped to one{lacking}",
                next_command="--grade LABEL=GRADE for each label, spelt as in the file",
            )

    def notes(self, path: Path) -> list[str]:
        """What a person should read though every cell has a grade: mappings that match nothing.

        Args:
            path: the file that was read.
        """
        idle = [] if self._lacking else self._idle()
        return [f"nothing in {path.name} is {_shown(idle)} of --grade"] if idle else []

    def _idle(self) -> list[str]:
        return [
            f"{label}={said}" for label, said in self._mapped.items() if label not in self._seen
        ]


def _shown(items: Sequence[str]) -> str:
    more = f" and {len(items) - SHOWN} more" if len(items) > SHOWN else ""
    return ", ".join(items[:SHOWN]) + more
