"""The fusion contract, whole, in words."""

from collections.abc import Mapping
from typing import Any

from pipeline.report.blocks import Block, Facts, Paragraph, Section
from pipeline.report.stored import Stored

MISSING = {
    "skip": "an item missing from a list gets nothing from it (skip)",
    "past_depth": "an item missing from a list is ranked at that branch's depth + 1 (past_depth)",
}
DUPLICATES = {
    "reject": "a document twice in one list is refused (reject)",
    "keep_first": "of a document twice in one list the first row is kept (keep_first)",
}


def fusion(stored: Stored) -> Section:
    """Everything another engineer needs to fuse the same lists to the same order."""
    contract = stored.selection.get("contract")
    blocks: list[Block] = [Paragraph("Nothing was selected, so nothing is fused.")]
    if contract:
        blocks = [Facts(_rows(contract))]
    return Section(
        "fusion",
        "The fusion contract",
        "Exactly how are the lists fused, to the last tie?",
        blocks,
    )


def _rows(contract: Mapping[str, Any]) -> list[tuple[str, str]]:
    known = [
        ("method", f"{contract['method']}: {contract['formula']}"),
        ("rank constant k", _number(contract["rank_constant"])),
        ("weights", _pairs(contract["weights"])),
        ("depths", _pairs(contract["depths"])),
        ("order of branches", ", ".join(contract.get("order") or []) or "plays no part"),
        ("least scores", _pairs(contract.get("minima") or {}) or "play no part"),
        ("ranks", f"start at {contract['first_rank']}"),
        ("steps", contract["steps"]),
        ("level", f"{contract['level']}: every system, branches included, is collapsed to it"),
        ("representative", f"{contract['representative']}; {contract['representatives']} kept"),
        ("missing", MISSING[contract["missing"]]),
        ("duplicates", DUPLICATES[contract["duplicates"]]),
        ("scores of items", contract["scores_of_items"]),
        ("normalisation", contract["normalisation"]),
        ("sum", contract["sum"]),
        ("ties", contract["ties"]),
        ("weight 0", contract["weight_zero"]),
        ("output depth", f"{contract['output_depth']} items; fewer are returned as they are"),
    ]
    said = {"method", "formula", "rank_constant", "weights", "depths", "order", "minima"}
    said |= {"first_rank", "steps", "level", "representative", "representatives", "missing"}
    said |= {"duplicates", "scores_of_items", "normalisation", "sum", "ties", "weight_zero"}
    rest = sorted(set(contract) - said - {"output_depth"})
    return [*known, *((name.replace("_", " "), str(contract[name])) for name in rest)]


def _number(constant: float | None) -> str:
    return "the method has none" if constant is None else f"{constant:g}"


def _pairs(pairs: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {number:g}" for name, number in sorted(pairs.items()))
