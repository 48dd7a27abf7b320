"""The probes' lists at hand: what was asked, what was planted, and each list as a run."""

from dataclasses import dataclass

import polars as pl

from pipeline.identity import attach
from pipeline.params import DenseBranch, Params
from pipeline.probes import Plan, plan_probes
from pipeline.systems import rank_system, single_branch

# Asked under somebody's filter: nothing forbidden may be in these.
FILTERED = ("as_others", "noise", "punctuation", "repeated_identifier")

NOT_ASKED = "operations.probes is 0: no branch was asked again"
RECORDED = "recorded lists cannot be asked again"
ELSEWHERE = "its vectors were made elsewhere: there are none of other words"


@dataclass(frozen=True, slots=True)
class Probed:
    """What the branches returned when they were asked again.

    Args:
        plan: what was asked and planted; None where nothing was asked.
        documents: DOCUMENTS, those planted included.
        lists: BRANCH_PROBES with evidence_id and source_id.
        params: the study's parameters.
    """

    plan: Plan | None
    documents: pl.DataFrame
    lists: pl.DataFrame
    params: Params

    def of(self, probe: str, branch: str) -> pl.DataFrame:
        """One probe's lists of a branch."""
        return self.lists.filter((pl.col("probe") == probe) & (pl.col("branch") == branch))

    def run(self, rows: pl.DataFrame, branch: str) -> pl.DataFrame:
        """Rows of one branch as its own run: collapsed and renumbered as the contract says."""
        order = pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query_id")
        listed = rows.sort("query_id", "rank").with_columns(
            branch=pl.lit(branch), rank=order, score=-pl.col("rank").cast(pl.Float64)
        )
        return rank_system(single_branch(self.params, branch), listed, self.params.fusion)

    def silent(self, branch: str, *, words: bool = False) -> str | None:
        """Why a branch could not be asked again; `words`: with words or documents of ours."""
        if self.plan is None:
            return NOT_ASKED
        declared = self.params.candidates[branch]
        if declared.kind == "recorded":
            return RECORDED
        fixed = isinstance(declared, DenseBranch) and declared.encoder == "precomputed"
        return ELSEWHERE if fixed and words else None


def probed(
    probes: pl.DataFrame, documents: pl.DataFrame, queries: pl.DataFrame, params: Params
) -> Probed:
    """The probes with the plan that they were made by.

    Args:
        probes: BRANCH_PROBES.
        documents: DOCUMENTS.
        queries: QUERIES.
        params: `operations.probes` and the seed.

    Raises:
        ContractError: a list holds a document that is neither the collection's nor planted.
    """
    asked = params.operations.probes
    plan = plan_probes(documents, queries, asked, params.seed) if asked else None
    known = documents if plan is None else pl.concat([documents, plan.canaries, plan.noise])
    return Probed(plan, known, attach(probes, known, where="candidates, probes"), params)


def asked_lists(these: Probed) -> pl.DataFrame:
    """What was returned under somebody's filter: system, query_id (whose principal asks), doc_id.

    A query's words asked on another's behalf count as the other's.
    """
    return these.lists.filter(pl.col("probe").is_in(FILTERED)).select(
        pl.col("branch").alias("system"), pl.col("asked_as").alias("query_id"), "doc_id"
    )
