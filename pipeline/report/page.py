"""Writes the page: the first screen, then the sections; escaped, in one file."""

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from pipeline.gates.gate import SEVERITY
from pipeline.report.answer import measured, opening, tally, verdict
from pipeline.report.blocks import Section
from pipeline.report.reference import reference
from pipeline.report.stored import Stored

_SIGNS: Mapping[str, str] = {
    "pass": "✓",
    "fail": "✗",
    "unresolved": "?",
    "not_measured": "○",
    "not_applicable": "–",
}
_TONES: Mapping[str, str] = {
    "pass": "good",
    "fail": "bad",
    "unresolved": "open",
    "not_measured": "open",
    "not_applicable": "muted",
}


@cache
def environment() -> Environment:
    """The templates beside this file; everything is escaped, a name misspelt is an error."""
    made = Environment(
        loader=PackageLoader("pipeline", "report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["commands"] = commands
    made.filters["svg"] = Markup  # only charts of our own, whose text is escaped already
    return made


def render(stored: Stored, sections: Sequence[Section]) -> str:
    """The page.

    Args:
        stored: what the stages stored.
        sections: what follows the first screen.

    Returns:
        HTML, one file, with a final newline.
    """
    row = reference(stored.decision, stored.evaluation_summary.get("branches") or {})
    return (
        environment()
        .get_template("page.html")
        .render(
            css=stylesheet(),
            study=stored.params.study,
            decision=stored.decision,
            verdict=verdict(stored.decision),
            tally=tally(row),
            measured=measured(stored.decision, row),
            opening=opening(stored.decision),
            required=_gates(stored.decision, required=True),
            advisory=_gates(stored.decision, required=False),
            sections=sections,
        )
        + "\n"
    )


def commands(text: str) -> Markup:
    """Plain sentences with what stands in backticks as code, everything escaped."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # a backtick of somebody's own
        return escape(text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if place % 2 else part
        for place, part in enumerate(parts)
    )


def stylesheet() -> Markup:
    """The page's CSS, as it is in its file."""
    text = resources.files("pipeline.report").joinpath("style.css").read_text(encoding="utf-8")
    return Markup(text)  # noqa: S704 - our own file


def _gates(decision: Mapping[str, Any], *, required: bool) -> list[dict[str, Any]]:
    """Those in the way of shipping first."""
    gates = [
        {
            **gate,
            "name": gate["gate"].replace("_", " "),
            "said": gate["status"].replace("_", " "),
            "sign": _SIGNS[gate["status"]],
            "tone": _TONES[gate["status"]],
        }
        for gate in decision["gates"]
        if gate["required"] == required
    ]
    return sorted(gates, key=lambda gate: SEVERITY.index(gate["status"]))
