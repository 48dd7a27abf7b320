"""What stands under every table of measures, in one line: order, gain, relevance, the unjudged.

The words behind it stand once on the page, in the section `measures`.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from pipeline.measures import parse_measure
from pipeline.params import Params, RecordedBranch
from pipeline.query_states import NO_JUDGMENTS, NO_RELEVANT, RANKED, UNANSWERABLE
from pipeline.report.stored import Stored

GAINS: Mapping[str, str] = {"log2": "the grade", "exp-log2": "2^grade − 1"}
UNJUDGED: Mapping[str, str] = {
    "exhaustive": "irrelevant, and known to be (exhaustive)",
    "pooled": "irrelevant here, bounded elsewhere (pooled)",
    "sparse": "irrelevant: known items only (sparse)",
}
ORDERS: Mapping[str, str] = {
    "score": "score, id descending",
    "rank": "its rank column",
    "file": "its lines",
}
NOT_COUNTED = (
    "left out of the means: queries that are unanswerable, without relevant evidence found, "
    "or not judged"
)
SEARCHED, FUSED = "score, id ascending", "score, best rank, id ascending"


def measure_note(stored: Stored, measures: Iterable[str], *, side: str | None = None) -> str:
    """How the values of these measures came about, in one line.

    Args:
        stored: what the stages stored.
        measures: their names.
        side: whose queries are counted; None for every open side.
    """
    sides = stored.sides if side is None else (side,)
    return how_measured(stored.params, measures, stored.evaluation_summary, sides=sides)


def how_measured(
    params: Params,
    measures: Iterable[str],
    evaluation_summary: Mapping[str, Any] = MappingProxyType({}),
    *,
    sides: Iterable[str] = (),
) -> str:
    """The same line where no page is made: in a terminal, in MLflow, in Dagster.

    Args:
        params: the study's.
        measures: names of the values shown.
        evaluation_summary: evaluation's summary, for the counts of the queries' states.
        sides: whose queries are counted; without counts the line says who leaves the means.
    """
    counted = [said for one in sides for said in _states(evaluation_summary, one)]
    said = [f"{name} {words}" for name, words in conditions(params, measures).items()]
    return "How measured: " + "; ".join([*said, *(counted or [NOT_COUNTED])]) + "."


def conditions(params: Params, measures: Iterable[str]) -> dict[str, str]:
    """By name, what a value depends on beside list and judgments: order, gain, rel, unjudged."""
    low, high = params.collection.scale
    found = {"order": "; ".join(_orders(params))}
    dcg = sorted({parse_measure(name).dcg for name in measures if name.startswith("nDCG")})
    if dcg:
        found["gain"] = " and ".join(GAINS[one] for one in dcg)
    found["relevant"] = f"from {params.collection.rel} of {low} to {high}"
    found["unjudged"] = UNJUDGED[params.collection.regime]
    return found


def _orders(params: Params) -> Iterator[str]:
    by_rule: dict[str, list[str]] = {}
    for name, branch in sorted(params.candidates.items()):
        rule = ORDERS[branch.order] if isinstance(branch, RecordedBranch) else SEARCHED
        by_rule.setdefault(rule, []).append(name)
    for rule, names in by_rule.items():
        yield f"{', '.join(names)} by {rule}"
    yield f"fused by {FUSED}"


def _states(evaluation_summary: Mapping[str, Any], side: str) -> Iterator[str]:
    """The queries in the mean, and those in the three states that leave it."""
    figures = evaluation_summary.get(side) or {}
    if RANKED in figures:
        yield (
            f"{side}: {figures[RANKED]} of {figures['queries']} queries in the means, "
            f"left out {figures[UNANSWERABLE]} unanswerable, {figures[NO_RELEVANT]} nothing "
            f"relevant found, {figures[NO_JUDGMENTS]} not judged"
        )
