"""What stands under every table of measures: order, gain, relevance, the unjudged."""

from collections.abc import Iterable, Iterator, Mapping

from pipeline.measures import parse_measure
from pipeline.params import RecordedBranch
from pipeline.report.stored import Stored

_GAINS: Mapping[str, str] = {
    "log2": "the grade itself (negative grades count 0)",
    "exp-log2": "2^grade - 1",
}
_UNJUDGED: Mapping[str, str] = {
    "exhaustive": "everything unjudged is known to be irrelevant (regime exhaustive)",
    "pooled": "unjudged evidence counts as irrelevant here, its bounds stand under "
    "“Unjudged evidence” (regime pooled)",
    "sparse": "unjudged evidence counts as irrelevant, so this ranks known items only "
    "(regime sparse)",
}
_ORDERS: Mapping[str, str] = {
    "score": "score, equal scores by id descending",
    "rank": "its rank column",
    "file": "its lines in the file",
}


def measure_note(stored: Stored, measures: Iterable[str]) -> str:
    """How the values of these measures came about, in one paragraph."""
    return "; ".join(_clauses(stored, list(measures))) + "."


def _clauses(stored: Stored, measures: list[str]) -> Iterator[str]:
    yield f"Order: {_order(stored)}"
    for dcg in sorted({parse_measure(name).dcg for name in measures if "nDCG" in name}):
        yield f"gain of nDCG: {_GAINS[dcg]}"
    low, high = stored.params.collection.scale
    yield f"relevant from grade {stored.params.collection.rel} of {low} to {high}"
    yield _UNJUDGED[stored.params.collection.regime]
    yield "macro means over queries; a query answered by nothing counts 0"


def _order(stored: Stored) -> str:
    declared = stored.params.candidates
    recorded = {n: b.order for n, b in declared.items() if isinstance(b, RecordedBranch)}
    said = [f"{name} by {_ORDERS[order]}" for name, order in sorted(recorded.items())]
    searched = sorted(set(declared) - set(recorded))
    if searched:
        said.append(f"{', '.join(searched)} by score, equal scores by id ascending")
    return "; ".join(said) + "; fused lists by score, then better best rank, then smaller id"
