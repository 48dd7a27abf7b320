"""The sections of the stages and the ones that stages share."""

import math
import re
from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field, field_validator, model_validator

from pipeline.params.section import BranchName, Fault, Positive, Section, Share

Measure = str
Method = Literal[
    "rrf",
    "convex_minmax",
    "convex_zscore",
    "convex_tmm",
    "combsum",
    "combmnz",
    "isr",
    "borda",
    "round_robin",
]
Target = Literal["any", "elasticsearch", "opensearch", "qdrant", "weaviate", "milvus", "pgvector"]
RankConstant = Annotated[float, Field(ge=1, le=100_000)]


# Every grade of a scale is tried where evidence is unjudged, and 2^grade must be a number.
MOST_GRADE = 1_000


class CollectionParams(Section):
    """Where the collection lies and how its judgments are read."""

    path: str
    regime: Literal["exhaustive", "pooled", "sparse"] = "pooled"
    scale: tuple[int, int] = (0, 3)
    rel: int = 1
    grades: Mapping[int, int] = {}
    assessors: Literal["majority", "max", "latest"] = "majority"

    @field_validator("scale", mode="before")
    @classmethod
    def _pair(cls, value: object) -> object:
        return tuple(value) if isinstance(value, list) else value

    @model_validator(mode="after")
    def _ordered(self) -> "CollectionParams":
        low, high = self.scale
        if low >= high:
            raise ValueError(f"scale must rise, found [{low}, {high}]")
        if not -MOST_GRADE <= low <= high <= MOST_GRADE:
            raise ValueError(f"scale must lie within ±{MOST_GRADE}, found [{low}, {high}]")
        if not low < self.rel <= high or self.rel < 1:
            raise ValueError(f"rel must lie in the scale and be at least 1, found {self.rel}")
        return self


class SplitsParams(Section):
    """How query groups are made and put on sides."""

    protocol: Literal["holdout", "crossfit"] = "holdout"
    shares: Mapping[Literal["dev", "test", "train", "reserve"], Share] = {"dev": 0.5, "test": 0.5}
    folds: Annotated[int, Field(ge=2)] = 5
    independent: bool = False
    group_by: list[
        Literal["conversation", "template", "entity", "source_family", "paraphrase_of"]
    ] = [
        "conversation",
        "template",
        "entity",
        "source_family",
        "paraphrase_of",
    ]
    stratify_by: Literal["slices"] | None = "slices"

    @field_validator("shares")
    @classmethod
    def _whole(cls, shares: Mapping[str, float]) -> Mapping[str, float]:
        if not math.isclose(sum(shares.values()), 1.0, abs_tol=1e-9):
            raise ValueError(f"shares must add up to 1, found {sum(shares.values()):g}")
        return shares


class FusionParams(Section):
    """The part of the fusion contract that is not a grid axis."""

    branches: Literal["all"] | list[BranchName] = "all"
    level: Literal["document", "evidence", "source"] = "evidence"
    missing: Literal["skip", "past_depth"] = "skip"
    duplicates: Literal["reject", "keep_first"] = "reject"
    output_depth: Positive = 100
    representatives: Positive = 1
    minima: Mapping[BranchName, float] = Field(default_factory=dict)  # for convex_tmm


class ContextParams(Section):
    """How many items the generator would be handed."""

    depth: Positive = 5


class PoolParams(Section):
    """How deep the judging pool goes, and over which systems."""

    depth: Positive = 20
    systems: Literal["defaults", "grid"] = "defaults"


class SweepParams(Section):
    """The declared grid."""

    measures: list[Measure] = Field(["nDCG@5", "R@100"], min_length=1)
    methods: list[Method] = Field(["rrf", "convex_minmax"], min_length=1)
    rank_constants: list[RankConstant] = Field(
        [1.0, 5.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0], min_length=1
    )
    weight_step: Annotated[float, Field(ge=1e-4, le=0.5)] = 0.1
    depths: list[Positive] = Field([100], min_length=1)
    joint: bool = False  # every depth with every point, instead of depths first
    target: Target = "any"  # an engine: only what it can serve is tried
    memory_gb: Annotated[float, Field(gt=0)] | None = None  # refuses, never changes a value


class DeclaredConfiguration(Section):
    """A configuration given by hand: weights and depths by branch name."""

    method: Method
    rank_constant: RankConstant | None = None
    weights: Mapping[BranchName, float] = {}
    depths: Mapping[BranchName, Positive] = {}


class SelectionParams(Section):
    """How one configuration is frozen."""

    mode: Literal["search", "declared", "keep"] = "search"
    configuration: DeclaredConfiguration | None = None
    measure: Measure = "nDCG@5"
    stable_share: Share = 0.8

    @model_validator(mode="after")
    def _declared(self) -> "SelectionParams":
        if (self.mode == "declared") != (self.configuration is not None):
            raise ValueError("configuration goes with mode: declared, and only with it")
        return self


class SliceParams(Section):
    """From how many queries on a slice is shown, and what is derived beside the declared ones."""

    minimum: Positive = 20
    derived: bool = True
    identifier: str | None = None  # a regular expression; null: letters and digits joined
    language: Annotated[str, Field(pattern=r"^[a-z]{2,3}$")] = "en"  # of queries without a locale

    @field_validator("identifier")
    @classmethod
    def _compiles(cls, pattern: str | None) -> str | None:
        try:
            re.compile(pattern or "")
        except re.error as problem:
            raise ValueError(f"not a regular expression: {problem}") from None
        return pattern


class RerankParams(Section):
    """A recorded branch whose order the top of the selected list is given, as an ablation."""

    branch: BranchName
    depth: Positive = 50


class MmrParams(Section):
    """Maximal marginal relevance over the vectors of a dense branch, as an ablation.

    `relevance` is λ, the weight of relevance against being unlike what stands above.
    """

    branch: BranchName
    relevance: Share = 0.5
    depth: Positive = 50


class EvaluationParams(Section):
    """What is measured, and how sure one wants to be."""

    measures: list[Measure] = Field(
        [
            "nDCG@5",
            "nDCG@10",
            "R@100",
            "RR@10",
            "P@5",
            "AP@100",
            "Success@5",
            "Judged@5",
            "EvidenceCoverage@5",
            "ZeroHit@5",
        ],
        min_length=1,
    )
    alpha: Annotated[float, Field(gt=0, lt=0.5)] = 0.05
    resamples: Annotated[int, Field(ge=100, le=1_000_000)] = 10_000
    slices: SliceParams = SliceParams()
    rerank: RerankParams | None = None
    source_cap: Positive | None = None  # items of one source within the cutoff, as an ablation
    mmr: MmrParams | None = None
    rewritten: Mapping[BranchName, BranchName] = {}  # fused branch to the one for rewritings


class OperationsParams(Section):
    """Time budgets per branch (milliseconds), the faults to try, the queries to probe with.

    `snapshot` is what recorded runs of the served index name as theirs; null: not declared.
    """

    timeout_ms: Mapping[BranchName, Annotated[float, Field(gt=0)]] = {}
    faults: list[Fault] = ["dropout"]
    pairs: bool = False  # every fault on each pair of branches, too
    # Queries that every branch is asked again with; it indexes three times more.
    probes: Annotated[int, Field(ge=0)] = 0
    snapshot: Annotated[str, Field(min_length=1)] | None = None


class TrackingParams(Section):
    """Where MLflow is, under which experiment, and how many configurations become runs."""

    uri: str | None = None
    experiment: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    children: Annotated[int, Field(ge=0)] | None = None


class ReportParams(Section):
    """Whether the report may show text of documents and queries."""

    text: bool = False
