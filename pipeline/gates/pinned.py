"""Does the named evidence of named queries stay where people expect it?"""

import polars as pl

from pipeline.gates.findings import Findings
from pipeline.gates.gate import Gate, Part, Status, whole
from pipeline.gates.wording import OPEN, choose_again
from pipeline.params import Pinned
from pipeline.systems import SELECTED


def pinned(findings: Findings) -> Gate | None:
    """The pinned gate: exact, one query and evidence at a time.

    Args:
        findings: the study's measurements; `decision.pinned` names queries, evidence, cutoffs.

    Returns:
        pass where every one stands within its cutoff of the selected configuration's list,
        always required; None where none is named.
    """
    named = findings.params.decision.pinned
    if not named:
        return None
    parts = [_part(findings, one) for one in named]
    return whole("pinned", parts, required=True, unit="rank")


def _part(findings: Findings, one: Pinned) -> Part:
    rank = _rank(findings, one)
    status, reason, step = _verdict(findings, one, rank)
    return Part(
        status=status,
        reason=f"query {one.query}: {reason}",
        evidence={
            "query_id": one.query,
            "evidence_id": one.evidence,
            "cutoff": one.cutoff,
            "rank": rank,
        },
        observed=rank,
        limit=one.cutoff,
        next=step,
    )


def _verdict(findings: Findings, one: Pinned, rank: int | None) -> tuple[Status, str, str | None]:
    if one.query not in findings.queries["query_id"]:
        step = "Correct decision.pinned in params.yaml and run `dvc repro`."
        return "not_measured", "the collection has no such query", step
    if findings.sealed and one.query in findings.test_queries["query_id"]:
        return "not_measured", "it is a test query, and the test has not been opened", OPEN
    if rank is None:
        reason = f"evidence {one.evidence} is not in the list, the top {one.cutoff} is asked for"
        return "fail", reason, choose_again(findings)
    reason = f"evidence {one.evidence} is at rank {rank}, the top {one.cutoff} is asked for"
    return (
        ("pass", reason, None) if rank <= one.cutoff else ("fail", reason, choose_again(findings))
    )


def _rank(findings: Findings, one: Pinned) -> int | None:
    ranks = findings.runs.filter(
        (pl.col("system") == SELECTED)
        & (pl.col("query_id") == one.query)
        & (pl.col("evidence_id") == one.evidence)
    ).get_column("rank")
    return None if ranks.is_empty() else int(ranks.to_list()[0])
