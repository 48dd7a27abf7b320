"""Does the selected configuration cost more than the gain is worth?"""

from pipeline.gates.findings import Findings
from pipeline.gates.gate import Gate, not_measured


def cost(findings: Findings) -> Gate | None:
    """The cost gate: not measured where it is asked for, and not shown where it is not.

    Args:
        findings: the study's measurements; none of them counts what a request costs.
    """
    if findings.params.decision.cost is None:
        return None
    missing = "requests, documents fetched and context tokens per query are not counted"
    return not_measured("cost", missing, required=True, step=_STEP)


_STEP = "Set decision.cost to null in params.yaml, and weigh the cost beside this decision."
