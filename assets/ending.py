"""SIGTERM: whoever ends a command ends what it started too, as with Ctrl-C."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Terminated(KeyboardInterrupt):
    """Somebody asked this process to end; whatever hears an interrupt hears it."""


def hear_termination() -> None:
    """Raises `Terminated` on SIGTERM from now on, unless whoever started this lets it ignore it."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _raise)


def _raise(_number: int, _frame: object) -> None:
    raise Terminated


@contextmanager
def hearing_interrupts() -> Iterator[None]:
    """What is started within hears SIGINT, though a script's shell lets this process ignore it.

    A shell does so with what a script starts in its background, and a child inherits it: it would
    go on to its end after the interrupt that is passed on to it.
    """
    main = threading.current_thread() is threading.main_thread()  # others may set no handler
    ignored = main and signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    if ignored:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        if ignored:
            signal.signal(signal.SIGINT, signal.SIG_IGN)
