"""ranx, another implementation, where its definitions agree with ours.

Its scores for a few lists are kept in `tests/golden/ranx_fusion.json`; a slow test asks ranx
again, whose import takes seconds.

Where it differs: ranx gives no weights to these methods, so its scores are ours times the number
of branches; its ISR multiplies by the number of lists that hold the document; its Borda counts
places from the number of candidates of all lists and gives a missing document a share, ours
counts from the declared depth and gives nothing (equal where all lists hold the same documents);
its min-max of a constant list is 0, ours 1; its ties follow no stated rule, so scores are
compared here, not order.
"""

import json
from pathlib import Path

import pytest
from listing import even, lists, scored

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "ranx_fusion.json").read_text())
RANX = {
    "rrf": ("rrf", {"params": {"k": 60}}),
    "isr": ("isr", {}),
    "combsum": ("sum", {"norm": "min-max"}),
    "combmnz": ("mnz", {"norm": "min-max"}),
    "borda": ("bordafuse", {}),
}


def listed(method: str) -> dict[str, dict[str, float]]:
    return GOLDEN["permutations" if method == "borda" else "lists"]


@pytest.mark.parametrize("method", RANX)
def test_scores_are_those_of_ranx(method):
    branches = listed(method)
    frame = lists(**{name: {"q1": ranked} for name, ranked in branches.items()})
    depth = max(len(ranked) for ranked in branches.values())
    found = scored(frame, even(method, *branches, depth=depth))
    expected = GOLDEN["scores"][method]
    assert set(found) == set(expected)
    for name, score in found.items():
        holders = sum(name in ranked for ranked in branches.values())
        times = len(branches) * (holders if method == "isr" else 1)
        assert score * times == pytest.approx(expected[name], rel=1e-9), name


@pytest.mark.slow
@pytest.mark.parametrize("method", RANX)
def test_the_kept_scores_are_what_ranx_says(method, ranx):
    name, options = RANX[method]
    runs = [ranx.Run({"q1": ranked}) for ranked in listed(method).values()]
    fused = ranx.fuse(runs=runs, method=name, **options).to_dict()["q1"]
    assert fused == pytest.approx(GOLDEN["scores"][method], rel=1e-12)
