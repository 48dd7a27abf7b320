"""All parameters of a study, and how they are read."""

import difflib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, ValidationError, model_validator

from pipeline.errors import MissingError, ParameterError, first_three, shortened
from pipeline.params.branches import AnyBranch
from pipeline.params.decision import DecisionParams
from pipeline.params.section import BranchName, Section
from pipeline.params.stages import (
    CollectionParams,
    ContextParams,
    EvaluationParams,
    FusionParams,
    OperationsParams,
    PoolParams,
    ReportParams,
    SelectionParams,
    SplitsParams,
    SweepParams,
    TrackingParams,
)
from pipeline.params.unseen import UNSEEN, unseen_keys
from pipeline.typed_yaml import load_mapping, yaml_text

KINDS = "expected bm25, dense or recorded"


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
            "fusion.minima": list(self.fusion.minima),
            "operations.timeout_ms": list(self.operations.timeout_ms),
            "evaluation.rerank.branch": [] if self.rerank_branch is None else [self.rerank_branch],
            "evaluation.mmr.branch": [] if self.mmr_branch is None else [self.mmr_branch],
            "evaluation.rewritten": [
                name for pair in self.evaluation.rewritten.items() for name in pair
            ],
        }
        for key, names in named.items():
            strangers = [name for name in names if name not in known]
            if strangers:
                raise ValueError(f"{key} names no branch: {strangers}; known: {sorted(known)}")
        return self

    @model_validator(mode="after")
    def _rerank(self) -> "Params":
        name = self.rerank_branch
        if name is None:
            return self
        if self.candidates[name].kind != "recorded":
            raise ValueError(f"evaluation.rerank.branch must be a recorded branch, found {name!r}")
        if name in self.fused_branches or name == self.production:
            raise ValueError(
                f"evaluation.rerank.branch {name!r} is fused or production: "
                "list the others in fusion.branches"
            )
        return self

    @model_validator(mode="after")
    def _diversity(self) -> "Params":
        name = self.mmr_branch
        if name is not None and getattr(self.candidates[name], "vectors", None) is None:
            raise ValueError(
                f"evaluation.mmr.branch must be a dense branch with vectors, found {name!r}"
            )
        return self

    @model_validator(mode="after")
    def _rewritten(self) -> "Params":
        fused = self.fused_branches
        for name, other in self.evaluation.rewritten.items():
            if name not in fused:
                raise ValueError(f"evaluation.rewritten: {name!r} is not fused")
            if other in fused or other == self.production:
                raise ValueError(
                    f"evaluation.rewritten.{name}: {other!r} is fused or production: "
                    "list the others in fusion.branches"
                )
        others = list(self.evaluation.rewritten.values())
        if len(set(others)) < len(others):
            raise ValueError("evaluation.rewritten names a branch twice")
        return self

    @model_validator(mode="after")
    def _minima(self) -> "Params":
        """Least scores that a branch's kind tells stand in `fusion.minima` unless declared."""
        told = {name: b.least_score for name, b in self.candidates.items()}
        known = {name: least for name, least in told.items() if least is not None}
        minima = dict(sorted({**known, **self.fusion.minima}.items()))
        object.__setattr__(self, "fusion", self.fusion.model_copy(update={"minima": minima}))
        return self

    @property
    def rerank_branch(self) -> str | None:
        """The recorded branch that reranks the selected list, as an ablation."""
        rerank = self.evaluation.rerank
        return None if rerank is None else rerank.branch

    @property
    def mmr_branch(self) -> str | None:
        """The dense branch whose vectors tell how alike two documents are, for an ablation."""
        declared = self.evaluation.mmr
        return None if declared is None else declared.branch

    @property
    def fused_branches(self) -> tuple[str, ...]:
        """The branches that fusion may use, by name."""
        if self.fusion.branches == "all":
            return tuple(sorted(b for b in self.candidates if b != self.production))
        return tuple(sorted(set(self.fusion.branches)))

    @property
    def primary_limit(self) -> float:
        """What the primary gain must exceed: the margin, or minus the tolerance."""
        limits = self.decision.primary
        return {"improve": limits.margin, "not_worse": -limits.tolerance}[self.question]


def read_params(path: Path) -> Params:
    """Reads and checks params.yaml.

    Raises:
        MissingError: the file is not there.
        ParameterError: no UTF-8, YAML that 1.1 and 1.2 read differently, an unknown key, a wrong
            value.
    """
    if not path.exists():
        raise MissingError("no parameters here", where=path, next_command="rankgate init")
    return parse_params(yaml_text(path), where=path)


@lru_cache(maxsize=8)  # a stage reads the same text before and after its work
def parse_params(text: str, *, where: object = "params.yaml") -> Params:
    """Params from YAML text; raises as `read_params`."""
    return to_params(load_mapping(text, where=where), where=where)


def to_params(content: Mapping[str, Any], *, where: object = "params") -> Params:
    """Params from a mapping; raises ParameterError naming every key that is wrong."""
    try:
        params = Params.model_validate(content)
    except ValidationError as problem:
        lines = [shortened(_explain(error)) for error in problem.errors()]
        raise ParameterError("; ".join(lines), where=where, next_command=f"edit {where}") from None
    unseen = list(unseen_keys(content))
    if unseen:
        raise ParameterError(
            "a name whose values DVC does not see change",
            where=where,
            found=first_three(unseen),
            expected=f"any other name than {' or '.join(UNSEEN)}",
            next_command=f"edit {where}",
        )
    return params


def _explain(error: Any) -> str:
    parts = [str(part) for part in error["loc"] if part != "[key]"]
    if parts[:1] == ["candidates"] and len(parts) > 2:
        del parts[2]  # pydantic puts the kind between a branch and its key
    key = ".".join(parts)
    if error["type"] == "value_error":  # a rule of ours: it names what it found, in few words
        return f"{key}: {error['ctx']['error']}" if key else str(error["ctx"]["error"])
    if error["type"].startswith("union_tag"):
        found = error["input"].get("kind", "nothing") if isinstance(error["input"], dict) else None
        return f"{key}.kind: no such kind of branch, found {found or error['input']!r}, {KINDS}"
    if error["type"] == "extra_forbidden":
        nearest = difflib.get_close_matches(parts[-1], _known_keys(parts[:-1]), n=1)
        hint = f", the nearest known is {nearest[0]!r}" if nearest else ""
        return f"{key}: unknown key{hint}"
    found = "" if error["type"] == "missing" else f", found {error['input']!r}"
    return f"{key or 'params'}: {error['msg']}{found}"


def _known_keys(place: Sequence[str]) -> list[str]:
    """The keys of the section at that place; of every section, where it may be of several kinds."""
    section: type[Section] = Params
    for key in place:
        field = section.model_fields.get(key)
        inner = [] if field is None else _sections_in(field.annotation)
        if len(inner) != 1:
            return sorted({name for each in _sections(Section) for name in each.model_fields})
        section = inner[0]
    return sorted(section.model_fields)


def _sections_in(annotation: Any) -> list[type[Section]]:
    if isinstance(annotation, type) and issubclass(annotation, Section):
        return [annotation]
    return [each for part in get_args(annotation) for each in _sections_in(part)]


def _sections(parent: type[Section]) -> list[type[Section]]:
    return [each for child in parent.__subclasses__() for each in (child, *_sections(child))]
