"""The stage `report`: one page that needs no network, for people."""

from dataclasses import dataclass, replace
from typing import Any

import polars as pl

from pipeline.clearance import cleared, cleared_pairs, refuse_uncleared
from pipeline.report.blocks import Section
from pipeline.report.page import render
from pipeline.report.sections import sections
from pipeline.report.stored import Stored


@dataclass(frozen=True, slots=True)
class Report:
    """What the stage writes.

    Args:
        html: the page: one file, no request, no script.
        summary: the word, how many bytes, and a table of the sections.
    """

    html: str
    summary: dict[str, object]


def compute(*, forbidden: pl.DataFrame, **results: Any) -> Report:
    """The page of a study.

    Args:
        forbidden: FORBIDDEN: nothing of it is shown.
        results: what `Stored` holds, each by its name, the study's parameters among them; the
            text of documents and queries is shown only where `report.text` is true.
    """
    given = Stored(**results)
    refuse_uncleared(given.decision, forbidden, where="decision/decision.json")
    stored = replace(
        given,
        critical=cleared_pairs(given.critical, forbidden, given.documents),
        runs=cleared(given.runs, given.authorization, forbidden),
    )
    shown = sections(stored)
    html = render(stored, shown)
    return Report(html, _summary(stored, shown, html))


def _summary(stored: Stored, shown: list[Section], html: str) -> dict[str, object]:
    rows = [[one.id, one.title, len(one.blocks)] for one in shown]
    return {
        "word": stored.decision["word"],
        "bytes": len(html.encode("utf-8")),
        "text": stored.params.report.text,
        "table": {"columns": ["section", "title", "blocks"], "rows": rows},
    }
