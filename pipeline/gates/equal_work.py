"""Does fusion still win where every system may fetch equally much?"""

from pipeline.gates.findings import Findings
from pipeline.gates.gate import Gate, not_measured


def equal_work(findings: Findings) -> Gate | None:
    """The equal-work gate: not measured where it is asked for, and not shown where it is not.

    Args:
        findings: the study's measurements; none has the selected fusion at cut depths.
    """
    if not findings.params.decision.equal_work:
        return None
    missing = "the selected fusion with its depths cut to those of one branch is not evaluated"
    return not_measured("equal_work", missing, required=True, step=_STEP)


_STEP = (
    "Set decision.equal_work to null in params.yaml, or declare a configuration with depths "
    "that add up to one branch's, and run `dvc repro`."
)
