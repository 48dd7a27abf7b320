"""The documentation names every parameter, stage, command and gate."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from assets.__main__ import COMMANDS
from assets.stages import STAGES
from pipeline.acceptance import MARKS
from pipeline.faults import INJECTED
from pipeline.gates import GATES
from pipeline.operations.invariants import INVARIANTS
from pipeline.params import Params

ROOT = Path(__file__).parents[1]
PARAMETERS = (ROOT / "docs" / "parameters.md").read_text(encoding="utf-8")
GATE_PAGE = (ROOT / "docs" / "gates.md").read_text(encoding="utf-8")
FAULT_PAGE = (ROOT / "docs" / "faults.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")

# Sections whose keys are written out in one cell, as a mapping.
INLINE = {"decision", "candidates", "selection.configuration"}


def _keys(section: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in section.model_fields.items():
        key = f"{prefix}{name}"
        parts = [part for part in _models(field.annotation) if part is not section]
        if parts and key not in INLINE and not prefix:
            yield from _keys(parts[0], f"{key}.")
        elif key not in INLINE:
            yield key


def _models(annotation: Any) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for part in getattr(annotation, "__args__", ()) for model in _models(part)]


@pytest.mark.parametrize("key", list(_keys(Params)))
def test_every_parameter_is_documented(key: str) -> None:
    assert f"`{key}" in PARAMETERS


@pytest.mark.parametrize("key", list(Params.model_fields["decision"].annotation.model_fields))  # type: ignore[union-attr]
def test_every_limit_is_documented(key: str) -> None:
    assert f"`decision.{key}" in PARAMETERS


@pytest.mark.parametrize("gate", list(GATES))
def test_every_gate_is_documented(gate: str) -> None:
    assert f"| `{gate}` |" in GATE_PAGE


@pytest.mark.parametrize("fault", list(INJECTED))
def test_every_fault_is_documented_with_what_is_declared_to_happen(fault: str) -> None:
    one = INJECTED[fault]
    assert f"| `{fault}` | {one.happens} | {one.declared} |" in FAULT_PAGE
    assert f"`{fault}`" in PARAMETERS


@pytest.mark.parametrize("mark", list(MARKS))
def test_every_mark_is_documented_with_what_is_done(mark: str) -> None:
    one = MARKS[mark]
    row = f"| `{mark}` | {one.noticed} | {one.status or 'as it came'} | {one.then} |"
    assert row in FAULT_PAGE


@pytest.mark.parametrize("invariant", INVARIANTS)
def test_every_invariant_is_documented(invariant: str) -> None:
    assert f"* `{invariant}`" in FAULT_PAGE


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_is_in_the_readme(command: str) -> None:
    assert f"`{command}" in README


@pytest.mark.parametrize("stage", [stage.name for stage in STAGES])
def test_every_stage_is_in_the_readme(stage: str) -> None:
    assert f"`{stage}`" in README
