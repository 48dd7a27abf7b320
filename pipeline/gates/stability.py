"""Is the selected configuration a region of the grid, or a lucky point?"""

from pipeline.gates.findings import Findings
from pipeline.gates.gate import Gate

_STEPS = {
    "fail": ("Declare a configuration, or a coarser grid, in params.yaml and run `dvc repro`.",),
    "unresolved": ("Widen the grid in params.yaml beyond its edge and run `dvc repro`.",),
}


def stability(findings: Findings) -> Gate:
    """The stability gate: the neighbours of the selected configuration do as well as it does.

    Args:
        findings: the study's measurements; selection has judged its own region.

    Returns:
        What selection found; required where `decision.stability` is true.
    """
    status = findings.selection["stability"]
    return Gate(
        "stability",
        required=bool(findings.params.decision.stability),
        status=status,
        reason=_REASONS[status],
        next=_STEPS.get(status, ()),
    )


_REASONS = {
    "pass": "enough neighbours of the selected configuration are tied with the best",
    "fail": "too few neighbours of any tied configuration are tied with the best",
    "unresolved": "the best configuration lies on the edge of the grid",
    "not_applicable": "the configuration was not searched for",
}
