"""Every error a user can meet, and what each one means.

    RankgateError
    ├── InputError (ValueError)        a file or line that cannot be read as what it should be
    │   └── CollectionError            many problems of one collection, all of them listed
    ├── ParameterError (ValueError)    a parameter or argument that is refused
    ├── MissingError (FileNotFoundError)   a file, record, branch or model that should be there
    ├── RecordError (ValueError)       a record that contradicts itself
    ├── MemoryLimitError (MemoryError) work that needs more memory than there may be
    ├── StorageError (OSError)         a file that cannot be written
    └── ContractError (ValueError)     a contract, list or table that breaks its own rules

A message is one line: where, what, found, expected, and the next command to run.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Self

AGAIN = "Next: correct these and run the same command again"
MOST = 1000  # characters of a place, or of what was found, that a message shows


class RankgateError(Exception):
    """A problem the user can do something about.

    Args:
        what: the problem, in a few words.
        where: file, file:line, or parameter key.
        found: what is there.
        expected: what should be there.
        next_command: what to run or do next.
    """

    def __init__(
        self,
        what: str,
        *,
        where: object = None,
        found: object = None,
        expected: object = None,
        next_command: str | None = None,
    ) -> None:
        self.what, self.where = what, where
        self.found, self.expected, self.next_command = found, expected, next_command
        super().__init__(self._line())

    def under(self, place: str) -> Self:
        """The same problem, its place named from further out: `weights.a` under `selection`."""
        named = place if self.where is None else f"{place}.{self.where}"
        return type(self)(
            self.what,
            where=named,
            found=self.found,
            expected=self.expected,
            next_command=self.next_command,
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """The message in the lines that it is shown in: one, unless it lists."""
        return (str(self),)

    def _line(self) -> str:
        line = f"{shortened(str(self.where))}: {self.what}" if self.where is not None else self.what
        if self.found is not None:
            line += f"; found {shortened(str(self.found))}"
        if self.expected is not None:
            line += f"; expected {self.expected}"
        if self.next_command is not None:
            line += f". Next: {self.next_command}"
        return _whole(line)


def _whole(line: str) -> str:
    """Half a surrogate pair, which JSON can hold, would break whoever prints the message."""
    return line.encode("utf-8", "backslashreplace").decode("utf-8")


def shortened(text: str) -> str:
    """The text, cut where somebody's whole file stands in one field or key."""
    return text if len(text) <= MOST else f"{text[:MOST]}… ({len(text)} characters)"


class InputError(RankgateError, ValueError):
    """A file, line or value that cannot be read as what it should be."""


class CollectionError(InputError):
    """All problems of one collection at once.

    Args:
        problems: one line each, already with file and line.
        where: the collection.
    """

    def __init__(self, problems: Sequence[str], *, where: object) -> None:
        self.problems = tuple(problems)
        super().__init__(f"{len(self.problems)} problem(s)", where=where)

    @property
    def lines(self) -> tuple[str, ...]:
        """The collection, each problem, and what to do."""
        return (super().__str__(), *(f"  {_whole(one)}" for one in (*self.problems, AGAIN)))

    def __str__(self) -> str:
        return "\n".join(self.lines)


class ParameterError(RankgateError, ValueError):
    """A parameter, option or argument that is refused."""


class MissingError(RankgateError, FileNotFoundError):
    """A file, record, branch, model or engine that should be there and is not."""


class RecordError(RankgateError, ValueError):
    """A record (sides, ledger, times, judgments) that contradicts itself."""


class MemoryLimitError(RankgateError, MemoryError):
    """Work that needs more memory than this process may take; refused before it begins."""


class StorageError(RankgateError, OSError):
    """A file that cannot be written: no room, no leave."""


class ContractError(RankgateError, ValueError):
    """A fusion contract, a ranked list or a table that breaks its own rules."""


@contextmanager
def key(place: str) -> Iterator[None]:
    """Names the parameter that a refusal is about, where what refuses knows only the value.

    Args:
        place: the key as it stands in params.yaml.
    """
    try:
        yield
    except ParameterError as problem:
        raise problem.under(place) from None
    except MissingError as problem:
        if problem.where is not None:
            raise
        raise problem.under(place) from problem.__cause__


def first_three(items: Sequence[object]) -> str:
    """The first three offenders, and how many more there are."""
    shown = ", ".join(str(item) for item in items[:3])
    return shown if len(items) <= 3 else f"{shown} and {len(items) - 3} more"
