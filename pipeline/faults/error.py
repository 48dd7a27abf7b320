"""A branch fails at every call."""

from pipeline.faults.fault import Fault, no_list

ERROR = Fault(
    "{} failing",
    "the branch raises",
    "answered from the others, marked as partial",
    lambda hit: no_list(hit, status="error"),
)
