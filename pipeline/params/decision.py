"""The `decision` section: the limits of every gate."""

from collections.abc import Mapping
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from pipeline.params.section import Fault, Positive, Section, Share

Check = Literal[
    "irrelevant_document", "other_tenant", "punctuation", "repeated_identifier", "superseded"
]


class PrimaryLimit(Section):
    """The gain asked for (improve), the loss allowed (not_worse)."""

    margin: Annotated[float, Field(ge=0, le=1)] = 0.0
    tolerance: Annotated[float, Field(ge=0, le=1)] = 0.0


class TimeLimit(Section):
    """A percentile of the end-to-end time, in milliseconds or as a ratio to the baseline's."""

    percentile: Literal[50, 90, 95, 99] = 95
    milliseconds: Annotated[float, Field(gt=0)] | None = None
    ratio: Annotated[float, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _limited(self) -> Self:
        if self.milliseconds is None and self.ratio is None:
            raise ValueError("declare milliseconds, ratio, or both")
        return self


class ColdLimit(TimeLimit):
    """The same of first calls in fresh processes; the median, unless another is named."""

    percentile: Literal[50, 90, 95, 99] = 50


class LatencyLimit(TimeLimit):
    """Of warm calls by so many callers at once, and of first calls where they are limited too."""

    callers: Literal[1, 4, 16] = 1
    cold: ColdLimit | None = None


class WorkLimit(Section):
    """The greatest mean per query, or the greatest ratio of means to the baseline's."""

    most: Annotated[float, Field(gt=0)] | None = None
    ratio: Annotated[float, Field(gt=0)] | None = None

    @model_validator(mode="after")
    def _limited(self) -> Self:
        if self.most is None and self.ratio is None:
            raise ValueError("declare most, ratio, or both")
        return self


class CostLimit(Section):
    """What a query may ask for, beside time."""

    requests: WorkLimit | None = None
    candidates: WorkLimit | None = None
    documents: WorkLimit | None = None
    context_tokens: WorkLimit | None = None

    @model_validator(mode="after")
    def _limited(self) -> Self:
        if all(getattr(self, name) is None for name in type(self).model_fields):
            raise ValueError("declare requests, candidates, documents or context_tokens")
        return self


class ToleranceLimit(Section):
    """A loss that is allowed, in units of the measure."""

    tolerance: Annotated[float, Field(ge=0, le=1)] = 0.0


class DegradedLimit(Section):
    """The least share of the whole system's primary measure kept with any one branch failing.

    `faults` gives faults floors of their own; `pairs` is the floor with two branches failing,
    which are shown only where it is null; `empties` is the share of queries that may lose their
    answer, 0 asking that none of the test's own does.
    """

    floor: Share
    faults: Mapping[Fault, Share] = {}
    pairs: Share | None = None
    empties: Share = 0.0

    def floor_of(self, fault: str) -> float | None:
        """What must be kept under a fault such as `slow:bm25`; None where it is only shown."""
        name, _, branches = fault.partition(":")
        if "+" in branches:
            return self.pairs
        return {str(key): value for key, value in self.faults.items()}.get(name, self.floor)


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
    cost: CostLimit | None = None
    degraded: DegradedLimit | None = None
    coverage: CoverageLimit | None = None
    robust: bool | None = None
    equal_work: bool | None = None
    stability: bool | None = None
    # The share of queries that may violate a check of pipeline.operations.metamorphic.
    metamorphic: Mapping[Check, Share] = {}
    slices: Mapping[str, SliceLimit] = {}
    pinned: list[Pinned] = Field(default_factory=list)
