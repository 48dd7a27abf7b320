"""The declared gates: one file each, one entry each."""

from collections.abc import Callable, Mapping

from pipeline.gates.authorization import authorization
from pipeline.gates.cost import cost
from pipeline.gates.coverage import coverage
from pipeline.gates.degraded import degraded
from pipeline.gates.equal_work import equal_work
from pipeline.gates.findings import Findings
from pipeline.gates.gate import Gate, Status
from pipeline.gates.latency import latency
from pipeline.gates.metamorphic import metamorphic
from pipeline.gates.pinned import pinned
from pipeline.gates.primary import primary
from pipeline.gates.robust import robust
from pipeline.gates.slices import slices
from pipeline.gates.stability import stability
from pipeline.gates.zero_hits import zero_hits

__all__ = ["GATES", "Findings", "Gate", "Status", "evaluate_gates"]

# In the order they are shown. A gate that is neither asked for nor measured returns None.
GATES: Mapping[str, Callable[[Findings], Gate | None]] = {
    "primary": primary,
    "authorization": authorization,
    "slices": slices,
    "pinned": pinned,
    "zero_hits": zero_hits,
    "latency": latency,
    "cost": cost,
    "degraded": degraded,
    "coverage": coverage,
    "robust": robust,
    "equal_work": equal_work,
    "stability": stability,
    "metamorphic": metamorphic,
}


def evaluate_gates(findings: Findings) -> list[Gate]:
    """Every gate that is asked for or measured, in the order of `GATES`."""
    verdicts = [gate(findings) for gate in GATES.values()]
    return [verdict for verdict in verdicts if verdict is not None]
