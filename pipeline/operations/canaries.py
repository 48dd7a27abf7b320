"""Planted canaries: would they be found, who sees the ones meant for him, who sees another's?"""

from typing import Any

import polars as pl

from pipeline.forbidden import forbidden
from pipeline.operations.probed import Probed, asked_lists


def canary_figures(these: Probed, queries: pl.DataFrame) -> list[dict[str, Any]]:
    """One row for each branch.

    Args:
        these: the probes.
        queries: QUERIES.

    Returns:
        `branch, planted, reachable` (in the lists without a filter: a trap that nobody could
        step into shows nothing), `meant` (those for a principal), `seen_by_own` (by the
        principal they are for), `leaked` (rows with a canary that its asker may not see),
        `reason` (why there is no figure, else null).
    """
    return [_row(these, queries, branch) for branch in sorted(these.params.candidates)]


def _row(these: Probed, queries: pl.DataFrame, branch: str) -> dict[str, Any]:
    reason = these.silent(branch, words=True)
    if reason is not None or these.plan is None:
        return {"branch": branch, **dict.fromkeys(_FIGURES), "reason": reason}
    canaries = these.plan.canaries["doc_id"].to_list()
    meant = these.plan.canaries.filter(pl.col("kind").is_null())["doc_id"].to_list()
    found = these.of("canaries_unfiltered", branch).filter(pl.col("doc_id").is_in(canaries))
    asked = these.of("as_others", branch)
    own = asked.filter((pl.col("query_id") == pl.col("asked_as")) & pl.col("doc_id").is_in(meant))
    shown = asked_lists(these).filter(
        (pl.col("system") == branch) & pl.col("doc_id").is_in(canaries)
    )
    figures = {
        "planted": len(canaries),
        "reachable": found["doc_id"].n_unique(),
        "meant": len(meant),
        "seen_by_own": own["doc_id"].n_unique(),
        "leaked": forbidden(shown, these.documents, queries).height,
    }
    return {"branch": branch, **figures, "reason": None}


_FIGURES = ("planted", "reachable", "meant", "seen_by_own", "leaked")
