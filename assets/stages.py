"""The one table of stages: everything that runs, draws or tells the chain is made from these rows.

DVC's `dvc.yaml`, the runner behind `rankgate run`, and the Dagster assets are all derived from
`STAGES`; the bare study in `pipeline/study/` calls the same functions over frames in memory.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage of the chain.

    Args:
        name: the stage's one word, in `dvc.yaml`, Dagster, `data/`, `params.yaml` and the docs.
        question: what it answers, in one sentence.
        reads: names in `assets.artifacts.ARTIFACTS`, handed to `compute` by name.
        writes: field of the result to name in `ARTIFACTS`, all under `data/NAME/`.
        sections: the parameters it may look at, a section or one key of it (`fusion.duplicates`);
            other sections are hidden from it.
        compute: `module:function` in `pipeline`, imported only when the stage runs.
        per_branch: it runs once for each declared branch.
        cached: `compute` takes `cache`, the repository's, in which it may keep what it can make
            again; no result depends on it, so DVC does not see it.
    """

    name: str
    question: str
    reads: tuple[str, ...]
    writes: Mapping[str, str]
    sections: tuple[str, ...]
    compute: str
    per_branch: bool = False
    cached: bool = False


def _as_named(*names: str) -> dict[str, str]:
    return {name: name for name in names}


_LABELS = ("splits", "dev_judgments", "test_judgments", "ledger")
_LISTS = ("candidates", "candidate_queries")

