"""The limits a study declares, and those that were changed after the test was opened.

A limit that is moved once the test is known proves nothing: the decision says which were.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pipeline.ledger import Opening
from pipeline.params import Params


def declared_limits(params: Params) -> dict[str, Any]:
    """Everything that decides the word and can be changed without another selection.

    Returns:
        Key of params.yaml, dotted, to its value; written on the ledger's line at opening.
    """
    return {
        "question": params.question,
        "collection.regime": params.collection.regime,
        "collection.rel": params.collection.rel,
        "selection.measure": params.selection.measure,
        "evaluation.alpha": params.evaluation.alpha,
        "evaluation.slices.minimum": params.evaluation.slices.minimum,
        **dict(_flat("decision", params.decision.model_dump(mode="json"))),
    }


def changed_limits(
    ledger: Sequence[Opening], test_set: str, params: Params
) -> list[dict[str, Any]]:
    """The limits that are not what they were when this test set was first opened.

    Args:
        ledger: the record of openings, in its order; a line without limits says nothing.
        test_set: hash of the test set.
        params: the study's parameters now.

    Returns:
        `key, opened_with, now`, sorted by key; null where one was not declared.
    """
    known = [one.limits for one in ledger if one.test_set == test_set and one.limits is not None]
    if not known:
        return []
    first, now = known[0], declared_limits(params)
    return [
        {"key": key, "opened_with": first.get(key), "now": now.get(key)}
        for key in sorted({*first, *now})
        if first.get(key) != now.get(key)
    ]


def told(changed: Mapping[str, Any]) -> str:
    """One changed limit as a sentence.

    Args:
        changed: an entry of `changed_limits`.
    """
    before, now = (_shown(changed[name]) for name in ("opened_with", "now"))
    return (
        f"{changed['key']} is {now}, and was {before} when this test set was first opened:"
        " a limit that moved since then proves nothing"
    )


def _shown(value: Any) -> str:
    return "not declared" if value is None else str(value)


def _flat(key: str, value: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, Mapping):
        yield key, value
        return
    for name, inner in value.items():
        yield from _flat(f"{key}.{name}", inner)
