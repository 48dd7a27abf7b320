"""What a terminal would obey or hide is written as an escape; all else stays."""

import pytest

from pipeline.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("q1", "q1"),
        ("größe – 質問 🙂", "größe – 質問 🙂"),
        (r"C:\new", r"C:\new"),
        ("a\u00a0b", "a\u00a0b"),
        ("\x1b[2Jship", r"\x1b[2Jship"),
        ("a\nb\tc\rd", r"a\nb\tc\rd"),
        ("\u202etxt.exe", r"\u202etxt.exe"),
        ("a\u200bb", r"a\u200bb"),
        ("a\u2028b\x85c", r"a\u2028b\x85c"),
        ("\x9b31m", r"\x9b31m"),
        ("half \ud83d", r"half \ud83d"),
    ],
)
def test_what_cannot_be_printed_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize("text", ["a\x1bb", "a\nb", "\u2066x"])
def test_what_is_escaped_stays_as_it_is(text: str) -> None:
    assert printable(printable(text)) == printable(text)
