"""A branch says that it found nothing, and that all is well."""

from pipeline.faults.fault import Fault, no_list

EMPTY = Fault(
    "{} silently empty",
    "the branch replies with an empty list and no error",
    "answered from the others; marked as partial where the branch always lists something (dense), "
    "else as empty: one such reply cannot be told from a true one, a run of them can",
    lambda hit: no_list(hit, status="ok"),
)
