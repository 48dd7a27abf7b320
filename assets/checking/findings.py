"""What a check finds: problems, warnings, facts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from pipeline.errors import CollectionError, RankgateError

Kind = Literal["problem", "warning", "fact"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of a check.

    Args:
        kind: a problem stops the study, a warning does not, a fact is for planning.
        text: where, what, found, expected, next command.
    """

    kind: Kind
    text: str


def problem(error: RankgateError) -> Iterator[Finding]:
    """An error as problems: a collection's, each by itself."""
    lines = error.problems if isinstance(error, CollectionError) else (str(error),)
    yield from (Finding("problem", line) for line in lines)


def tried(attempt: Callable[[], object]) -> Iterator[Finding]:
    """The problem that an attempt meets, or nothing."""
    try:
        attempt()
    except RankgateError as error:
        yield from problem(error)
