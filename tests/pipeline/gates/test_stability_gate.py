"""Whether the selected configuration is a region of the grid."""

from dataclasses import replace

import pytest

from pipeline.gates import GATES
from tests.findings import deciding, findings


@pytest.mark.parametrize("status", ["pass", "fail", "unresolved", "not_applicable"])
@pytest.mark.parametrize("required", [True, False])
def test_is_what_selection_found(status, required):
    made = findings(of=deciding({"stability": required}))
    gate = GATES["stability"](replace(made, selection={**made.selection, "stability": status}))
    assert (gate.status, gate.required) == (status, required)
