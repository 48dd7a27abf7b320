"""The bar: late, seldom, on a terminal only."""

import io
from types import SimpleNamespace

import pytest

from pipeline import progress as module
from pipeline.progress import progress


class Terminal(io.StringIO):
    """A screen that keeps what was written on it."""

    def isatty(self) -> bool:
        return True


class Clock:
    """A clock that moves when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(module, "monotonic", clock)
    return clock


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    screen = Terminal()
    # Not sys.stderr itself: pytest puts its own there between fixture and test.
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=screen))
    return screen


def test_work_of_more_than_two_seconds_shows_a_bar_with_its_rate(
    terminal: Terminal, clock: Clock
) -> None:
    with progress("searching", 100, unit="queries") as advance:
        for _ in range(5):
            clock.now += 1.0
            advance(20)
    assert "searching" in terminal.getvalue()
    assert "100%" in terminal.getvalue()
    # 100 queries in 5 seconds
    assert "20.0 queries/s" in terminal.getvalue()


def test_steps_smaller_than_the_unit_are_scaled(terminal: Terminal, clock: Clock) -> None:
    with progress("reading", 6_000_000, unit="MB", scale=1_000_000) as advance:
        clock.now += 3.0
        advance(6_000_000)
    assert "2.0 MB/s" in terminal.getvalue()


def test_quick_work_shows_nothing(terminal: Terminal, clock: Clock) -> None:
    with progress("searching", 2, unit="queries") as advance:
        clock.now += 1.9
        advance(2)
    assert terminal.getvalue() == ""


def test_between_two_drawings_steps_are_only_counted(terminal: Terminal, clock: Clock) -> None:
    with progress("searching", 1000, unit="queries") as advance:
        clock.now += 3.0
        advance(1)
        drawn = terminal.getvalue()
        advance(400)
        assert terminal.getvalue() == drawn
        clock.now += 1.0
        advance(99)
        assert "50%" in terminal.getvalue()


def test_without_a_terminal_nothing_is_written(
    capsys: pytest.CaptureFixture[str], clock: Clock
) -> None:
    with progress("searching", 10, unit="queries") as advance:
        clock.now += 60.0
        advance(10)
    assert capsys.readouterr() == ("", "")


def test_without_standard_error_work_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "sys", SimpleNamespace(stderr=None))
    with progress("searching", 1, unit="queries") as advance:
        advance(1)


def test_nothing_to_do_shows_nothing(terminal: Terminal) -> None:
    with progress("searching", 0, unit="queries"):
        pass
    assert terminal.getvalue() == ""


def test_a_failure_passes_through_and_ends_the_line(terminal: Terminal, clock: Clock) -> None:
    with pytest.raises(ValueError, match="broken"):
        _break_off(clock)
    assert terminal.getvalue().endswith("\n")


def _break_off(clock: Clock) -> None:
    with progress("searching", 10, unit="queries") as advance:
        clock.now += 3.0
        advance(5)
        raise ValueError("broken")
