"""The three ways a screen is written: for a terminal, for a chat or pull request, for a browser."""

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape

from pipeline.printable import NO_BREAK, printable
from pipeline.report.numbers import signed
from pipeline.report.one_screen import Example, Screen
from pipeline.report.page import environment, stylesheet

WIDTH, GUTTER = 80, 10


def as_text(screen: Screen) -> str:
    """Plain text, 80 columns, nothing that a terminal would obey."""
    first = f"{screen.word.upper()}  {printable(screen.study)}"
    lines = [first, *_wrapped(screen.verdict), ""]
    lines += [*_wrapped(screen.measured), *_wrapped(screen.tally), ""]
    for name, said in _parts(screen, _plain_example):
        lines += _labelled(name, said)
    return "\n".join(lines) + "\n"


def as_markdown(screen: Screen) -> str:
    """Markdown, in which no id or text is markup."""
    lines = [f"## {screen.word.upper()}: {_quoted(screen.study)}", "", f"**{screen.verdict}**", ""]
    lines += [_quoted(f"{screen.measured} {screen.tally}".strip()), ""]
    for name, said in _parts(screen, _markdown_example):
        lines += [f"**{name.capitalize()}**", "", *(f"- {each}" for each in said), ""]
    return "\n".join(lines)


def as_html(screen: Screen) -> str:
    """A page of its own, in the report's dress: one file, no request, no script."""
    template = environment().get_template("one_screen.html")
    parts = list(_parts(screen, _plain_example))
    return template.render(screen=screen, parts=parts, css=stylesheet()) + "\n"


# By the name of the format.
RENDERERS: Mapping[str, Callable[[Screen], str]] = {
    "text": as_text,
    "markdown": as_markdown,
    "html": as_html,
}


def _parts(
    screen: Screen, example: Callable[[Example], str]
) -> Iterator[tuple[str, Sequence[str]]]:
    """What follows the answer, in its order; what is empty says so."""
    quoted = _quoted if example is _markdown_example else str
    yield "why", [quoted(reason) for reason in screen.reasons]
    if screen.sure:
        yield "sure", [quoted(screen.sure)]
    yield "cost", [quoted(each) for each in screen.cost]
    yield "gained", [example(one) for one in screen.gained] or ["no query"]
    yield "lost", [example(one) for one in screen.lost] or ["no query"]
    yield "change", [quoted(step) for step in screen.change]
    yield "test", [quoted(screen.opening)]
    if screen.notes:
        yield "note", [quoted(note) for note in screen.notes]
    yield "measured", [quoted(screen.how.removeprefix("How measured: "))]


def _plain_example(one: Example) -> str:
    return f"{one.query_id} {signed(one.delta)} {one.text}".rstrip()


def _markdown_example(one: Example) -> str:
    return (
        f"{_code(one.query_id)} {signed(one.delta)} {_quoted(one.text, everything=True)}".rstrip()
    )


def _wrapped(text: str, label: str = "") -> list[str]:
    """Lines of at most `WIDTH`; under a label, which stands before the first, indented."""
    return textwrap.wrap(
        printable(text).replace(NO_BREAK, " "),
        WIDTH,
        initial_indent=label,
        subsequent_indent=" " * len(label),
    )


def _labelled(name: str, said: Sequence[str]) -> Iterator[str]:
    for place, each in enumerate(said):
        yield from _wrapped(each, f"{name if place == 0 else '':<{GUTTER}}")


def _code(name: str) -> str:
    """A code span that no backtick and no blank line of the name can end."""
    name, fence = printable(name), "`"
    while fence in name:
        fence += "`"
    return f"`{name}`" if fence == "`" else f"{fence} {name} {fence}"


def _quoted(text: str, *, everything: bool = False) -> str:
    """Text that stays text; our own sentences keep their backticks."""
    safe = escape(printable(text), quote=False)
    if not everything:
        return safe
    return "".join(f"\\{letter}" if letter in "\\`*_[]#|~!" else letter for letter in safe)
