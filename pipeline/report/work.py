"""The work that a query is: what can be said of cost without a clock."""

from collections.abc import Mapping
from typing import Any

from pipeline.params import Params
from pipeline.report.numbers import count


def work(decision: Mapping[str, Any], params: Params) -> list[tuple[str, str]]:
    """Searches and documents per query, of the selected configuration and of what is live.

    Args:
        decision: decision.json.
        params: section candidates; production.
    """
    selected = decision["selected"]
    rows = [("context", f"{count(params.context.depth, 'item')} for the generator per query")]
    if selected is not None:
        rows.insert(0, ("selected", _said(selected["depths"])))
    if params.production is not None:
        depth = params.candidates[params.production].depth
        rows.insert(1, ("production", _said({params.production: depth})))
    return rows


def untimed(decision: Mapping[str, Any], params: Params) -> str:
    """Why there are no times, and what to run where running helps.

    Args:
        decision: decision.json.
        params: section candidates.
    """
    used = (decision["selected"] or {}).get("depths", {})
    recorded = [name for name in sorted(used) if params.candidates[name].kind == "recorded"]
    if recorded:
        return f"not measured: {', '.join(recorded)} is recorded, so it cannot be timed here"
    return "not measured: run `rankgate time`, then `dvc repro`"


def _said(depths: Mapping[str, int]) -> str:
    lists = " + ".join(f"{name} {depth}" for name, depth in sorted(depths.items()))
    searches = count(len(depths), "search", "searches")
    return f"{searches} per query, up to {sum(depths.values()):,} documents ({lists})"
