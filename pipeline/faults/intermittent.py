"""A branch fails now and then."""

from pipeline.faults.fault import Fault, no_list

# So many that affected and unaffected queries can both be measured.
SHARE = 0.3

INTERMITTENT = Fault(
    "{} failing now and then",
    f"the branch raises in {SHARE:.0%} of its calls",
    "those calls are answered from the others, marked as partial; the rest is untouched",
    lambda hit: no_list(hit, status="error"),
    share=SHARE,
)
