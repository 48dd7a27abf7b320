"""The word of a decision as an exit code for machines."""

from collections.abc import Callable, Mapping
from typing import Any

import click

EXIT: Mapping[str, int] = {"ship": 0, "hold": 3, "inconclusive": 4, "sealed": 5}


def fail_on(default: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The option `--fail-on`, parsed into a set of words.

    Args:
        default: words with commas between them, that end with their code unless said otherwise.
    """
    return click.option(
        "--fail-on",
        "failing",
        default=default,
        show_default=default or "none",
        callback=lambda _context, _option, given: _words(given),
        metavar="WORD,…",
        help="Words that end with their exit code (hold 3, inconclusive 4, sealed 5); "
        "others end with 0.",
    )


def exit_code(word: str, failing: frozenset[str]) -> int:
    """The code of a word that is asked to fail, else 0."""
    return EXIT[word] if word in failing else 0


def _words(given: str) -> frozenset[str]:
    words = frozenset(word.strip() for word in given.split(",") if word.strip())
    strangers = sorted(words - set(EXIT))
    if strangers:
        raise click.BadParameter(f"{strangers[0]!r} is no word; known: {', '.join(EXIT)}")
    return words
