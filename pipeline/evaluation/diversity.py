"""The selected list made more diverse, in two ways: ablations, never selected.

Both put the same items in another order. What lies below the part that they look at stays where it
was.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.measures import parse_measure
from pipeline.params import Params
from pipeline.systems import MMR, SELECTED, SOURCE_CAP
from pipeline.tables import RUNS

Reals = npt.NDArray[np.float64]

# Digits of a similarity: the same whatever the processor.
DIGITS = 6


def source_capped(runs: pl.DataFrame, candidates: pl.DataFrame, params: Params) -> pl.DataFrame:
    """At most `evaluation.source_cap` items of a source within the cutoff, the next ones promoted.

    The cutoff is the primary measure's, else the context's depth. Where a list holds too few other
    sources the places left are filled in the old order.

    Args:
        runs: RUNS with the selected system.
        candidates: CANDIDATES: the source of each document.
        params: the cap, the cutoff.

    Returns:
        RUNS of the system `source_cap`, without scores; empty where no cap is declared.
    """
    cap = params.evaluation.source_cap
    if cap is None:
        return RUNS.empty()
    cutoff = parse_measure(params.selection.measure).cutoff or params.context.depth
    sources = candidates.select("doc_id", "source_id").unique("doc_id", maintain_order=True)
    own = ["query_id", "source_id"]
    within = pl.int_range(pl.len()).over(own) < cap
    listed = (
        runs.filter(pl.col("system") == SELECTED)
        .sort("query_id", "rank")
        .join(sources, on="doc_id", how="left", maintain_order="left")
        .with_columns(within=within)
        .with_columns(shown=pl.col("within") & (_counted("within") <= cutoff))
        .sort("query_id", ~pl.col("shown"), "rank")
    )
    return _as_run(listed, SOURCE_CAP)


def _counted(flag: str) -> pl.Expr:
    return pl.col(flag).cast(pl.Int64).cum_sum().over("query_id")


def mmr(runs: pl.DataFrame, vectors: pl.DataFrame | None, params: Params) -> pl.DataFrame:
    """The first `evaluation.mmr.depth` items by maximal marginal relevance.

    Each place goes to the item with the greatest
    λ · relevance − (1 − λ) · greatest cosine to what stands above (Carbonell & Goldstein, SIGIR
    1998); relevance is the fused score, min-max over those items; equals in the old order.

    Args:
        runs: RUNS with the selected system.
        vectors: VECTORS of the documents; an item without one is like no other.
        params: λ and the depth.

    Returns:
        RUNS of the system `mmr`, without scores; empty where it is not declared.
    """
    declared = params.evaluation.mmr
    if declared is None or vectors is None:
        return RUNS.empty()
    listed = runs.filter(pl.col("system") == SELECTED).sort("query_id", "rank")
    known = _Known.of(vectors, listed.filter(pl.col("rank") <= declared.depth)["doc_id"])
    places = [
        place
        for _, items in listed.group_by("query_id", maintain_order=True)
        for place in _places(items, known, declared.relevance, declared.depth)
    ]
    ordered = listed.with_columns(pl.Series("place", places, dtype=pl.Int64))
    return _as_run(ordered.sort("query_id", "place"), MMR)


@dataclass(frozen=True, slots=True)
class _Known:
    """Vectors of some documents: the rows of a matrix, the last one of zeros for all others."""

    rows: Mapping[str, int]
    matrix: Reals

    @classmethod
    def of(cls, vectors: pl.DataFrame, documents: pl.Series) -> "_Known":
        held = vectors.filter(pl.col("id").is_in(documents.unique().to_list()))
        numbers = held["vector"].explode().to_numpy().astype(np.float64)
        matrix = numbers.reshape(held.height, -1) if held.height else np.empty((0, 1))
        rows = {name: row for row, name in enumerate(held["id"])}
        return cls(rows, np.vstack([matrix, np.zeros((1, matrix.shape[1]))]))

    def of_documents(self, documents: Sequence[str]) -> Reals:
        """A row for each."""
        return self.matrix[[self.rows.get(name, -1) for name in documents]]


def _places(items: pl.DataFrame, vectors: _Known, share: float, depth: int) -> Iterator[int]:
    """The new place of each item of one list."""
    top = items.head(depth)
    scores = top["score"].fill_null(0.0).to_numpy().astype(np.float64)
    order = greedy(_scaled(scores), _cosines(top["doc_id"].to_list(), vectors), share)
    place = {old: new for new, old in enumerate(order)}
    return (place.get(number, number) for number in range(items.height))


def greedy(relevance: Reals, similarity: Reals, share: float) -> list[int]:
    """The order in which items are taken.

    Args:
        relevance: one for each item.
        similarity: (items, items).
        share: λ; 1 keeps the order of relevance.
    """
    left, taken = list(range(len(relevance))), list[int]()
    nearest = np.zeros(len(relevance))
    while left:
        worth = share * relevance[left] - (1.0 - share) * nearest[left]
        best = left[int(np.round(worth, DIGITS).argmax())]
        left.remove(best)
        nearest = similarity[best].copy() if not taken else np.maximum(nearest, similarity[best])
        taken.append(best)
    return taken


def _scaled(scores: Reals) -> Reals:
    least, most = (scores.min(), scores.max()) if len(scores) else (0.0, 0.0)
    if most == least:
        return np.ones(len(scores))
    return np.asarray((scores - least) / (most - least), np.float64)


def _cosines(documents: Sequence[str], vectors: _Known) -> Reals:
    # Half a second to import, and only where it is asked for.
    from sklearn.metrics.pairwise import cosine_similarity

    alike = cosine_similarity(vectors.of_documents(documents)) if documents else np.empty((0, 0))
    return np.asarray(np.round(alike, DIGITS), np.float64)


def _as_run(ordered: pl.DataFrame, system: str) -> pl.DataFrame:
    named = ordered.with_columns(
        pl.lit(system).alias("system"),
        pl.int_range(1, pl.len() + 1).over("query_id").alias("rank"),
        pl.lit(None, dtype=pl.Float64).alias("score"),
    )
    return RUNS.check(named.select(list(RUNS.columns)))
