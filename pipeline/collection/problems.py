"""All problems of one reading, gathered so that the user meets them at once."""

from collections import Counter

from pipeline.errors import CollectionError, InputError

SHOWN = 3  # offenders of one kind that are named; the rest are counted


class Problems:
    """Gathers problems with file and line; the same one in one file is shown three times.

    Args:
        where: the file or folder that is being read.
    """

    def __init__(self, where: object) -> None:
        self._where = where
        self._lines: list[str] = []
        self._seen: Counter[tuple[str, str]] = Counter()

    def __len__(self) -> int:
        return sum(self._seen.values())

    def add(
        self,
        where: object,
        what: str,
        *,
        line: int | None = None,
        found: object = None,
        expected: object = None,
        next_command: str | None = None,
    ) -> None:
        """Notes one problem.

        Args:
            where: the file, or the place in words.
            what: the kind of problem, the same words for the same kind.
            line: line number in the file, from 1.
            found: what is there.
            expected: what should be there.
            next_command: what to do about it.
        """
        kind = (str(where), what)
        self._seen[kind] += 1
        if self._seen[kind] > SHOWN:
            return
        place = where if line is None else f"{where}:{line}"
        self._lines.append(
            str(
                InputError(
                    what, where=place, found=found, expected=expected, next_command=next_command
                )
            )
        )

    def raise_if_any(self) -> None:
        """Raises CollectionError with every problem noted so far."""
        if not self._lines:
            return
        more = [
            f"{where}: {what}; {count - SHOWN} more like it"
            for (where, what), count in self._seen.items()
            if count > SHOWN
        ]
        raise CollectionError([*self._lines, *more], where=self._where)
