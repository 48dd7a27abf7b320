"""How far a piece of work is: a bar on a terminal, elsewhere a line now and then.

Both show rate and time left, and nothing where the work is soon over. They write to standard error
and to nothing else. The clock they read reaches no output.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from threading import Lock
from time import monotonic
from typing import Any

from pipeline.printable import printable

Advance = Callable[[int], None]

PATIENCE = 2.0  # seconds before a bar appears: what is over by then needs none
_REDRAWN = 0.2  # seconds between two drawings: a drawing costs more than most steps
# Seconds before the first line and between two: a log is read later, and should stay short.
LOG_PATIENCE, _LOGGED = 10.0, 30.0


@contextmanager
def progress(label: str, length: int, *, unit: str, scale: int = 1) -> Iterator[Advance]:
    """Shows how far a piece of work is, while the block runs.

    Args:
        label: what is being done.
        length: all of its steps.
        unit: what a step is, in the plural, for the rate: `queries`.
        scale: steps that make one unit: 1,000,000 where bytes are counted and MB shown.

    Returns:
        `advance(steps)`, to be called after each few steps, from any thread; it costs next to
        nothing.
    """
    if length <= 0 or sys.stderr is None:  # Python's word for a closed one
        yield _silent
        return
    if not _is_terminal():
        yield _one_at_a_time(_Lines(label, length, unit, scale).advance)
        return
    with ExitStack() as block:
        bar = _Bar(label, length, unit, scale, block)
        yield _one_at_a_time(bar.advance)
        bar.settle()


class _Bar:
    """Click's bar, drawn late and seldom."""

    __slots__ = ("_bar", "_began", "_block", "_drawn", "_pending", "_rated", "_unit")

    def __init__(self, label: str, length: int, unit: str, scale: int, block: ExitStack) -> None:
        # Imported here: most work that could show a bar shows none.
        import click

        self._began = self._drawn = monotonic()
        self._pending = 0
        self._unit, self._rated = unit, scale
        self._block = block
        self._bar: Any = click.progressbar(
            length=length,
            label=printable(label),  # it may name a file
            file=sys.stderr,
            item_show_func=self._rate,
        )

    def advance(self, steps: int) -> None:
        """Counts steps, and draws where it is time to."""
        self._pending += steps
        now = monotonic()
        if now - self._began < PATIENCE or now - self._drawn < _REDRAWN:
            return
        self._draw(now)

    def settle(self) -> None:
        """Draws what was counted last; nothing where no bar was ever drawn."""
        if self._bar.entered:
            self._draw(monotonic())

    def _draw(self, now: float) -> None:
        if not self._bar.entered:
            self._block.enter_context(self._bar)
        self._bar.update(self._pending)
        self._pending, self._drawn = 0, now

    def _rate(self, _: object) -> str:
        return _rate(self._bar.pos / self._rated, self._began, self._unit)


class _Lines:
    """A line in a log: how much is done, the rate, the time left."""

    __slots__ = ("_began", "_done", "_label", "_length", "_rated", "_said", "_unit")

    def __init__(self, label: str, length: int, unit: str, scale: int) -> None:
        self._began = self._said = monotonic()
        self._done = 0
        self._label, self._length = printable(label), length
        self._unit, self._rated = unit, scale

    def advance(self, steps: int) -> None:
        """Counts steps, and writes a line where it is time to."""
        self._done += steps
        now = monotonic()
        first = self._said == self._began
        if now - self._said < (LOG_PATIENCE if first else _LOGGED):
            return
        self._said = now
        left = (now - self._began) * (self._length - self._done) / max(self._done, 1)
        rate = _rate(self._done / self._rated, self._began, self._unit)
        sys.stderr.write(
            f"{self._label}: {self._done / self._length:.0%}, {rate}, about {left:.0f} s left\n"
        )
        sys.stderr.flush()


def _rate(done: float, began: float, unit: str) -> str:
    return f"{done / max(monotonic() - began, 1e-9):,.1f} {unit}/s"


def _one_at_a_time(advance: Advance) -> Advance:
    """Threads that work on parts of the same count and write no line into another."""
    lock = Lock()

    def locked(steps: int) -> None:
        with lock:
            advance(steps)

    return locked


def _is_terminal() -> bool:
    # Standard error may be closed, or replaced by something that is no file.
    isatty: Callable[[], bool] | None = getattr(sys.stderr, "isatty", None)
    return bool(isatty and isatty())


def _silent(_: int) -> None:
    """Nobody looks."""
