"""The stage `operations`: what happens when a branch is out, what it costs, who sees what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.choices import final_choice
from pipeline.index_states import stale_states
from pipeline.ledger import Opening
from pipeline.operations.authorization import Audit, StoredLists, audit
from pipeline.operations.canaries import canary_figures
from pipeline.operations.checked import Checked
from pipeline.operations.filtering import filtering
from pipeline.operations.metamorphic import metamorphic
from pipeline.operations.probed import Probed, asked_lists, probed
from pipeline.operations.served import Served
from pipeline.operations.service import Service, serving
from pipeline.operations.trying import try_faults
from pipeline.params import Params
from pipeline.parts import DEV, TEST, visible_parts
from pipeline.seal import seal
from pipeline.silent import silences
from pipeline.systems import SELECTED
from pipeline.tables import RECORDED_SNAPSHOTS


@dataclass(frozen=True, slots=True)
class Operations:
    """What the stage writes.

    Args:
        faults: FAULTS.
        authorization: authorization.json.
        forbidden: FORBIDDEN.
        metamorphic: metamorphic.json: `asked` (queries asked again), `checks` (see
            `pipeline.operations.metamorphic`).
        latency: LATENCY.
        latency_ratios: LATENCY_RATIOS.
        cost: COST.
        depths: DEPTHS.
        summary: the figures a person wants to see.
    """

    faults: pl.DataFrame
    authorization: dict[str, Any]
    forbidden: pl.DataFrame
    metamorphic: dict[str, Any]
    latency: pl.DataFrame
    latency_ratios: pl.DataFrame
    cost: pl.DataFrame
    depths: pl.DataFrame
    summary: dict[str, object]


def compute(
    *,
    documents: pl.DataFrame,
    queries: pl.DataFrame,
    splits: pl.DataFrame,
    candidates: pl.DataFrame,
    candidate_queries: pl.DataFrame,
    probes: pl.DataFrame,
    pool: pl.DataFrame,
    configurations: pl.DataFrame,
    selection: Mapping[str, Any],
    runs: pl.DataFrame,
    contexts: pl.DataFrame,
    traces: pl.DataFrame,
    diagnosis: pl.DataFrame,
    critical: pl.DataFrame,
    dev_judgments: pl.DataFrame,
    test_judgments: pl.DataFrame,
    ledger: Sequence[Opening],
    times: Sequence[Mapping[str, Any]],
    recorded_times: pl.DataFrame | None = None,
    recorded_snapshots: pl.DataFrame | None = None,
    params: Params,
) -> Operations:
    """Tries every declared fault, audits every stored list, tells what serving takes, and probes.

    Test labels are used only once the test was opened for this selection; the audit reads which
    evidence they are about, and no grade.

    Args:
        documents: DOCUMENTS.
        queries: QUERIES.
        splits: SPLITS.
        candidates: CANDIDATES.
        candidate_queries: CANDIDATE_QUERIES.
        probes: BRANCH_PROBES.
        pool: POOL.
        configurations: CONFIGURATIONS.
        selection: selection.json.
        runs: RUNS.
        contexts: CONTEXTS.
        traces: TRACES.
        diagnosis: DIAGNOSIS.
        critical: CRITICAL.
        dev_judgments: resolved judgments of the dev side.
        test_judgments: resolved judgments of the test side.
        ledger: the record of openings, in its order.
        times: the lines of the times record, in its order.
        recorded_times: RECORDED_TIMES: what recorded runs say of their own time.
        recorded_snapshots: RECORDED_SNAPSHOTS: of which states of the index recorded runs are.
        params: the study's parameters.

    Raises:
        RecordError: a line of the times record is not a timing.
    """
    state = seal(selection, ledger, params.evaluation.alpha)
    labels = {DEV: dev_judgments, TEST: test_judgments}
    parts = visible_parts(queries, splits, labels, state, params)
    served = Served(
        documents=documents,
        queries=queries,
        splits=splits,
        candidates=candidates,
        candidate_queries=candidate_queries,
        selection=selection,
        parts=parts,
        params=params,
    )
    faults, invariants = try_faults(served)
    these = probed(probes, documents, queries, params)
    lists = StoredLists(
        candidates=candidates,
        probes=asked_lists(these),
        configurations=configurations,
        splits=splits,
        pool=pool,
        judgments=pl.concat([dev_judgments, test_judgments]),
        runs=runs,
        contexts=contexts,
        traces=traces,
        diagnosis=diagnosis,
        critical=critical,
    )
    audited = _audited(lists, these, served)
    chosen = final_choice(selection).selected
    checks = metamorphic(Checked(these, parts, documents, queries, candidates, runs, chosen))
    service = serving(served, times, recorded_times)
    told = RECORDED_SNAPSHOTS.empty() if recorded_snapshots is None else recorded_snapshots
    summary = _summary(faults, audited.authorization, service, invariants) | {
        "metamorphic": {f"{one['check']} {one['system']}": one["rate"] for one in checks},
        "silent": [one.record() for one in silences(candidates, candidate_queries, params)],
        "stale": [one.record() for one in stale_states(told, documents, params)],
    }
    return Operations(
        faults=faults,
        authorization=audited.authorization,
        forbidden=audited.forbidden,
        metamorphic={"asked": params.operations.probes, "checks": checks},
        latency=service.latency,
        latency_ratios=service.ratios,
        cost=service.cost,
        depths=service.depths,
        summary=summary,
    )


def _audited(lists: StoredLists, these: Probed, served: Served) -> Audit:
    """The audit of every stored list, and beside it what the probes tell of the filters."""
    queries, candidates = served.queries, served.candidates
    audited = audit(lists, documents=these.documents, queries=queries, params=served.params)
    probes = {
        "planted": canary_figures(these, queries),
        "filtering": filtering(these, served.parts, candidates, queries),
    }
    return Audit(audited.authorization | probes, audited.forbidden)


def _summary(
    faults: pl.DataFrame,
    audited: Mapping[str, Any],
    service: Service,
    invariants: Mapping[str, object],
) -> dict[str, object]:
    columns = ["fault", "split", "value", "delta", "empties", "partials", "fallbacks", "queries"]
    selected = faults.filter(pl.col("system") == SELECTED)
    return {
        "authorization": {
            "applies": audited["applies"],
            "rows": sum(one["rows"] for one in audited["checked"].values()),
            "forbidden": audited["forbidden"],
        },
        "invariants": dict(invariants),
        **service.summary(),
        "table": {
            "columns": columns,
            "rows": [list(row) for row in selected.select(columns).iter_rows()],
        },
    }
