"""A bar with rate and time left, on a terminal, for whatever takes longer than two seconds.

It writes to standard error and to nothing else; where that is no terminal it is silent. The
clock it reads reaches no output.
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
    if length <= 0 or not _is_terminal():
        yield _silent
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
        spent = max(monotonic() - self._began, 1e-9)
        return f"{self._bar.pos / self._rated / spent:,.1f} {self._unit}/s"


def _one_at_a_time(advance: Advance) -> Advance:
    """Threads that work on parts of the same count draw one at a time."""
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
