"""Asks on a terminal, where there is one: what an import declares of judgments."""

import sys
from typing import Any, TextIO

import click

from pipeline.collection.declared import Ask

REGIME = (
    "How complete are the judgments: everything relevant is judged (exhaustive), what systems"
    " returned was judged (pooled), only known items (sparse)?"
)


def asker() -> Ask | None:
    """Asks the person at the terminal; None where there is none."""
    return ask if is_terminal(sys.stdin) and is_terminal(sys.stdout) else None


def is_terminal(stream: TextIO | None) -> bool:
    """Whether somebody sits there; None is what Python has of a stream that was closed before."""
    return stream is not None and stream.isatty()


def ask(name: str, default: Any) -> Any:
    """Asks for regime, scale (two whole numbers) or rel; Enter takes the default."""
    if name == "regime":
        known = click.Choice(["exhaustive", "pooled", "sparse"])
        return click.prompt(REGIME, type=known, default=default)
    if name == "scale":
        low, high = default
        return (
            click.prompt("The lowest grade of the scale", type=int, default=low),
            click.prompt("The highest grade of the scale", type=int, default=high),
        )
    return click.prompt("An item is relevant from which grade on", type=int, default=default)
