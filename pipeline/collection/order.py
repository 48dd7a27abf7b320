"""From a recorded run to ranks: the one place where its order is decided."""

from collections.abc import Callable, Mapping

import polars as pl

from pipeline.errors import ContractError, ParameterError, first_three
from pipeline.recorded import RecordedRun


def order_run(
    recorded: RecordedRun,
    *,
    order: str = "score",
    higher_is_better: bool = True,
    duplicates: str = "reject",
    where: object = None,
) -> pl.DataFrame:
    """Ranks a recorded run; from here on rank is the only order.

    Args:
        recorded: the run as it was read.
        order: `score` (best first, ties by id descending, as trec_eval, in double precision),
            `rank` (the column of that name, smallest first) or `file`.
        higher_is_better: false for distances.
        duplicates: a document twice for one query is refused (`reject`), or its best place is
            kept and the ranks close up (`keep_first`).
        where: the run's file or name, for messages.

    Returns:
        query_id, rank (from 1, no gaps), doc_id, score; key query_id and rank, sorted by it.
        The score of a distance is negated, so that higher is better for whoever reads on.

    Raises:
        ContractError: a score or rank is missing where the order needs it, a rank repeats, a
            document repeats.
        ParameterError: no such order or rule.
    """
    _refuse_unknown("order", order, ORDERS)
    _refuse_unknown("duplicates", duplicates, DUPLICATES)
    results = recorded.results
    if not higher_is_better:
        results = results.with_columns(score=0.0 - pl.col("score"))
    single = DUPLICATES[duplicates](ORDERS[order](results, where), where)
    rank = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query_id").alias("rank")
    return single.select("query_id", rank, "doc_id", "score").sort("query_id", "rank")


def _by_score(results: pl.DataFrame, where: object) -> pl.DataFrame:
    _refuse_missing(results, where, "score", "order: rank or order: file")
    return results.sort("query_id", "score", "doc_id", descending=[False, True, True])


def _by_rank(results: pl.DataFrame, where: object) -> pl.DataFrame:
    _refuse_missing(results, where, "rank", "order: score or order: file")
    repeated = results.filter(pl.struct("query_id", "rank").is_duplicated())
    if repeated.height:
        pairs = repeated.select("query_id", "rank").unique().sort("query_id", "rank")
        raise ContractError(
            "the rank column repeats",
            where=where,
            found=first_three([f"query {query} rank {rank}" for query, rank in pairs.rows()]),
            expected="each rank once for a query",
            next_command="order: score or order: file",
        )
    return results.sort("query_id", "rank")


def _by_file(results: pl.DataFrame, _: object) -> pl.DataFrame:
    return results.sort("query_id", "position")


def _reject(results: pl.DataFrame, where: object) -> pl.DataFrame:
    repeated = results.filter(pl.struct("query_id", "doc_id").is_duplicated())
    if repeated.height:
        places = repeated.group_by("query_id", "doc_id").agg(pl.col("position").sort())
        raise ContractError(
            "a document stands twice in one list",
            where=where,
            found=first_three(
                [
                    f"query {query} document {document} at positions {positions}"
                    for query, document, positions in places.sort("query_id", "doc_id").rows()
                ]
            ),
            expected="each document once for a query",
            next_command="fusion.duplicates: keep_first in the parameters; "
            "measure and fuse take --duplicates keep_first",
        )
    return results


def _keep_first(results: pl.DataFrame, _: object) -> pl.DataFrame:
    return results.unique(["query_id", "doc_id"], keep="first", maintain_order=True)


def _refuse_missing(results: pl.DataFrame, where: object, column: str, instead: str) -> None:
    lacking = results.filter(pl.col(column).is_null())
    if lacking.height:
        pairs = lacking.select("query_id", "doc_id").sort("query_id", "doc_id").rows()
        raise ContractError(
            f"entries without a {column}",
            where=where,
            found=first_three([f"query {query} document {document}" for query, document in pairs]),
            expected=f"a {column} for every entry",
            next_command=instead,
        )


def _refuse_unknown(name: str, value: str, known: Mapping[str, object]) -> None:
    if value not in known:
        raise ParameterError(f"no such {name}", found=value, expected=" or ".join(known))


ORDERS: Mapping[str, Callable[[pl.DataFrame, object], pl.DataFrame]] = {
    "score": _by_score,
    "rank": _by_rank,
    "file": _by_file,
}

DUPLICATES: Mapping[str, Callable[[pl.DataFrame, object], pl.DataFrame]] = {
    "reject": _reject,
    "keep_first": _keep_first,
}
