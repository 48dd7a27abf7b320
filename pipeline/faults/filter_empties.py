"""A filter leaves nothing, though documents are eligible."""

from pipeline.faults.fault import Fault, no_list

FILTER_EMPTIES = Fault(
    "{} filtered to nothing",
    "the engine's filter leaves nothing",
    "answered from the others, marked as partial where documents are eligible; the branch is "
    "never asked again without the filter",
    lambda hit: no_list(hit, status="filtered"),
)
