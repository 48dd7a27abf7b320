"""One measure's stored values as a matrix, read piece by piece: the one thing selection keeps."""

from collections.abc import Collection, Iterator

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.grid.differences import Reals, direction
from pipeline.pieces import Frames, in_pieces


def read_matrix(
    per_query: Frames, measure: str, *, without: Collection[str] = ()
) -> tuple[list[str], list[str], Reals]:
    """Configurations by queries.

    Args:
        per_query: SWEEP_PER_QUERY, whole or in pieces; every configuration on the same queries.
        measure: which one.
        without: queries to leave out; those where any configuration's value is undefined are
            left out as well.

    Returns:
        Configurations, sorted; queries, sorted; (configurations, queries), more is better.
    """
    queries: list[str] = []
    ids: list[str] = []
    rows: list[Reals] = []
    for piece in _of_measure(per_query, measure):
        names = piece["configuration"].rle().struct.field("value").to_list()
        # A configuration may go on in the next piece.
        ids += names[1:] if ids and names and names[0] == ids[-1] else names
        if len(ids) and len(names) and ids[0] == names[0]:
            queries += piece.filter(pl.col("configuration") == ids[0])["query_id"].to_list()
        rows.append(piece["value"].to_numpy().astype(np.float64))
    values = _joined(rows).reshape(len(ids), len(queries))
    kept = ~np.isnan(values).any(axis=0)
    kept &= ~np.isin(np.array(queries, dtype=object), list(without))
    if not kept.all():
        values = values[:, kept]
    values *= direction(measure)
    asked = [query for query, there in zip(queries, kept, strict=True) if there]
    return (ids if asked else []), asked, values if asked else np.empty((0, 0))


def _of_measure(per_query: Frames, measure: str) -> Iterator[pl.DataFrame]:
    for piece in in_pieces(per_query):
        mine = piece.filter(pl.col("measure") == measure)
        yield mine.sort("configuration", "query_id").select("configuration", "query_id", "value")


def _joined(rows: list[Reals]) -> Reals:
    """One array; each part is let go of as soon as it is in there."""
    whole: npt.NDArray[np.float64] = np.empty(sum(map(len, rows)))
    place = 0
    for number, part in enumerate(rows):
        whole[place : place + len(part)] = part
        place += len(part)
        rows[number] = part[:0].copy()
    return whole
