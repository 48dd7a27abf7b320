"""Was anything shown, or even listed, that its query's principal may not see?"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from pipeline.gates.findings import Findings
from pipeline.gates.gate import Gate, not_applicable, not_measured

_OPEN = "no document names a tenant, a group or a date"
_SAY = (
    "Say in documents.jsonl who may see what (`tenant`, `groups`), or take both out of "
    "queries.jsonl, and run `dvc repro`."
)


def authorization(findings: Findings) -> Gate:
    """The authorization gate: forbidden evidence anywhere is 0; nothing outweighs it.

    It needs no labels, so it is decided before the test is opened, too.

    Args:
        findings: the study's measurements; `authorization` counts what was found.

    Returns:
        pass or fail. Where the collection restricts nothing: not_applicable, or not_measured
        where queries name a principal all the same, so that somebody meant it to.
    """
    found = findings.authorization
    if not found["applies"]:
        return _unrestricted(findings.queries)
    forbidden = int(found["forbidden"])
    return Gate(
        "authorization",
        required=True,
        status="fail" if forbidden else "pass",
        reason=_reason(found),
        observed=float(forbidden),
        limit=0.0,
        unit="forbidden rows",
        evidence=_evidence(found),
        next=_steps(found),
    )


def _unrestricted(queries: pl.DataFrame) -> Gate:
    asked = queries.filter(pl.col("tenant").is_not_null() | (pl.col("groups").list.len() > 0))
    if asked.is_empty():
        return not_applicable("authorization", _OPEN)
    reason = (
        f"{_OPEN}, and {asked.height} queries are asked on behalf of one: "
        "nothing tells what they may not see"
    )
    return not_measured("authorization", reason, required=True, step=_SAY)


def _evidence(found: Mapping[str, Any]) -> tuple[Mapping[str, object], ...]:
    """Where, and why; the ids of forbidden documents go no further than operations' own files."""
    return tuple({k: v for k, v in row.items() if k != "doc_id"} for row in found["where"])


def _reason(found: Mapping[str, Any]) -> str:
    rows = sum(checked["rows"] for checked in found["checked"].values())
    if not found["forbidden"]:
        return f"nothing forbidden in {rows} rows of {len(found['checked'])} stored lists"
    first = found["where"][0]
    place = " ".join(part for part in (first["list"], first["system"]) if part)
    return (
        f"{found['forbidden']} of {rows} listed rows are forbidden; first {place}, "
        f"query {first['query_id']}: {first['reason']}"
    )


def _steps(found: Mapping[str, Any]) -> tuple[str, ...]:
    if not found["forbidden"]:
        return ()
    place = found["where"][0]["system"] or found["where"][0]["list"]
    return (
        f"Make {place} apply each query's filter before it ranks, record its run again, "
        "and run `dvc repro`; data/operations/forbidden.parquet lists the rows.",
    )
