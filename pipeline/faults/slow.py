"""A branch is slower than its budget."""

from pipeline.faults.fault import Fault, no_list

SLOW = Fault(
    "{} slower than its budget",
    "the branch replies after its budget",
    "not waited for: answered from the others, marked as partial",
    lambda hit: no_list(hit, status="timeout"),
)
