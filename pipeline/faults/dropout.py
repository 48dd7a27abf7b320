"""A branch is switched off: it is known to be out, and nobody waits for it."""

from pipeline.faults.fault import Fault, no_list

DROPOUT = Fault(
    "without {}",
    "the branch is switched off",
    "answered from the others, marked as partial",
    lambda hit: no_list(hit, status="error"),
)
