"""What Dagster shows of a stage and of a gate."""

from collections.abc import Mapping, Sequence
from typing import Any

import dagster as dg

from assets.orchestration.pictures import picture
from pipeline.gates import GATES

# A gate in one of these states stands in nobody's way; any other state is shown as not passed.
CLEAR = {"pass", "not_applicable"}
NOT_ASKED = {
    "required": False,
    "status": "not_applicable",
    "reason": "params.yaml names no limit for it",
}


def asset_key(study: str, key: Sequence[str]) -> dg.AssetKey:
    """`[study, stage]` or `[study, candidates, BRANCH]`."""
    return dg.AssetKey([study, *key])


def identifier(study: str) -> str:
    """A study's name in the letters that Dagster takes for groups, jobs and sensors."""
    return "".join(c if c.isalnum() and c.isascii() else "_" for c in study)


def page(summary: Mapping[str, Any], stage: str = "", how: str = "") -> dict[str, Any]:
    """A stage's summary as metadata: figures as they are, first; then a picture, then its table.

    Args:
        summary: its figures and table.
        stage: its name, for the picture; none is drawn without.
        how: how its values came about, in one line; stands under the table.
    """
    shown = {name: _shown(each) for name, each in summary.items() if each is not None}
    plain = {name: each for name, each in shown.items() if not isinstance(each, dg.MetadataValue)}
    if drawn := picture(stage, summary):
        plain["picture"] = drawn
    if "table" in shown:
        plain["table"] = dg.MetadataValue.md(
            _markdown(summary["table"]) + (f"\n\n{how}" if how else "")
        )
    return {**plain, **{name: each for name, each in shown.items() if name not in plain}}


def gate_results(study: str, decision: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every gate as a check of the decision asset; none of them blocks anything.

    A gate that is neither asked for nor measured passes, and says so.

    Args:
        study: the study's name.
        decision: decision.json.

    Returns:
        For each gate, what Dagster's check results and check events are made of.
    """
    gates = dict.fromkeys(GATES, NOT_ASKED) | {g["gate"]: g for g in decision["gates"]}
    return [
        {
            "asset_key": asset_key(study, ["decision"]),
            "check_name": name,
            "passed": gate["status"] in CLEAR,
            "severity": _severity(gate),
            "description": gate["reason"],
            "metadata": _gate_page(gate),
        }
        for name, gate in gates.items()
    ]


def _severity(gate: Mapping[str, Any]) -> dg.AssetCheckSeverity:
    """A required gate that fails is an error; what is advisory or not known yet is a warning."""
    holds = gate["required"] and gate["status"] == "fail"
    return dg.AssetCheckSeverity.ERROR if holds else dg.AssetCheckSeverity.WARN


def _gate_page(gate: Mapping[str, Any]) -> dict[str, Any]:
    return {n: _shown(v) for n, v in gate.items() if n not in {"gate", "reason"} and v is not None}


def _shown(value: Any) -> Any:
    plain = isinstance(value, bool | int | float | str)
    return value if plain else dg.MetadataValue.json(value)


def _markdown(table: Mapping[str, Any]) -> str:
    rows = [table["columns"], ["---"] * len(table["columns"]), *table["rows"]]
    return "\n".join("| " + " | ".join(_cell(cell) for cell in row) + " |" for row in rows)


def _cell(value: object) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)
    return text.replace("|", "\\|").replace("\n", " ")
