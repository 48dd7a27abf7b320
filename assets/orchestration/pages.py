"""What Dagster shows of a stage and of a gate."""

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg


def asset_key(study: str, key: Sequence[str]) -> dg.AssetKey:
    """`[study, stage]` or `[study, candidates, BRANCH]`."""
    return dg.AssetKey([study, *key])


def page(summary: Mapping[str, Any]) -> dict[str, Any]:
    """A stage's summary as metadata: figures as they are, its small table as a table."""
    shown: dict[str, Any] = {}
    for name, value in summary.items():
        if name == "table":
            shown[name] = dg.MetadataValue.md(_markdown(value))
        elif isinstance(value, bool | int | float | str):
            shown[name] = value
        elif value is not None:
            shown[name] = dg.MetadataValue.json(value)
    return shown


def gate_results(study: str, decision: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each gate of a decision as a check of the decision asset; a hold blocks nothing."""
    return [
        {
            "asset_key": asset_key(study, ["decision"]),
            "check_name": gate["gate"],
            "passed": gate["status"] != "fail",
            "severity": severity(gate),
            "metadata": gate_page(gate),
        }
        for gate in decision["gates"]
    ]


def severity(gate: Mapping[str, Any]) -> dg.AssetCheckSeverity:
    """A required gate is an error when it fails, an advisory one a warning."""
    return dg.AssetCheckSeverity.ERROR if gate["required"] else dg.AssetCheckSeverity.WARN


def gate_page(gate: Mapping[str, Any]) -> dict[str, Any]:
    """A gate's record as metadata."""
    return {
        name: value if isinstance(value, bool | int | float | str) else dg.MetadataValue.json(value)
        for name, value in gate.items()
        if name != "gate" and value is not None
    }


def _markdown(table: Mapping[str, Any]) -> str:
    rows = [table["columns"], ["---"] * len(table["columns"]), *table["rows"]]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows)


def _cell(value: object) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)
    return text.replace("|", "\\|").replace("\n", " ")
