"""The parts of a study that may be looked at: dev always, the test once it was opened."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.measures import Measure, per_query, tie_ranges
from pipeline.params import Params
from pipeline.query_states import query_states, ranked_queries
from pipeline.seal import Seal
from pipeline.slices import Slices, declared_slices

DEV, TEST = "dev", "test"

# Under crossfit every query is on both: in-sample with the final configuration, and held out.
SIDES: Mapping[str, tuple[str, ...]] = {DEV: (DEV, "crossfit"), TEST: (TEST, "crossfit")}


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the queries with its labels.

    Args:
        split: the label of its rows: dev or test.
        queries: rows of QUERIES.
        judgments: resolved judgments of these queries.
        states: `query_id, state` (see `query_states`).
        ranked: the queries that enter ranking means, sorted.
        groups: query to query group, for all of its queries.
        slices: the declared slices, over ranked queries.
        alpha: the one-sided level of its intervals.
    """

    split: str
    queries: pl.DataFrame
    judgments: pl.DataFrame
    states: pl.DataFrame
    ranked: tuple[str, ...]
    groups: Mapping[str, str]
    slices: Slices
    alpha: float

    def relevant(self, rel: int) -> pl.DataFrame:
        """`query_id, evidence_id` of the relevant evidence of ranked queries."""
        return self.judgments.filter(
            (pl.col("status") == "judged")
            & (pl.col("grade") >= rel)
            & pl.col("query_id").is_in(list(self.ranked))
        ).select("query_id", "evidence_id")

    def required(self) -> pl.DataFrame:
        """`query_id, evidence_id` of the evidence that queries declare as required."""
        rows = self.queries.select("query_id", pl.col("required_evidence").alias("evidence_id"))
        return rows.explode("evidence_id").drop_nulls().unique(maintain_order=True)

    def values_of(
        self,
        run: pl.DataFrame,
        measures: Iterable[str | Measure],
        *,
        rel: int,
        queries: Iterable[str] | None = None,
    ) -> pl.DataFrame:
        """A run's values on ranked queries, as `per_query` returns them.

        Of evidence that a list repeats only the first place gains.

        Args:
            run: as for `per_query`; a query that it lacks has 0.
            measures: names, or measures.
            rel: lowest relevant grade, where the name gives none.
            queries: some of the ranked ones; None: all.
        """
        return per_query(
            run,
            self.judgments,
            measures,
            rel=rel,
            queries=self.ranked if queries is None else queries,
            required=self.required(),
            repeats="first_gains",
        )

    def tie_ranges_of(
        self, run: pl.DataFrame, measures: Iterable[str], *, rel: int
    ) -> pl.DataFrame:
        """The range of these values over the orders of tied items, as from `tie_ranges`."""
        return tie_ranges(
            run,
            self.judgments,
            measures,
            rel=rel,
            queries=self.ranked,
            required=self.required(),
            repeats="first_gains",
        )


def visible_parts(
    queries: pl.DataFrame,
    splits: pl.DataFrame,
    labels: Mapping[str, pl.DataFrame],
    seal: Seal,
    params: Params,
) -> list[Part]:
    """The parts whose figures may be computed, dev first.

    Args:
        queries: QUERIES.
        splits: SPLITS.
        labels: resolved judgments by part: dev, test.
        seal: while it holds, there is no test part.
        params: the study's parameters.
    """
    alphas = {DEV: seal.dev_alpha} | ({} if seal.sealed else {TEST: seal.test_alpha})
    crossfit = (splits["split"] == "crossfit").any()
    # Under crossfit a query's labels may lie in either file: all of them serve both parts.
    shared = pl.concat([labels[DEV], labels[TEST]]).unique(maintain_order=True)
    return [
        _part(split, queries, splits, shared if crossfit else labels[split], alpha, params)
        for split, alpha in alphas.items()
    ]


def side_of(split: str, splits: pl.DataFrame) -> pl.DataFrame:
    """The rows of SPLITS that belong to a part, whether or not it may be looked at."""
    return splits.filter(pl.col("split").is_in(SIDES[split])).sort("query_id")


def _part(
    split: str,
    queries: pl.DataFrame,
    splits: pl.DataFrame,
    labels: pl.DataFrame,
    alpha: float,
    params: Params,
) -> Part:
    side = side_of(split, splits)
    members = queries.join(side, on="query_id", how="semi").sort("query_id")
    judgments = labels.join(side, on="query_id", how="semi").sort("query_id", "evidence_id")
    states = query_states(members, judgments, rel=params.collection.rel)
    ranked = ranked_queries(states)
    return Part(
        split=split,
        queries=members,
        judgments=judgments,
        states=states,
        ranked=tuple(ranked),
        groups=dict(side.select("query_id", "group_id").iter_rows()),
        slices=declared_slices(members, ranked, minimum=params.evaluation.slices.minimum),
        alpha=alpha,
    )
