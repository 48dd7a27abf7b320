"""The one baseline that the answer is told against: the one the primary gate hangs on."""

import math
from collections.abc import Mapping
from typing import Any

from pipeline.measures import parse_measure
from pipeline.systems import PRODUCTION

Row = Mapping[str, Any]


def reference(decision: Mapping[str, Any], branches: Mapping[str, Any]) -> Row | None:
    """The comparison that the answer is told with.

    Args:
        decision: decision.json.
        branches: every branch by name (evaluation's summary names them).

    Returns:
        A row of the decision's baselines: that of the first comparison that decides the primary
        gate; before the test is opened the branch or production run with the lowest lower
        bound; None where nothing was compared.
    """
    rows = {row["baseline"]: row for row in decision["baselines"]}
    deciding = _deciding(decision)
    if deciding in rows:
        found: Row = rows[deciding]
        return found
    rivals = [row for name, row in rows.items() if name in branches or name == PRODUCTION]
    better = parse_measure(decision["measure"]).higher_is_better
    return min(rivals, key=lambda row: (_least_gain(row, better), row["baseline"]), default=None)


def _deciding(decision: Mapping[str, Any]) -> str | None:
    gate = next((one for one in decision["gates"] if one["gate"] == "primary"), None)
    if gate is None:
        return None
    parts = [part for part in gate["evidence"] if part.get("status") == gate["status"]]
    return str(parts[0]["baseline"]) if parts else None


def _least_gain(row: Row, higher_is_better: bool) -> float:
    bound = row["low"] if higher_is_better else row["high"]
    if bound is None:
        return -math.inf
    return float(bound) if higher_is_better else -float(bound)
