"""Measures of a run, query by query."""

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from pipeline.measures.foreign import foreign_values
from pipeline.measures.frames import Repeats, arrange, judged_pairs
from pipeline.measures.kernels import measure_lists
from pipeline.measures.names import Measure, parse_measure


def per_query(
    run: pl.DataFrame,
    judgments: pl.DataFrame,
    measures: Iterable[str | Measure],
    *,
    rel: int = 1,
    queries: Iterable[str] | None = None,
    required: pl.DataFrame | None = None,
    repeats: Repeats = "reject",
) -> pl.DataFrame:
    """The value of each measure for each query, as trec_eval or ir_measures computes it.

    Args:
        run: query_id, rank, evidence_id; rank decides the order, gaps in it are closed. Queries
            that are not asked for are passed over.
        judgments: query_id, evidence_id, grade; rows of another `status` than judged (where
            there is that column) say nothing.
        measures: names as in ir_measures (`nDCG@10`, `R@100`, `P(rel=2)@5`), or measures.
        rel: lowest relevant grade, where the name gives none.
        queries: the queries to return; those with judgments where None.
        required: query_id, evidence_id of required evidence.
        repeats: an evidence twice in one list is refused (`reject`), or only its first place
            gains (`first_gains`).

    Returns:
        query_id, measure (the name as given), value; sorted by query_id, then measure. A query
        that the run lacks has 0; null is *undefined*: no relevant item is known, nothing was
        returned (Judged), or no evidence is required.

    Raises:
        ParameterError: a name that is not a measure's.
        ContractError: a column is missing, a null, a repeated rank or evidence.
        RecordError: a pair has two different grades.
    """
    parsed = {str(name): _parsed(name) for name in sorted(measures, key=str)}
    pairs = judged_pairs(judgments)
    asked = _judged(pairs) if queries is None else sorted(set(queries))
    lists, truth = arrange(run, pairs, queries=asked, required=required, repeats=repeats)
    values = np.full((len(asked), len(parsed)), np.nan)
    foreign = [column for column, one in enumerate(parsed.values()) if one.foreign]
    for column, measure in enumerate(parsed.values()):
        if not measure.foreign:
            values[:, column] = measure_lists(measure, lists, truth, rel=rel)
    if foreign:
        names = [one.foreign for one in parsed.values() if one.foreign]
        values[:, foreign] = foreign_values(names, run, pairs, asked, rel=rel, repeats=repeats)
    return _tidy(asked, list(parsed), values)


def _judged(pairs: pl.DataFrame) -> list[str]:
    return pairs["query_id"].unique().sort().to_list()


def _parsed(name: str | Measure) -> Measure:
    return parse_measure(name) if isinstance(name, str) else name


def _tidy(queries: Sequence[str], names: Sequence[str], values: np.ndarray) -> pl.DataFrame:
    frame = pl.DataFrame(
        {
            "query_id": np.repeat(np.array(queries, dtype=object), len(names)),
            "measure": list(names) * len(queries),
            "value": values.ravel(),
        },
        schema={"query_id": pl.String, "measure": pl.String, "value": pl.Float64},
    )
    return frame.with_columns(pl.col("value").fill_nan(None))
