"""Limits that are not what they were when the test was opened."""

from collections.abc import Iterator

from assets.checking.findings import Finding
from assets.checking.inputs import Inputs
from pipeline.decision.limits import changed_limits, told
from pipeline.ledger import test_set_hash
from pipeline.params import Params


def limit_findings(params: Params, inputs: Inputs) -> Iterator[Finding]:
    """A limit that is moved once the test is known proves nothing, and the decision says so.

    Args:
        params: the limits now.
        inputs: sides and ledger, as far as they could be read.
    """
    if inputs.collection is None or inputs.splits is None:
        return
    test_set = test_set_hash(inputs.splits.splits, inputs.collection.queries)
    for changed in changed_limits(inputs.ledger, test_set, params):
        yield Finding("warning", told(changed))
