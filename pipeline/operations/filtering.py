"""A filter inside the search against one after it: what is lost, and what would be shown.

After: the branch's list without a filter, to the same depth, then rid of what is forbidden. It
is shorter by what it loses, and evidence from below the depth never moves up. Worst is who fetches
no more than a context takes and filters that: `after_narrow`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from pipeline.forbidden import forbidden
from pipeline.operations.probed import RECORDED, Probed
from pipeline.parts import Part


def filtering(
    these: Probed, parts: Sequence[Part], candidates: pl.DataFrame, queries: pl.DataFrame
) -> list[dict[str, Any]]:
    """Filter before against filter after, by branch, part and measure.

    Args:
        these: the probes.
        parts: the parts whose labels may be looked at.
        candidates: CANDIDATES: retrieved under each query's filter.
        queries: QUERIES.

    Returns:
        For each branch `branch, reason, asked` (queries), `forbidden` (rows of the lists without
        a filter that their query may not see), `in_context` (those within `context.depth`),
        `queries` (with any) and `measures`: `split, measure, before, after, after_narrow,
        difference` (after less before), `lost` (relevant evidence in the list before and not
        after), `queries` (ranked ones). A recorded
        branch's forbidden rows are its own lists'; it cannot be filtered before.
    """
    return [
        _branch(these, parts, candidates, queries, branch)
        for branch in sorted(these.params.candidates)
    ]


def _branch(
    these: Probed,
    parts: Sequence[Part],
    candidates: pl.DataFrame,
    queries: pl.DataFrame,
    branch: str,
) -> dict[str, Any]:
    reason = these.silent(branch)
    own = candidates.filter(pl.col("branch") == branch)
    unfiltered = own if reason == RECORDED else these.of("unfiltered", branch)
    marked = _marked(unfiltered, these.documents, queries)
    refused = marked.filter("refused")
    row = {
        "branch": branch,
        "reason": reason,
        "asked": unfiltered["query_id"].n_unique(),
        "forbidden": refused.height,
        "in_context": refused.filter(pl.col("rank") <= these.params.context.depth).height,
        "queries": refused["query_id"].n_unique(),
    }
    if reason is not None:
        return {**row, "measures": []}
    asked = [] if these.plan is None else these.plan.queries["query_id"].to_list()
    before = these.run(own.filter(pl.col("query_id").is_in(asked)), branch)
    kept = marked.filter(~pl.col("refused"))
    after = these.run(kept, branch)
    narrow = these.run(kept.filter(pl.col("rank") <= these.params.context.depth), branch)
    runs = {"before": before, "after": after, "after_narrow": narrow}
    measures = [one for part in parts for one in _measured(part, asked, runs, these)]
    return {**row, "measures": measures}


def _marked(rows: pl.DataFrame, documents: pl.DataFrame, queries: pl.DataFrame) -> pl.DataFrame:
    named = rows.with_columns(system=pl.lit(""))
    refused = forbidden(named, documents, queries).select(
        "query_id", "doc_id", refused=pl.lit(True)
    )
    return named.join(refused, on=["query_id", "doc_id"], how="left").with_columns(
        pl.col("refused").fill_null(False)
    )


def _measured(
    part: Part, asked: Sequence[str], runs: Mapping[str, pl.DataFrame], these: Probed
) -> list[dict[str, Any]]:
    ranked = sorted(set(part.ranked) & set(asked))
    if not ranked:
        return []
    deepest = max(one.depth for one in these.params.candidates.values())
    lost = _lost(part, ranked, runs, these.params.collection.rel)
    rows = []
    for measure in dict.fromkeys((these.params.selection.measure, f"R@{deepest}")):
        means = {name: _mean(run, part, ranked, measure, these) for name, run in runs.items()}
        difference = means["after"] - means["before"]
        row = {"split": part.split, "measure": measure, **means, "difference": difference}
        rows.append(row | {"lost": lost, "queries": len(ranked)})
    return rows


def _lost(part: Part, ranked: Sequence[str], runs: Mapping[str, pl.DataFrame], rel: int) -> int:
    """Relevant evidence that the list filtered before holds and the one filtered after lacks."""
    relevant = part.relevant(rel).filter(pl.col("query_id").is_in(ranked))
    held = relevant.join(runs["before"], on=["query_id", "evidence_id"], how="semi")
    return held.join(runs["after"], on=["query_id", "evidence_id"], how="anti").height


def _mean(
    run: pl.DataFrame, part: Part, ranked: Sequence[str], measure: str, these: Probed
) -> float:
    values = part.values_of(run, [measure], rel=these.params.collection.rel, queries=ranked)
    mean = values["value"].drop_nulls().mean()
    return float(mean) if isinstance(mean, float) else 0.0
