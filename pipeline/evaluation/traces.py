"""Where each piece of wanted evidence stood at every stage on its way to the context."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import polars as pl

from pipeline.eligibility import is_restricted
from pipeline.forbidden import hidden_evidence
from pipeline.fusion import Configuration
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.systems import RERANKED, SELECTED
from pipeline.tables import TRACES

WITHHELD = "withheld"
PAIR = ("query_id", "evidence_id")


@dataclass(frozen=True, slots=True)
class Retrieved:
    """What a part's lists were made from.

    Args:
        candidates: CANDIDATES.
        beyond: `branch, query_id, evidence_id, rank` of what is known below a branch's own depth.
        states: CANDIDATE_QUERIES.
        documents: DOCUMENTS.
        runs: RUNS.
        fused: query to the configuration that ranked it.
        depths: branch to how deep its lists are known.
    """

    candidates: pl.DataFrame
    beyond: pl.DataFrame
    states: pl.DataFrame
    documents: pl.DataFrame
    runs: pl.DataFrame
    fused: Mapping[str, Configuration]
    depths: Mapping[str, float]

    def places(self, system: str) -> pl.DataFrame:
        """`query_id, evidence_id, rank`: where a system ranks each evidence first."""
        rows = self.runs.filter(pl.col("system") == system)
        return rows.group_by(PAIR).agg(pl.col("rank").min())

    def cuts(self) -> pl.DataFrame:
        """`query_id, branch, depth`: how deep each branch that takes part was fused."""
        rows = [
            (query, branch, depth)
            for query, configuration in sorted(self.fused.items())
            for branch, depth in configuration.depths
        ]
        schema = {"query_id": pl.String, "branch": pl.String, "depth": pl.Int64}
        return pl.DataFrame(rows, schema=schema, orient="row")


def wanted_evidence(part: Part, documents: pl.DataFrame, *, rel: int) -> pl.DataFrame:
    """What ranked queries should find: judged relevant evidence, and what they require.

    Evidence that a query's principal may not see goes under `withheld-1`, `withheld-2`, …: that
    it is there may be told, its id may not.

    Returns:
        query_id, evidence_id, grade (null where it is not judged), hidden; sorted by the first
        two.
    """
    ranked = pl.DataFrame({"query_id": list(part.ranked)}, schema={"query_id": pl.String})
    required = part.required().join(ranked, on="query_id", how="semi")
    grades = part.judgments.filter(pl.col("status") == "judged").select(*PAIR, "grade")
    pairs = pl.concat([part.relevant(rel), required.select(PAIR)]).unique().sort(PAIR)
    wanted = pairs.join(grades, on=PAIR, how="left")
    hidden = pl.DataFrame(schema=dict.fromkeys(PAIR, pl.String))
    if is_restricted(documents):
        hidden = hidden_evidence(pairs, documents, part.queries).select(PAIR)
    marked = wanted.join(hidden.with_columns(hidden=pl.lit(True)), on=PAIR, how="left").sort(PAIR)
    number = pl.col("hidden").cum_sum().over("query_id").cast(pl.String)
    return marked.with_columns(
        pl.when(pl.col("hidden"))
        .then(pl.lit(f"{WITHHELD}-") + number)
        .otherwise(pl.col("evidence_id"))
        .alias("evidence_id"),
        pl.col("hidden").fill_null(False),
    ).sort(PAIR)


def trace(wanted: pl.DataFrame, part: Part, lists: Retrieved, params: Params) -> pl.DataFrame:
    """The places of wanted evidence.

    Args:
        wanted: as `wanted_evidence` gives it.
        part: its split names the rows.
        lists: what was retrieved and fused.
        params: `fusion`, `evaluation.rerank`.

    Returns:
        TRACES.
    """
    if wanted.is_empty() or not lists.fused:
        return TRACES.empty()
    stages = [_corpus(wanted, lists), _filter(wanted), _candidates(wanted, lists, params)]
    if params.fusion.level == "source":
        stages.append(_collapse(wanted, lists))
    stages.append(_ranked(wanted, lists, "fusion", SELECTED, params.fusion.output_depth))
    if params.evaluation.rerank is not None:
        stages.append(_ranked(wanted, lists, "rerank", RERANKED, params.evaluation.rerank.depth))
    rows = pl.concat(stages).with_columns(pl.lit(part.split).alias("split"))
    return TRACES.check(rows)


def _row(
    stage: str, *, branch: str = "", rank: pl.Expr | None = None, depth: int | None = None
) -> list[pl.Expr]:
    return [
        pl.lit(stage).alias("stage"),
        pl.lit(branch).alias("branch"),
        (pl.lit(None) if rank is None else rank).cast(pl.Int64).alias("rank"),
        pl.lit(depth, dtype=pl.Int64).alias("depth"),
    ]


def _corpus(wanted: pl.DataFrame, lists: Retrieved) -> pl.DataFrame:
    known = lists.documents.select("evidence_id", kept=pl.lit(True)).unique()
    carried = wanted.join(known, on="evidence_id", how="left")
    kept = (pl.col("kept").fill_null(False) | pl.col("hidden")).alias("kept")
    return carried.select(*PAIR, *_row("corpus"), kept)


def _filter(wanted: pl.DataFrame) -> pl.DataFrame:
    return wanted.select(*PAIR, *_row("filter"), (~pl.col("hidden")).alias("kept"))


def _candidates(wanted: pl.DataFrame, lists: Retrieved, params: Params) -> pl.DataFrame:
    branches = pl.DataFrame({"branch": list(params.fused_branches)})
    keys = ["branch", *PAIR]
    ranks = pl.concat([lists.candidates.select(*keys, "rank"), lists.beyond.select(*keys, "rank")])
    found = ranks.join(wanted, on=PAIR, how="semi").group_by(keys).agg(pl.col("rank").min())
    return (
        wanted.join(branches, how="cross")
        .join(found, on=keys, how="left")
        .join(lists.cuts(), on=["query_id", "branch"], how="left")
        .select(
            *PAIR,
            pl.lit("candidates").alias("stage"),
            "branch",
            "rank",
            "depth",
            (pl.col("rank") <= pl.col("depth")).fill_null(False).alias("kept"),
        )
    )


def _collapse(wanted: pl.DataFrame, lists: Retrieved) -> pl.DataFrame:
    """Whether the evidence itself, and not another of its source, stands for the source."""
    sources = lists.documents.select("doc_id", "source_id")
    fused = lists.runs.filter(pl.col("system") == SELECTED).join(sources, on="doc_id")
    units = fused.group_by("query_id", "source_id").agg(
        pl.col("rank").min(), pl.col("evidence_id").sort_by("rank").first().alias("shown")
    )
    own = lists.documents.select("evidence_id", "source_id").unique("evidence_id", keep="any")
    stood = wanted.join(own, on="evidence_id").join(units, on=["query_id", "source_id"])
    return stood.select(
        *PAIR,
        *_row("collapse", rank=pl.col("rank")),
        (pl.col("shown") == pl.col("evidence_id")).alias("kept"),
    )


def _ranked(
    wanted: pl.DataFrame, lists: Retrieved, stage: str, system: str, depth: int
) -> pl.DataFrame:
    listed = wanted.join(lists.places(system), on=PAIR, how="left")
    return listed.select(
        *PAIR,
        *_row(stage, rank=pl.col("rank"), depth=depth),
        pl.col("rank").is_not_null().alias("kept"),
    )


def configurations_of(
    queries: Iterable[str],
    chosen: Mapping[int | None, Configuration],
    folds: Mapping[str, int | None],
) -> dict[str, Configuration]:
    """Query to the configuration that ranked it: its fold's, or the one for all.

    Args:
        queries: of one part.
        chosen: fold to configuration; None: for all queries.
        folds: query to fold.
    """
    found = {}
    for query in queries:
        one = chosen.get(folds.get(query), chosen.get(None))
        if one is not None:
            found[query] = one
    return found
