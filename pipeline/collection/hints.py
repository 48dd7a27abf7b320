"""What a collection's judgments suggest of themselves, where the declaration says otherwise."""

from collections.abc import Iterator

import polars as pl

from pipeline.params import CollectionParams

# With known items only, a query has a few judged relevant ones and nothing beside them.
FEW = 3.0
ENOUGH = 20  # queries below which such a mean says nothing


def hints(judgments: pl.DataFrame, params: CollectionParams) -> Iterator[str]:
    """A scale whose top never occurs, and judgments that look like known items only.

    Both change the answer: unjudged evidence may be worth the top of the scale, and where
    nothing but relevant items was ever judged, what is unjudged was never looked at.

    Args:
        judgments: `query_id, evidence_id, grade`, as read, grades mapped to the scale.
        params: the declared regime, scale and threshold.

    Yields:
        One sentence each, with the option of `rankgate init` and the key of params.yaml.
    """
    graded = judgments.drop_nulls("grade")
    if graded.is_empty():
        return
    yield from _scale(graded, params)
    yield from _regime(graded, params)


def _scale(graded: pl.DataFrame, params: CollectionParams) -> Iterator[str]:
    low, high = params.scale
    found = sorted(set(graded["grade"].to_list()))
    top = max(found[-1], params.rel, low + 1)
    if top < high:
        shown = ", ".join(str(grade) for grade in found[:5])
        yield (
            f"collection.scale: the grades are {shown}, and the scale goes up to {high}, which"
            f" unjudged evidence is then allowed to be worth. If none is higher:"
            f" --scale {low} {top}, scale: [{low}, {top}]"
        )


def _regime(graded: pl.DataFrame, params: CollectionParams) -> Iterator[str]:
    queries = graded["query_id"].n_unique()
    mean = graded.height / queries
    only_relevant = (graded["grade"] >= params.rel).all()
    if params.regime == "pooled" and only_relevant and mean <= FEW and queries >= ENOUGH:
        yield (
            f"collection.regime: pooled, but nothing below rel was ever judged, and {mean:.1f}"
            f" items a query. If only known items are judged: --regime sparse, regime: sparse"
        )
