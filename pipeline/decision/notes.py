"""What a reader must know beside the word."""

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from pipeline.gates import Findings
from pipeline.gates.bias import bias


def notes(findings: Findings, manifest: Mapping[str, Any]) -> list[str]:
    """Plain sentences: what the figures are about, and what the collection switches off.

    Args:
        findings: the study's measurements and limits.
        manifest: the snapshot's; its `has_…` tell what there is.
    """
    return [
        *_scope(findings),
        *_of_other_corpora(findings),
        *_unjudged(findings),
        *_not_joined(manifest),
        *_switched_off(manifest),
    ]


def _scope(findings: Findings) -> Iterator[str]:
    params = findings.params
    if params.collection.regime == "sparse":
        yield "ranking of known items only"
    if params.splits.protocol == "crossfit":
        yield (
            "held-out figures are the procedure's, fold by fold; "
            "the configuration shown is chosen on all queries"
        )
    if findings.splits["split"].is_in(["dev", "crossfit"]).sum() == 0:
        yield "no dev side: nothing was tuned, and the best branch is not known beforehand"
    if findings.selection.get("configuration") is None:
        yield "nothing could be selected: no dev query has judged relevant evidence"


def _of_other_corpora(findings: Findings) -> Iterator[str]:
    for one in findings.operations_summary.get("stale") or []:
        yield f"stale index: {one['text']}; record again from one state of the index"


def _unjudged(findings: Findings) -> Iterator[str]:
    listed = findings.critical.filter(
        (pl.col("split") == "test") & (pl.col("turns") == "from_pass")
    )
    if listed.height:
        yield (
            f"unjudged evidence: {listed.height} pair(s), judged otherwise than irrelevant, "
            "could let the primary L fall to its limit"
        )
    for one in bias(findings):
        yield (
            f"pool bias: without the {one.dropped} judgments that only {one.without} contributed, "
            f"the comparison with {one.baseline} would be {one.status} instead of {one.before}"
        )


def _not_joined(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Without names: a decision names no document that somebody may not see."""
    count = manifest.get("noticed", {}).get("ids_alike", {}).get("count", 0)
    if count:
        yield (
            f"ids: {count} differ from another only by blanks or Unicode normal form, and are not "
            "joined; manifest.json of the snapshot lists them"
        )


# What an absence in the collection takes away, by the manifest's key.
_ABSENCES: Mapping[str, str] = {
    "has_text": "no text in the collection: searching branches, text in worksheets and in "
    "`rankgate show`, and checks of the text are off",
    "has_acl": "no tenants or groups in the collection: authorization by principal is off",
    "has_dates": "no dates in the collection: effective dates are off",
    "has_slices": "no slices in the collection: gates and tables by slice are off",
}


def _switched_off(manifest: Mapping[str, Any]) -> Iterator[str]:
    for key, sentence in _ABSENCES.items():
        if manifest.get(key) is False:
            yield sentence
