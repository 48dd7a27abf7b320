"""The one sentence that says why a configuration was frozen."""

from collections.abc import Mapping

from pipeline.params import Params
from pipeline.selection.search import Verdict

WIDEN: Mapping[str, str] = {
    "rank_constant": "widen the grid: more rank_constants",
    "weights": "widen the grid: a smaller weight_step",
    "depths": "widen the grid: more depths",
}
"""Axis to what lies beyond its edge."""


def search_reason(verdict: Verdict, params: Params) -> str:
    """Why the rule chose what it chose, and what its stability lacks."""
    choices, measure = verdict.choices, params.selection.measure
    tied = int((choices.tied & choices.admissible).sum())
    firm = int(verdict.firm.sum())
    best = abs(float(choices.means[0, choices.best[0]]))
    kind = "tied with the best and stable" if firm else "tied with the best, none of them stable"
    parts = [
        f"{verdict.chosen.describe()}: the simplest of {firm or tied} configurations {kind} "
        f"(best {measure} {best:.4f} of {len(verdict.points)} points)"
    ]
    if verdict.edges:
        widen = " and ".join(WIDEN[axis] for axis in verdict.edges)
        parts.append(f"the best lies on the edge of {', '.join(verdict.edges)}, {widen}")
    if choices.overruled[0]:
        parts.append("every point would have been excluded, so none was")
    return "; ".join(parts)
