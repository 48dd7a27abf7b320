"""Does the selected configuration ask for more than is allowed?"""

from collections.abc import Iterator

import polars as pl

from pipeline.gates.findings import Findings
from pipeline.gates.gate import ROUNDING, Gate, Part, Status, whole
from pipeline.params import WorkLimit
from pipeline.systems import SELECTED

_WORDS = {
    "requests": "requests to indexes",
    "candidates": "candidates fetched from indexes",
    "documents": "documents fetched for the context",
    "context_tokens": "context tokens",
}
_FEWER = (
    "Declare smaller depths, fewer branches or a smaller context in params.yaml and run "
    "`dvc repro`."
)
_SOURCES = {"record": "counted by rankgate time", "lists": "counted in the stored lists"}


def cost(findings: Findings) -> Gate | None:
    """The cost gate: what a query asks for, in means, absolute or as a ratio to the comparator.

    These are counts, the same in every run: they are held against their limits as they are.

    Args:
        findings: the study's measurements; COST.

    Returns:
        pass where every declared limit is kept, fail where one is not; not_measured where a
        quantity was not counted. None where it was not asked for.
    """
    declared = findings.params.decision.cost
    if declared is None:
        return None
    limits = {name: getattr(declared, name) for name in _WORDS}
    parts = [
        part
        for name, limit in limits.items()
        if limit is not None
        for part in _parts(findings, name, limit)
    ]
    return whole("cost", parts, required=True, unit="per query, or ratio")


def _parts(findings: Findings, quantity: str, limit: WorkLimit) -> Iterator[Part]:
    counted = _counted(findings, quantity)
    if SELECTED not in counted:
        yield _uncounted(findings, quantity)
        return
    ours, source = counted[SELECTED]
    if limit.most is not None:
        yield _held(quantity, ours, limit.most, "per query", source)
    if limit.ratio is None:
        return
    branches = [findings.branch_behind(name) for name in findings.comparators]
    ratios = {name: ours / counted[name][0] for name in branches if counted.get(name, (0,))[0]}
    for name, ratio in sorted(ratios.items(), key=lambda pair: -pair[1]):
        yield _held(quantity, ratio, limit.ratio, f"times {name}'s", source)
    for name in sorted(set(branches) - set(ratios)):
        yield _nothing_to_divide_by(quantity, name)


def _counted(findings: Findings, quantity: str) -> dict[str, tuple[float, str]]:
    """System to its mean per query; all from one source, so that a ratio compares like things."""
    rows = findings.cost.filter(pl.col("quantity") == quantity)
    by_source = {
        source: {
            system: (value, source)
            for system, value in rows.filter(pl.col("source") == source)
            .select("system", "value")
            .iter_rows()
        }
        for source in ("record", "lists")
    }
    needed = {SELECTED, *(findings.branch_behind(name) for name in findings.comparators)}
    return by_source["record"] if needed <= set(by_source["record"]) else by_source["lists"]


def _held(quantity: str, observed: float, limit: float, unit: str, source: str) -> Part:
    status: Status = "pass" if observed <= limit + ROUNDING else "fail"
    return Part(
        status=status,
        reason=f"{_WORDS[quantity]}: {observed:.4g} {unit}; the limit is {limit:g}",
        evidence={
            "quantity": quantity,
            "unit": unit,
            "observed": observed,
            "limit": limit,
            "source": _SOURCES[source],
        },
        observed=observed,
        limit=limit,
        next=_FEWER if status == "fail" else None,
    )


def _uncounted(findings: Findings, quantity: str) -> Part:
    reason = f"{_WORDS[quantity]} cannot be counted: "
    if findings.selection.get("configuration") is None:
        reason += "no configuration is selected"
        step = "Judge queries of the dev side, then `dvc repro`."
    else:
        reason += "the collection has no text"
        step = f"Set decision.cost.{quantity} to null in params.yaml."
    return Part("not_measured", reason, {"quantity": quantity}, next=step)


def _nothing_to_divide_by(quantity: str, name: str) -> Part:
    return Part(
        "not_measured",
        f"{_WORDS[quantity]}: {name} asks for none, so there is no ratio to it",
        {"quantity": quantity, "baseline": name},
        next=f"Declare decision.cost.{quantity}.most in params.yaml instead of a ratio.",
    )
