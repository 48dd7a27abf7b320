"""The parameters of a study: read from YAML, typed, unknown keys refused with the nearest known."""

import difflib
import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from pipeline.errors import MissingError, ParameterError

Measure = str
Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[int, Field(ge=1)]
BranchName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+$")]
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
Fault = Literal["dropout"]


class Section(BaseModel):
    """A section of params.yaml: frozen, strict, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CollectionParams(Section):
    """Where the collection lies and how its judgments are read."""

    path: str
    regime: Literal["exhaustive", "pooled", "sparse"] = "pooled"
    scale: tuple[int, int] = (0, 3)
    rel: int = 1
    grades: Mapping[int, int] = Field(default_factory=dict)
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
        if not low < self.rel <= high or self.rel < 1:
            raise ValueError(f"rel must lie in the scale and be at least 1, found {self.rel}")
        return self


class SplitsParams(Section):
    """How query groups are made and put on sides."""

    protocol: Literal["holdout", "crossfit"] = "holdout"
    shares: Mapping[Literal["dev", "test", "train", "reserve"], Share] = Field(
        default_factory=lambda: {"dev": 0.5, "test": 0.5}
    )
    folds: Annotated[int, Field(ge=2)] = 5
    independent: bool = False
    group_by: list[
        Literal["conversation", "template", "entity", "source_family", "paraphrase_of"]
    ] = Field(
        default_factory=lambda: [
            "conversation",
            "template",
            "entity",
            "source_family",
            "paraphrase_of",
        ]
    )
    stratify_by: Literal["slices"] | None = "slices"

    @field_validator("shares")
    @classmethod
    def _whole(cls, shares: Mapping[str, float]) -> Mapping[str, float]:
        if not math.isclose(sum(shares.values()), 1.0, abs_tol=1e-9):
            raise ValueError(f"shares must add up to 1, found {sum(shares.values()):g}")
        return shares


class Branch(Section):
    """What every branch has: its kind and its depth."""

    depth: Positive = 100


class Bm25Branch(Branch):
    """BM25 over title and text (Lucene's variant)."""

    kind: Literal["bm25"]
    k1: Annotated[float, Field(gt=0)] = 0.9
    b: Share = 0.4
    language: str = "english"  # Snowball stemmer and stop words; "none" switches both off


class DenseBranch(Branch):
    """Exact search over vectors.

    `static`: word vectors shipped with wordllama; `lsa`: fitted on the documents;
    `precomputed`: `vectors: NAME`, the collection's `vectors/NAME.documents` and
    `vectors/NAME.queries` (.npy or .parquet).
    """

    kind: Literal["dense"]
    encoder: Literal["static", "lsa", "precomputed"] = "static"
    dimensions: Positive = 200
    vectors: str | None = None
    similarity: Literal["cosine", "dot"] = "cosine"

    @model_validator(mode="after")
    def _files(self) -> "DenseBranch":
        if (self.encoder == "precomputed") != (self.vectors is not None):
            raise ValueError("vectors goes with encoder: precomputed, and only with it")
        return self


class RecordedBranch(Branch):
    """A recorded run, taken as it is."""

    kind: Literal["recorded"]
    run: str
    order: Literal["score", "rank", "file"] = "score"
    higher_is_better: bool = True


AnyBranch = Annotated[Bm25Branch | DenseBranch | RecordedBranch, Field(discriminator="kind")]


class FusionParams(Section):
    """The part of the fusion contract that is not a grid axis."""

    branches: Literal["all"] | list[BranchName] = "all"
    level: Literal["document", "evidence", "source"] = "evidence"
    missing: Literal["skip", "past_depth"] = "skip"
    duplicates: Literal["reject", "keep_first"] = "reject"
    output_depth: Positive = 100
    representatives: Positive = 1


class ContextParams(Section):
    """How many items the generator would be handed."""

    depth: Positive = 5


class PoolParams(Section):
    """How deep the judging pool goes, and over which systems."""

    depth: Positive = 20
    systems: Literal["defaults", "grid"] = "defaults"


class SweepParams(Section):
    """The declared grid."""

    measures: list[Measure] = Field(default_factory=lambda: ["nDCG@5", "R@100"], min_length=1)
    methods: list[Method] = Field(default_factory=lambda: ["rrf", "convex_minmax"], min_length=1)
    rank_constants: list[Annotated[float, Field(ge=1, le=100_000)]] = Field(
        default_factory=lambda: [1, 5, 10, 20, 40, 60, 80, 100], min_length=1
    )
    weight_step: Annotated[float, Field(gt=0, le=0.5)] = 0.1
    depths: list[Positive] = Field(default_factory=lambda: [100], min_length=1)
    target: Literal["any"] = "any"


class DeclaredConfiguration(Section):
    """A configuration given by hand: weights and depths by branch name."""

    method: Method
    rank_constant: Annotated[float, Field(ge=1, le=100_000)] | None = None
    weights: Mapping[BranchName, float] = Field(default_factory=dict)
    depths: Mapping[BranchName, Positive] = Field(default_factory=dict)


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
    """From how many queries on a slice is shown."""

    minimum: Positive = 20


class EvaluationParams(Section):
    """What is measured, and how sure one wants to be."""

    measures: list[Measure] = Field(
        default_factory=lambda: [
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
    resamples: Annotated[int, Field(ge=100)] = 10_000
    slices: SliceParams = SliceParams()


class OperationsParams(Section):
    """Time budgets per branch (milliseconds) and the faults to try."""

    timeout_ms: Mapping[BranchName, Annotated[float, Field(gt=0)]] = Field(default_factory=dict)
    faults: list[Fault] = Field(default_factory=lambda: ["dropout"])


class PrimaryLimit(Section):
    """The gain asked for (improve), the loss allowed (not_worse)."""

    margin: Annotated[float, Field(ge=0, le=1)] = 0.0
    tolerance: Annotated[float, Field(ge=0, le=1)] = 0.0


class LatencyLimit(Section):
    """A percentile of the warm end-to-end time, in milliseconds or as a ratio to the baseline."""

    percentile: Literal[50, 90, 95, 99] = 95
    milliseconds: Annotated[float, Field(gt=0)] | None = None
    ratio: Annotated[float, Field(gt=0)] | None = None


class ToleranceLimit(Section):
    """A loss that is allowed, in units of the measure."""

    tolerance: Annotated[float, Field(ge=0, le=1)] = 0.0


class DegradedLimit(Section):
    """The least share of the whole system's primary measure kept with any one branch out."""

    floor: Share


class CoverageLimit(Section):
    """The least judged share at the primary cutoff, and the widest gap between systems."""

    judged: Share = 0.9
    gap: Share = 0.1


class SliceLimit(Section):
    """A veto of one slice."""

    veto: Literal["statistical"] = "statistical"
    tolerance: Annotated[float, Field(ge=0, le=1)] = 0.05


class Pinned(Section):
    """A named query whose named evidence must stay in the top `cutoff`."""

    query: str
    evidence: str
    cutoff: Positive


class DecisionParams(Section):
    """The declared gates; null: not asked."""

    primary: PrimaryLimit = PrimaryLimit()
    latency: LatencyLimit | None = None
    zero_hits: ToleranceLimit | None = None
    cost: LatencyLimit | None = None
    degraded: DegradedLimit | None = None
    coverage: CoverageLimit | None = None
    robust: bool | None = None
    equal_work: bool | None = None
    stability: bool | None = None
    slices: Mapping[str, SliceLimit] = Field(default_factory=dict)
    pinned: list[Pinned] = Field(default_factory=list)


class TrackingParams(Section):
    """Where MLflow is, and how many configurations become runs of their own."""

    uri: str | None = None
    children: Annotated[int, Field(ge=0)] = 200


class ReportParams(Section):
    """Whether the report may show text of documents and queries."""

    text: bool = False


class Params(Section):
    """All parameters of a study."""

    study: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+$")]
    rankgate: str | None = None
    seed: Annotated[int, Field(ge=0)] = 7
    question: Literal["improve", "not_worse"] = "improve"
    collection: CollectionParams
    splits: SplitsParams = SplitsParams()
    candidates: Mapping[BranchName, AnyBranch] = Field(min_length=1)
    production: BranchName | None = None
    fusion: FusionParams = FusionParams()
    context: ContextParams = ContextParams()
    pool: PoolParams = PoolParams()
    sweep: SweepParams = SweepParams()
    selection: SelectionParams = SelectionParams()
    evaluation: EvaluationParams = EvaluationParams()
    operations: OperationsParams = OperationsParams()
    decision: DecisionParams = DecisionParams()
    tracking: TrackingParams = TrackingParams()
    report: ReportParams = ReportParams()

    @model_validator(mode="after")
    def _names(self) -> "Params":
        known = set(self.candidates)
        named = {
            "production": [] if self.production is None else [self.production],
            "fusion.branches": [] if self.fusion.branches == "all" else list(self.fusion.branches),
            "operations.timeout_ms": list(self.operations.timeout_ms),
        }
        for key, names in named.items():
            strangers = [name for name in names if name not in known]
            if strangers:
                raise ValueError(f"{key} names no branch: {strangers}; known: {sorted(known)}")
        return self

    @property
    def fused_branches(self) -> tuple[str, ...]:
        """The branches that fusion may use, by name."""
        if self.fusion.branches == "all":
            return tuple(sorted(b for b in self.candidates if b != self.production))
        return tuple(sorted(set(self.fusion.branches)))


def read_params(path: Path) -> Params:
    """Reads and checks params.yaml.

    Raises:
        MissingError: the file is not there.
        ParameterError: YAML that 1.1 and 1.2 read differently, an unknown key, a wrong value.
    """
    if not path.exists():
        raise MissingError("no parameters here", where=path, next_command="rankgate init")
    return parse_params(path.read_text(encoding="utf-8"), where=path)


def parse_params(text: str, *, where: object = "params.yaml") -> Params:
    """Params from YAML text; raises as `read_params`."""
    try:
        content = yaml.load(text, Loader=_loader(where))  # noqa: S506 - a SafeLoader subclass
    except yaml.YAMLError as problem:
        raise ParameterError(
            "not YAML", where=where, found=" ".join(str(problem).split())
        ) from None
    if not isinstance(content, dict):
        raise ParameterError("not a mapping", where=where, found=type(content).__name__)
    return to_params(content, where=where)


def to_params(content: Mapping[str, Any], *, where: object = "params") -> Params:
    """Params from a mapping; raises ParameterError naming every key that is wrong."""
    try:
        return Params.model_validate(content)
    except ValidationError as problem:
        lines = [_explain(error) for error in problem.errors()]
        raise ParameterError("; ".join(lines), where=where) from None


def _explain(error: Any) -> str:
    parts = [str(part) for part in error["loc"]]
    key = ".".join(
        part for part in parts if part not in {"bm25", "dense", "recorded"} or part == parts[-1]
    )
    if error["type"] == "extra_forbidden":
        nearest = difflib.get_close_matches(parts[-1], _known_keys(), n=1)
        hint = f", the nearest known is {nearest[0]!r}" if nearest else ""
        return f"{key}: unknown key{hint}"
    found = "" if error["type"] == "missing" else f", found {error['input']!r}"
    return f"{key or 'params'}: {error['msg']}{found}"


def _known_keys() -> list[str]:
    sections = [Params, *_sections(Section)]
    return sorted({name for section in sections for name in section.model_fields})


def _sections(parent: type[Section]) -> list[type[Section]]:
    return [s for child in parent.__subclasses__() for s in (child, *_sections(child))]


# What YAML 1.2's core schema reads as something else than a string.
_CORE = {
    "bool": re.compile(r"^(?:true|True|TRUE|false|False|FALSE)$"),
    "int": re.compile(r"^[-+]?[0-9]+$|^0o[0-7]+$|^0x[0-9a-fA-F]+$"),
    "float": re.compile(
        r"^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$|^[-+]?\.(?:inf|Inf|INF)$|^\.(?:nan|NaN|NAN)$"
    ),
    "null": re.compile(r"^(?:null|Null|NULL|~|)$"),
}


def _core_kind(value: str) -> str:
    return next((kind for kind, pattern in _CORE.items() if pattern.match(value)), "str")


def _loader(where: object) -> type[yaml.SafeLoader]:
    class Loader(yaml.SafeLoader):
        """Refuses plain scalars that YAML 1.1 and 1.2 read differently, and repeated keys."""

        def compose_scalar_node(self, anchor: Any) -> yaml.ScalarNode:
            node = super().compose_scalar_node(anchor)
            kind = node.tag.rsplit(":", 1)[-1]
            differs = kind != _core_kind(node.value) or (
                kind == "int" and re.match(r"^[-+]?0[0-9]", node.value)
            )
            if node.style is None and differs:
                raise ParameterError(
                    "YAML versions read this value differently",
                    where=f"{where}:{node.start_mark.line + 1}",
                    found=node.value,
                    expected="a quoted string, true or false, or a plain decimal number",
                )
            return node

        def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
            keys = [self.construct_object(key, deep=True) for key, _ in node.value]
            repeated = [key for i, key in enumerate(keys) if key in keys[:i]]
            if repeated:
                raise ParameterError(
                    f"key {repeated[0]!r} stands twice",
                    where=f"{where}:{node.start_mark.line + 1}",
                    expected="each key once",
                )
            return super().construct_mapping(node, deep=deep)

    return Loader
