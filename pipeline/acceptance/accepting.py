"""Each reply held against what the service knows by itself: used, mended or refused."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.acceptance.known import Known
from pipeline.acceptance.marks import MARKS
from pipeline.acceptance.mending import in_order, without_repeats
from pipeline.acceptance.replies import LIST, Replies
from pipeline.serving.states import USED
from pipeline.tables import CANDIDATES


@dataclass(frozen=True, slots=True)
class Accepted:
    """What is fused, and what is said of it.

    Args:
        lists: CANDIDATES: the lists that are used.
        states: branch, query_id, status (`pipeline.serving.Status`), mark (a key of MARKS, or
            null where nothing was noticed); one row for each branch and query.
    """

    lists: pl.DataFrame
    states: pl.DataFrame


def accept(replies: Replies, known: Known) -> Accepted:
    """Decides of every reply by itself what becomes of it, as MARKS declares.

    Nothing is put in the place of what is refused: a fallback may only take away.

    Args:
        replies: what the engines gave.
        known: what the service knows.
    """
    rows = _looked_at(replies, known)
    states = _marked(replies.states, rows, known)
    said = states.select(*LIST, "status", "mark")
    kept = rows.join(said, on=LIST, maintain_order="left").filter(pl.col("status").is_in(_USED))
    lists = without_repeats(in_order(kept, known))
    return Accepted(lists.select(list(CANDIDATES.columns)), said)


_USED = sorted(USED)
_WRONG = ("unknown", "forbidden", "unreal", "repeated", "rises")
_ENGINE = ("timeout", "error", "missing", "partial")


def _looked_at(replies: Replies, known: Known) -> pl.DataFrame:
    """The rows in order of branch, query and rank, with what is wrong with each."""
    rows = replies.lists.sort("branch", "query_id", "rank")
    place, group = known.places(rows["doc_id"]), known.groups(rows["query_id"])
    unknown = place < 0
    falling = [name for name, descending in known.ties.items() if descending]
    before, doc_before = pl.col("score").shift(1), pl.col("doc_id").shift(1)
    turned = (
        pl.when(pl.col("branch").is_in(falling))
        .then(pl.col("doc_id") > doc_before)
        .otherwise(pl.col("doc_id") < doc_before)
    )
    by_score = pl.col("branch").is_in(list(known.ties))
    rising = (pl.col("score") > before) | ((pl.col("score") == before) & turned)
    same_list = (pl.col("branch") == pl.col("branch").shift(1)) & (
        pl.col("query_id") == pl.col("query_id").shift(1)
    )
    return rows.with_columns(
        unknown=pl.Series(unknown),
        forbidden=pl.Series(~known.may_see(group, place) & ~unknown),
        unreal=(~pl.col("score").is_finite()).fill_null(False),
        repeated=pl.struct("branch", "query_id", "doc_id").is_duplicated(),
        rises=(by_score & rising & same_list).fill_null(False),
    )


def _marked(states: pl.DataFrame, rows: pl.DataFrame, known: Known) -> pl.DataFrame:
    wrong = rows.group_by(LIST).agg(pl.col(_WRONG).any(), rows=pl.len().cast(pl.Int64))
    whole = (
        states.join(wrong, on=LIST, how="left", maintain_order="left")
        .join(known.group, on="query_id", how="left", maintain_order="left")
        .with_columns(
            pl.col(_WRONG).fill_null(False),
            pl.col("rows", "eligible").fill_null(0),
        )
    )
    marked = whole.with_columns(mark=pl.coalesce(*_tests(known)))
    stated = {name: one.status for name, one in MARKS.items() if one.status is not None}
    status = pl.col("mark").replace_strict(stated, default=None, return_dtype=pl.String())
    return marked.with_columns(status=pl.coalesce(status, pl.lit("ok"))).with_columns(
        # A filter that leaves nothing where nothing is eligible did what it should.
        status=pl.when(pl.col("eligible") + pl.col("rows") == 0)
        .then(pl.when(pl.col("mark") == "empty").then(pl.lit("filtered")).otherwise("status"))
        .otherwise("status")
    )


def _tests(known: Known) -> list[pl.Expr]:
    """For each mark whether a reply deserves it, in the order of MARKS."""
    nothing, engine = pl.col("rows") == 0, pl.col("status")
    keeps_first = pl.lit(known.duplicates == "keep_first")
    some = pl.col("eligible") > 0
    tests: Mapping[str, pl.Expr] = {
        # What an engine gave before it was given up or failed is used, as the engine says.
        "timeout": (engine == "timeout") & nothing,
        "error": (engine == "error") & nothing,
        "missing": (engine == "missing") & nothing,
        "stale": (pl.col("snapshot") != pl.lit(known.snapshot)).fill_null(False),
        "forbidden": pl.col("forbidden"),
        "unknown": pl.col("unknown"),
        "unreal": pl.col("unreal"),
        "filtered": (engine == "filtered") & nothing & some,
        "repeated": pl.col("repeated") & ~keeps_first,
        "mended": pl.col("repeated") & keeps_first,
        "cut": pl.col("rows") < pl.col("returned"),
        "silent": nothing & some & pl.col("branch").is_in(sorted(known.always_lists)),
        "partial": engine.is_in(_ENGINE),
        "reordered": pl.col("rises"),
        "empty": nothing,
    }
    return [pl.when(tests[name]).then(pl.lit(name)) for name in MARKS]
