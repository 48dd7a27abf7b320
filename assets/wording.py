"""A decision in the terminal."""

from collections.abc import Mapping
from typing import Any


def decision_lines(decision: Mapping[str, Any]) -> list[str]:
    """The word, each gate with its reason, and what to do next; one line each."""
    selected = decision.get("selected") or {}
    lines = [f"{decision['word'].upper()}  {selected.get('description', '')}".rstrip()]
    lines += [_gate(gate) for gate in decision["gates"]]
    lines += [f"next: {step}" for step in decision.get("next", [])]
    lines += [f"note: {note}" for note in decision.get("notes", [])]
    return lines


def _gate(gate: Mapping[str, Any]) -> str:
    weight = "required" if gate["required"] else "advisory"
    return f"  {gate['gate']:<14} {gate['status']:<15} {weight}  {gate['reason']}"
