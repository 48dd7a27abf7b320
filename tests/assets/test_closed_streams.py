"""Whom to ask: nobody where a scheduler closed the streams."""

import io
import sys

import pytest

from assets.asking import ask, asker


class Terminal(io.StringIO):
    """A stream with somebody in front of it."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("given", "shown", "asks"),
    [
        (Terminal(), Terminal(), True),
        (io.StringIO(), Terminal(), False),
        (Terminal(), io.StringIO(), False),
        (None, Terminal(), False),
        (Terminal(), None, False),
        (None, None, False),
    ],
)
def test_only_a_person_at_both_ends_is_asked(
    given: io.StringIO | None,
    shown: io.StringIO | None,
    asks: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as changed:
        changed.setattr(sys, "stdin", given)
        changed.setattr(sys, "stdout", shown)
        found = asker()
    assert found is (ask if asks else None)
