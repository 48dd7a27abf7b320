"""What is fetched, in a recorded reranker's order: deeper lists can change its top."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.evaluation.split_values import per_query_values
from pipeline.evaluation.traces import PAIR, Retrieved
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.systems import RERANKED
from pipeline.tables import RUNS

Depths = Mapping[str, Mapping[str, int]]


def known_places(lists: Retrieved) -> pl.DataFrame:
    """`branch, query_id, evidence_id, rank`: each branch's first place, as deep as is known."""
    columns = ["branch", *PAIR, "rank"]
    known = pl.concat([lists.candidates.select(columns), lists.beyond.select(columns)])
    return known.group_by("branch", *PAIR).agg(pl.col("rank").min())


def within(places: pl.DataFrame, depths: Depths) -> pl.DataFrame:
    """The pairs that stand within any of these branches' depths, once each.

    Args:
        places: as `known_places` gives them.
        depths: query to branch to depth.
    """
    cuts = [(query, name, depth) for query, one in depths.items() for name, depth in one.items()]
    schema = {"query_id": pl.String, "branch": pl.String, "depth": pl.Int64}
    frame = pl.DataFrame(cuts, schema=schema, orient="row")
    found = places.join(frame, on=["query_id", "branch"]).filter(pl.col("rank") <= pl.col("depth"))
    return found.select(PAIR).unique()


@dataclass(frozen=True, slots=True)
class Reranker:
    """A recorded reranker that is handed all that was fetched.

    Args:
        branch: its name.
        order: `query_id, evidence_id, rank`: where it puts each evidence.
        places: as `known_places` gives them.
        part: whose queries and judgments.
        params: the primary measure.
    """

    branch: str
    order: pl.DataFrame
    places: pl.DataFrame
    part: Part
    params: Params

    @classmethod
    def of(cls, branch: str, places: pl.DataFrame, part: Part, params: Params) -> "Reranker":
        """The reranker whose run is recorded as that branch."""
        order = places.filter(pl.col("branch") == branch).drop("branch")
        return cls(branch, order, places, part, params)

    def values(self, depths: Depths) -> dict[str, float] | str:
        """Query to the primary measure of what these branches fetch, reranked.

        Args:
            depths: query to branch to depth.

        Returns:
            The values; or, where the run does not rank all that it would be handed, so in words.
        """
        if self.params.fusion.level != "evidence":
            return "what is fetched is compared after reranking at fusion.level evidence only"
        handed = within(self.places, depths)
        ranked = handed.join(self.order, on=PAIR)
        if ranked.height < handed.height:
            return (
                f"{self.branch} ranks {ranked.height} of {handed.height} items that it would be "
                "handed: record it on all of them"
            )
        runs = ranked.select(
            pl.lit(RERANKED).alias("system"),
            "query_id",
            pl.col("rank").rank("ordinal").over("query_id").cast(pl.Int64).alias("rank"),
            pl.col("evidence_id").alias("doc_id"),
            "evidence_id",
            pl.lit(None, dtype=pl.Float64).alias("score"),
        )
        measure = self.params.selection.measure
        found = per_query_values(
            RUNS.check(runs), [RERANKED], self.part, self.params, measures=[measure]
        )
        return dict(found.drop_nulls("value").select("query_id", "value").iter_rows())