STAGES: tuple[Stage, ...] = (
    Stage(
        "snapshot",
        "What exactly is studied: which documents, queries, judgments and recorded runs?",
        reads=("collection",),
        writes=_as_named("documents", "queries", "judgments", "manifest")
        | {"runs": "recorded_runs", "vectors": "vectors"},
        sections=("collection",),
        compute="pipeline.snapshot:compute",
    ),
    Stage(
        "splits",
        "Which queries may be looked at while choosing, and which only once, at the end?",
        reads=("documents", "queries", "judgments", "sides"),
        writes=_as_named("splits", "dev_judgments", "test_judgments", "leakage"),
        sections=("collection", "splits"),
        compute="pipeline.splits:compute",
    ),
    Stage(
        "candidates",
        "What does each retriever return by itself, to its own depth?",
        reads=("documents", "queries", "run", "vectors"),
        writes={
            "candidates": "branch_candidates",
            "queries": "branch_queries",
            "probes": "branch_probes",
            "manifest": "branch_manifest",
        },
        # Whether a recorded list may hold a document twice is asked when it is read, here.
        sections=("seed", "candidates", "fusion.duplicates", "operations.probes"),
        compute="pipeline.candidates:compute",
        per_branch=True,
        cached=True,
    ),
    Stage(
        "pool",
        "Which evidence should people judge, and how much of it have they judged?",
        reads=("documents", "queries", "judgments", "splits", *_LISTS),
        writes=_as_named("pool", "coverage", "composition"),
        sections=(
            "collection",
            "candidates",
            "production",
            "fusion",
            "context",
            "pool",
            "sweep",
            "evaluation.measures",
            "evaluation.alpha",
        ),
        compute="pipeline.pool:compute",
    ),
    Stage(
        "sweep",
        "How good is every declared fusion configuration on the dev queries?",
        reads=("queries", "splits", "dev_judgments", "candidates"),
        writes=_as_named("configurations", "grids", "depth_recall", "results", "sensitivity")
        | {"per_query": "sweep_per_query"},
        sections=(
            "seed",
            "collection",
            "candidates",
            "production",
            "fusion",
            "sweep",
            # Only a search repeats its rule at other depths.
            "selection.mode",
            "selection.measure",
        ),
        compute="pipeline.sweep:compute",
    ),
    Stage(
        "selection",
        "Which one configuration is frozen, and why that one?",
        reads=(
            "configurations",
            "grids",
            "depth_recall",
            "results",
            "sweep_per_query",
            "splits",
            "queries",
            "branch_manifests",
            "times",
            "ledger",
        ),
        writes=_as_named("selection"),
        sections=(
            "seed",
            "candidates",
            "production",
            "fusion",
            "sweep",
            "selection",
            "decision.slices",
            "decision.latency",
        ),
        compute="pipeline.selection:compute",
    ),
    Stage(
        "evaluation",
        "How does the frozen configuration compare with every baseline, and how sure is that?",
        reads=(
            "selection",
            "configurations",
            "sweep_per_query",
            *_LISTS,
            "recorded",
            "document_vectors",
            "pool",
            "documents",
            "queries",
            *_LABELS,
        ),
        writes=_as_named(
            "runs",
            "systems",
            "per_query",
            "comparisons",
            "complementarity",
            "bounds",
            "equal_work",
            "branch_value",
            "agreement",
            "slices",
            "traces",
            "diagnosis",
            "critical",
            "pool_bias",
            "contexts",
        ),
        sections=(
            "seed",
            # Which judgments could turn the gate is asked at its limit.
            "question",
            "collection",
            "candidates",
            "production",
            "fusion",
            "context",
            "pool.depth",
            "selection.measure",
            "evaluation",
            "decision.primary",
            # A derived slice that a gate names is declared.
            "decision.slices",
        ),
        compute="pipeline.evaluation:compute",
    ),
    Stage(
        "operations",
        "What happens when a branch is out, what does it cost, and is anything forbidden shown?",
        reads=(
            "documents",
            "queries",
            *_LISTS,
            "probes",
            "pool",
            "configurations",
            "selection",
            "runs",
            "contexts",
            "traces",
            "diagnosis",
            "critical",
            *_LABELS,
            "times",
            "recorded_times",
            "recorded_snapshots",
        ),
        writes=_as_named(
            "faults",
            "authorization",
            "forbidden",
            "metamorphic",
            "latency",
            "latency_ratios",
            "cost",
            "depths",
        ),
        sections=(
            "seed",
            "collection",
            "candidates",
            "production",
            "fusion",
            "context",
            "sweep.depths",
            "selection.measure",
            "evaluation.alpha",
            "evaluation.resamples",
            "evaluation.slices",
            "decision.degraded",
            "operations",
        ),
        compute="pipeline.operations:compute",
    ),
    Stage(
        "decision",
        "Ship, hold or inconclusive: which gates pass, and what would change the answer?",
        reads=(
            "manifest",
            "selection",
            "evaluation_summary",
            "systems",
            "per_query",
            "comparisons",
            "bounds",
            "equal_work",
            "critical",
            "pool_bias",
            "runs",
            "coverage",
            "faults",
            "authorization",
            "metamorphic",
            "latency",
            "latency_ratios",
            "cost",
            "operations_summary",
            "queries",
            "splits",
            "ledger",
        ),
        writes=_as_named("decision"),
        sections=(
            "question",
            "collection",
            "splits",
            "candidates",
            "production",
            "fusion",
            "context",
            "selection.measure",
            "evaluation",
            "decision",
        ),
        compute="pipeline.decision:compute",
    ),
    Stage(
        "report",
        "What does a person need to see to check the answer?",
        reads=(
            "manifest",
            "leakage",
            "splits",
            "queries",
            "coverage",
            "composition",
            "configurations",
            "grids",
            "results",
            "selection",
            "evaluation_summary",
            "systems",
            "per_query",
            "comparisons",
            "complementarity",
            "bounds",
            "equal_work",
            "branch_value",
            "agreement",
            "slices",
            "diagnosis",
            "critical",
            "pool_bias",
            "faults",
            "authorization",
            "forbidden",
            "metamorphic",
            "latency",
            "latency_ratios",
            "cost",
            "depths",
            "operations_summary",
            "decision",
            "branch_manifests",
            "documents",
            "runs",
        ),
        writes=_as_named("html"),
        sections=(
            "study",
            "seed",
            "question",
            "collection",
            "splits",
            "candidates",
            "production",
            "fusion",
            "context",
            "selection",
            "evaluation",
            "decision",
            "report",
        ),
        compute="pipeline.report:compute",
    ),
)

BY_NAME = {stage.name: stage for stage in STAGES}

# Tells MLflow and Dagster what the results are. It has no outputs: DVC then never restores it
# from the run cache and skips it when nothing changed. It shows every parameter, so it depends
# on every section.
TRACKING = Stage(
    "tracking",
    "Do the MLflow and Dagster pages show these results?",
    reads=(),
    writes={},
    sections=(
        "study",
        "seed",
        "question",
        "collection",
        "splits",
        "candidates",
        "production",
        "fusion",
        "context",
        "pool",
        "sweep",
        "selection",
        "evaluation",
        "operations",
        "decision",
        "tracking",
        "report",
    ),
    compute="assets.tracking:track",
)
