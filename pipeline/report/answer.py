"""The answer in one sentence, and what was measured in another."""

from collections.abc import Mapping
from typing import Any

from pipeline.report.numbers import count, signed
from pipeline.report.reference import Row

VERDICTS: Mapping[tuple[str, str], str] = {
    ("ship", "improve"): "Yes: fusing improves the evidence enough to ship it.",
    ("ship", "not_worse"): "Yes: fusing is not worse by more than allowed.",
    ("hold", "improve"): "No: do not ship this fusion.",
    ("hold", "not_worse"): "No: do not ship this fusion.",
    ("inconclusive", "improve"): "Not settled: the evidence allows neither yes nor no.",
    ("inconclusive", "not_worse"): "Not settled: the evidence allows neither yes nor no.",
    ("sealed", "improve"): "Not answered yet: the test is sealed. Dev only, no test figure here.",
    ("sealed", "not_worse"): "Not answered yet: the test is sealed. Dev only, no test figure here.",
}


def verdict(decision: Mapping[str, Any]) -> str:
    """What the word means for this study's question."""
    return VERDICTS[decision["word"], decision["question"]]


def measured(decision: Mapping[str, Any], row: Row | None) -> str:
    """What the selected configuration did against the reference.

    Args:
        decision: decision.json.
        row: see `reference`.
    """
    selected = decision["selected"]
    if selected is None:
        return "Nothing could be selected: no dev query has judged relevant evidence."
    if row is None:
        return f"{selected['description']}: no judged query compares it with a baseline yet."
    return (
        f"{selected['description']}: {_change(decision['measure'], row)} "
        f"{row['baseline']}{_interval(row)}, on {_groups(row)}."
    )


def tally(row: Row | None) -> str:
    """Of how many queries how many are better, worse, the same; nothing where none is compared."""
    if row is None:
        return ""
    compared = row["wins"] + row["losses"] + row["ties"]
    return (
        f"Of {count(compared, row['split'] + ' query', row['split'] + ' queries')}: "
        f"{row['wins']} better, {row['losses']} worse, {row['ties']} the same."
    )


def sureness(row: Row | None) -> str:
    """What the interval stands on: the groups' weight, and other ways to draw it."""
    if row is None or row["low"] is None:
        return ""
    said = [f"largest group {row['largest_group']:.1%} of queries"]
    if row["design_effect"] is not None:
        said.append(f"design effect {row['design_effect']:.2f}")
    if row["without_one_low"] is not None:
        said.append(_span("without one group", row["without_one_low"], row["without_one_high"]))
    if row["bca_low"] is not None:
        said.append(_span("BCa", row["bca_low"], row["bca_high"]))
    return ", ".join(said)


def _span(words: str, low: float, high: float) -> str:
    return f"{words} {signed(low)} to {signed(high)}"


def _change(measure: str, row: Row) -> str:
    delta = row["delta"]
    if delta is None:
        return f"no {measure} difference is known to"
    return f"{measure} {signed(delta)} against"


def _interval(row: Row) -> str:
    if row["low"] is None or row["high"] is None:
        return " (no interval)"
    return f" (L\u00a0{signed(row['low'])}, U\u00a0{signed(row['high'])})"


def _groups(row: Row) -> str:
    compared = row["wins"] + row["losses"] + row["ties"]
    queries = count(compared, f"{row['split']} query", f"{row['split']} queries")
    return f"{queries} in {count(row['groups'], 'group')}"


def opening(decision: Mapping[str, Any]) -> str:
    """Whether the test is open, as which selection, at which level."""
    number, alpha = decision["openings"]["opening"], decision["openings"]["alpha"]
    bounds = f"L and U are one-sided bounds at alpha {alpha:.3g}"
    if number is None:
        return (
            f"Test sealed: every figure is dev's, on which the configuration was chosen. {bounds}."
        )
    if number == 1:
        return f"Test opened, first selection on this test set. {bounds}."
    return f"Test opened as selection {number} on this test set. {bounds}."
