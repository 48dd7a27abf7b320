"""Tries readers on hurt files until the time is up, and says what became of each."""

import signal
import time
import traceback
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import FrameType

from pipeline.errors import RankgateError
from tests.fuzz.mutations import mutated
from tests.fuzz.readers import QUERIES, Reader

PATIENCE = 300  # seconds for one small file, of which the longest takes a few hundredths
LONGEST_MESSAGE = 20_000
TWINS_REFUSE = (ValueError, LookupError, TypeError, AttributeError, OSError, EOFError, zlib.error)


@dataclass(slots=True)
class Outcome:
    """What became of the files given to readers.

    Args:
        counts: reader and outcome (read, refused) to number.
        failures: one text for each file that was met with a traceback, a hang or in silence.
    """

    counts: dict[str, Counter[str]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)

    def table(self) -> str:
        """Counts as lines of a table."""
        rows = [("reader", "read", "refused"), *self._rows()]
        return "\n".join(f"{name:<26}{read:>9}{refused:>9}" for name, read, refused in rows)

    def _rows(self) -> Iterator[tuple[object, object, object]]:
        for name, count in self.counts.items():
            yield name, count["read"], count["refused"]
        whole = sum(self.counts.values(), Counter[str]())
        yield "all", whole["read"], whole["refused"]


class HangError(Exception):
    """A reader did not come back."""


@contextmanager
def patience(seconds: float) -> Iterator[None]:
    """Raises HangError in the block once it has taken that long."""

    def stop(_: int, __: FrameType | None) -> None:
        raise HangError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def fuzz(
    readers: Sequence[Reader], place: Path, *, seed: int, seconds: float, least: int
) -> Outcome:
    """Gives each reader one hurt file after the other.

    Args:
        readers: in turn.
        place: a folder of one's own.
        seed: the same seed gives the same files in the same order.
        seconds: stop after these.
        least: but not before every reader has had as many files.
    """
    outcome = Outcome({reader.name: Counter() for reader in readers})
    until, number = time.monotonic() + seconds, 0
    while number < least or time.monotonic() < until:
        for reader in readers:
            content = mutated(Random(f"{seed} {reader.name} {number}"), reader.seed)
            _try(reader, content, place / reader.name.replace(" ", "_"), number, outcome)
        number += 1
    return outcome


def _try(reader: Reader, content: bytes, place: Path, number: int, outcome: Outcome) -> None:
    path = place / reader.file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    if reader.name == "whole collection":
        (place / "queries.jsonl").write_bytes(QUERIES)
    told = f"{reader.name}, file {number}: "
    try:
        with patience(PATIENCE):
            found = reader.read(path)
    except RankgateError as problem:
        outcome.counts[reader.name]["refused"] += 1
        outcome.failures += [told + words for words in _unspeakable(str(problem))]
    except HangError:
        outcome.failures.append(f"{told}no answer in {PATIENCE} s\n{content[:500]!r}")
    except Exception:  # noqa: BLE001 - whatever it is, it is a traceback to the user
        outcome.failures.append(f"{told}{traceback.format_exc()}\n{content[:500]!r}")
    else:
        outcome.counts[reader.name]["read"] += 1
        outcome.failures += [told + words for words in _silent(reader, content, found)]


def _unspeakable(message: str) -> Iterator[str]:
    """A message must be one that a terminal can show."""
    if len(message) > LONGEST_MESSAGE:
        yield f"a message of {len(message)} characters"
    try:
        message.encode()
    except UnicodeEncodeError:
        yield f"a message that is no UTF-8: {message[:200]!r}"


def _silent(reader: Reader, content: bytes, found: object) -> Iterator[str]:
    """What is read is what is written."""
    if reader.twin is None:
        return
    try:
        expected = reader.twin(content)
    except TWINS_REFUSE as no:
        yield f"read, though its twin cannot: {no!r}\n{content[:500]!r}"
        return
    if found != expected:
        yield f"read as {found!r}\nis {expected!r}\n{content[:500]!r}"
