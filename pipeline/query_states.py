"""Which queries a ranking can be measured on, and why the others leave the means."""

import polars as pl

RANKED = "ranked"
UNANSWERABLE = "unanswerable"
NO_RELEVANT = "no_relevant"
NO_JUDGMENTS = "no_judgments"
STATES = (RANKED, UNANSWERABLE, NO_RELEVANT, NO_JUDGMENTS)


def query_states(queries: pl.DataFrame, judgments: pl.DataFrame, *, rel: int = 1) -> pl.DataFrame:
    """The state of every query; only `ranked` ones enter ranking means.

    Args:
        queries: `query_id, answerable`; null counts as answerable.
        judgments: resolved: `query_id, evidence_id, grade, status`; rows that are not `judged`
            say nothing about relevance.
        rel: the least grade that is relevant.

    Returns:
        `query_id, state`, one row per query, sorted by query. States: `unanswerable` (declared,
        whatever was judged), `no_judgments`, `no_relevant` (judged, nothing relevant found),
        `ranked`.
    """
    best = (
        judgments.filter(pl.col("status") == "judged")
        .group_by("query_id")
        .agg(pl.col("grade").max().alias("best_grade"))
    )
    state = (
        pl.when(~pl.col("answerable").fill_null(True))
        .then(pl.lit(UNANSWERABLE))
        .when(pl.col("best_grade").is_null())
        .then(pl.lit(NO_JUDGMENTS))
        .when(pl.col("best_grade") < rel)
        .then(pl.lit(NO_RELEVANT))
        .otherwise(pl.lit(RANKED))
    )
    joined = queries.join(best, on="query_id", how="left")
    return joined.select("query_id", state.alias("state")).sort("query_id")


def ranked_queries(states: pl.DataFrame) -> list[str]:
    """The queries that enter ranking means, sorted."""
    return states.filter(pl.col("state") == RANKED)["query_id"].sort().to_list()


def count_states(states: pl.DataFrame) -> dict[str, int]:
    """How many queries are in each state; every state is named."""
    found = dict(states.group_by("state").len().rows())
    return {state: int(found.get(state, 0)) for state in STATES}
