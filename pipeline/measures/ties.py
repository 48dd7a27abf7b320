"""How far a measure could move were items of equal score ordered another way."""

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import polars as pl

from pipeline.measures.frames import Repeats, arrange, judged_pairs
from pipeline.measures.kernels import measure_lists
from pipeline.measures.lists import UNJUDGED, Counts, Grades, Lists, Truth, Values
from pipeline.measures.names import Measure, parse_measure

Merits = Callable[[Lists, int], Grades]


def _gain(lists: Lists, rel: int) -> Grades:
    return np.where(lists.grades > 0, lists.grades, 0)


def _relevant(lists: Lists, rel: int) -> Grades:
    relevant: Grades = (lists.grades >= rel).astype(np.int64)
    return relevant


def _known(lists: Lists, rel: int) -> Grades:
    return np.where(lists.grades == UNJUDGED, 0, 1)


def _preferred(lists: Lists, rel: int) -> Grades:
    """Bpref passes over the unjudged: they may stand between, at no gain and no loss."""
    counted = lists.grades >= 0
    return np.where(counted, np.where(lists.grades >= rel, 2, 0), 1)


def _required(lists: Lists, rel: int) -> Grades:
    return lists.required.astype(np.int64)


# What makes an item worth more at an earlier rank. Moving the better one of two neighbours up never
# lowers the measure (raises it, for ZeroHit), so sorting by it within ties gives both ends.
MERITS: Mapping[str, Merits] = {
    "nDCG": _gain,
    "R": _relevant,
    "P": _relevant,
    "RR": _relevant,
    "AP": _relevant,
    "Success": _relevant,
    "ZeroHit": _relevant,
    "RBP": _relevant,
    "Judged": _known,
    "Bpref": _preferred,
    "EvidenceCoverage": _required,
    "AllEvidence": _required,
}


def tie_range(
    measure: Measure, lists: Lists, blocks: Counts, truth: Truth, *, rel: int
) -> tuple[Values, Values]:
    """The least and the greatest value of each list over all orders of its tied items.

    Args:
        measure: which one.
        lists: as in `Lists`, whole: a tie may reach over the cutoff.
        blocks: (…, queries, depth), rising; items of one block are tied.
        truth: of the same queries.
        rel: the collection's lowest relevant grade, where the measure names none.

    Returns:
        Both exact, for lists that hold each evidence once; NaN where undefined.
    """
    threshold = rel if measure.rel is None else measure.rel
    merits = MERITS[measure.family](lists, threshold)
    ends = [
        measure_lists(measure, _sorted(lists, np.lexsort((sign * merits, blocks))), truth, rel=rel)
        for sign in (1, -1)
    ]
    return np.minimum(*ends), np.maximum(*ends)


def _sorted(lists: Lists, order: Grades) -> Lists:
    return Lists(
        np.take_along_axis(lists.grades, order, axis=-1),
        lists.returned,
        np.take_along_axis(lists.required, order, axis=-1),
    )


def tie_ranges(
    run: pl.DataFrame,
    judgments: pl.DataFrame,
    measures: Iterable[str],
    *,
    rel: int = 1,
    queries: Iterable[str] | None = None,
    required: pl.DataFrame | None = None,
    repeats: Repeats = "reject",
) -> pl.DataFrame:
    """The range of each measure for each query over the orders of items with equal scores.

    Args:
        run: query_id, rank, evidence_id, score; neighbours by rank with the same score are tied,
            those without a score are not.
        judgments: as for `per_query`.
        measures: names of measures computed here; others are left out.
        rel: as for `per_query`.
        queries: as for `per_query`.
        required: as for `per_query`.
        repeats: as for `per_query`; of a list that repeats evidence both ends are outer bounds.

    Returns:
        query_id, measure, lowest, highest; sorted by query_id, then measure; null: undefined.
    """
    parsed = {name: parse_measure(name) for name in sorted(measures)}
    own = {name: one for name, one in parsed.items() if not one.foreign}
    pairs = judged_pairs(judgments)
    asked = sorted(set(pairs["query_id"] if queries is None else queries))
    lists, truth = arrange(run, pairs, queries=asked, required=required, repeats=repeats)
    blocks = _blocks(run, asked, lists.grades.shape)
    ranges = [tie_range(one, lists, blocks, truth, rel=rel) for one in own.values()]
    frames = [
        pl.DataFrame(
            {"query_id": asked, "measure": name, "lowest": low, "highest": high},
            schema={
                "query_id": pl.String,
                "measure": pl.String,
                "lowest": pl.Float64,
                "highest": pl.Float64,
            },
        ).with_columns(pl.col("lowest", "highest").fill_nan(None))
        for name, (low, high) in zip(own, ranges, strict=True)
    ]
    return pl.concat(frames).sort("query_id", "measure") if frames else _EMPTY


_EMPTY = pl.DataFrame(
    schema={
        "query_id": pl.String,
        "measure": pl.String,
        "lowest": pl.Float64,
        "highest": pl.Float64,
    }
)


def has_ties(run: pl.DataFrame) -> bool:
    """Whether any two neighbours of a list have the same score."""
    return bool(_ordered(run)["tied"].any())


def _ordered(run: pl.DataFrame) -> pl.DataFrame:
    """The rows by query and rank, and whether each has the score of the one before it."""
    before = pl.col("score").shift(1).over("query_id")
    return run.sort("query_id", "rank").with_columns(
        tied=(pl.col("score") == before).fill_null(False)
    )


def _blocks(run: pl.DataFrame, queries: list[str], shape: tuple[int, ...]) -> Counts:
    places = pl.DataFrame(
        {"query_id": queries, "row": range(len(queries))},
        schema={"query_id": pl.String, "row": pl.Int64},
    )
    rows = _ordered(run).with_columns(
        column=pl.int_range(pl.len()).over("query_id"),
        block=(~pl.col("tied")).cum_sum().over("query_id"),
    )
    placed = rows.join(places, on="query_id")
    # Past its end a list has nothing to order: later blocks, each by itself.
    blocks = np.broadcast_to(np.arange(shape[-1]) + shape[-1] + 1, shape).copy()
    blocks[placed["row"].to_numpy(), placed["column"].to_numpy()] = placed["block"].to_numpy()
    return blocks
