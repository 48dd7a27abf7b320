"""The whole contract of a fusion, so that another engineer can repeat it from its artifact."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from pipeline.errors import ParameterError
from pipeline.fusion.collapse import LEVELS, Duplicates, Level
from pipeline.fusion.limits import check_depth
from pipeline.fusion.methods import Method, method_of
from pipeline.fusion.settings import Depths, Weights, settle

Missing = Literal["skip", "past_depth"]

_CHOICES: Mapping[str, tuple[str, ...]] = {
    "level": tuple(LEVELS),
    "missing": ("skip", "past_depth"),
    "duplicates": ("reject", "keep_first"),
}


@dataclass(frozen=True, slots=True)
class Contract:
    """How lists are fused, to the last tie; checked and brought to one form when made.

    Args:
        method: a name in `METHODS`.
        weights: (branch, weight) pairs; kept sorted, normalised to sum 1, only those above 0.
        depths: (branch, depth) pairs of the same branches: how many rows of each list are read.
        rank_constant: k, 1 to 100,000, where the method takes one (60 where it is not given).
        level: what is fused: `document`, `evidence` or `source`.
        missing: an item missing from a list contributes nothing (`skip`), or as if it stood at
            the branch's depth + 1 (`past_depth`; methods on scores know no such place: nothing).
            A branch without a list for the query contributes nothing to any item of it.
        duplicates: a document twice in a list is refused, or its first row is kept.
        output_depth: how many items are returned per query.
        representatives: so many of an item's `members`, best first, stand for it.
        order: in which order the branches take turns in a round-robin union; empty: by name.
        minima: (branch, score) pairs: the least score a branch could give, for `convex_tmm`.

    Raises:
        ParameterError: naming the value that is refused.
    """

    method: str
    weights: Weights
    depths: Depths
    rank_constant: float | None = None
    level: Level = "evidence"
    missing: Missing = "skip"
    duplicates: Duplicates = "reject"
    output_depth: int = 100
    representatives: int = 1
    order: tuple[str, ...] = ()
    minima: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        settled = settle(
            self.method,
            rank_constant=self.rank_constant,
            weights=self.weights,
            depths=self.depths,
            order=self.order,
        )
        for name in ("rank_constant", "weights", "depths", "order"):
            object.__setattr__(self, name, getattr(settled, name))
        for key, known in _CHOICES.items():
            _check_choice(key, getattr(self, key), known)
        check_depth(self.output_depth, where="output_depth")
        check_depth(self.representatives, where="representatives")

    @classmethod
    def of(
        cls,
        method: str,
        *,
        weights: Mapping[str, float],
        depths: Mapping[str, int],
        rank_constant: float | None = None,
        level: Level = "evidence",
        missing: Missing = "skip",
        duplicates: Duplicates = "reject",
        output_depth: int = 100,
        representatives: int = 1,
        order: Iterable[str] = (),
        minima: Mapping[str, float] | None = None,
    ) -> "Contract":
        """A contract from mappings, weights as the user gives them."""
        return cls(
            method=method,
            weights=tuple(weights.items()),
            depths=tuple(depths.items()),
            rank_constant=rank_constant,
            level=level,
            missing=missing,
            duplicates=duplicates,
            output_depth=output_depth,
            representatives=representatives,
            order=tuple(order),
            minima=tuple(sorted((minima or {}).items())),
        )

    @property
    def branches(self) -> tuple[str, ...]:
        """The branches that take part, sorted."""
        return tuple(name for name, _ in self.weights)

    @property
    def definition(self) -> Method:
        """The method itself."""
        return method_of(self.method)

    def describe(self) -> dict[str, object]:
        """The whole contract in values and words, for JSON."""
        return {
            "method": self.method,
            "formula": self.definition.formula,
            "rank_constant": self.rank_constant,
            "weights": dict(self.weights),
            "depths": dict(self.depths),
            "order": list(self.order or self.branches) if self.definition.takes_order else None,
            "minima": dict(self.minima) if self.method == "convex_tmm" else None,
            "level": self.level,
            "missing": self.missing,
            "duplicates": self.duplicates,
            "output_depth": self.output_depth,
            "representatives": self.representatives,
            "first_rank": 1,
            **_RULES,
        }


_RULES: Mapping[str, str] = {
    "steps": "cut each list to its branch's depth, collapse it to the level, renumber from 1, fuse",
    "scores_of_items": "an item has the score of its best-ranked member in that list",
    "normalisation": "weights have sum 1; scores are normalised within one collapsed list",
    "sum": "contributions added in descending order of value, in double precision",
    "ties": "higher score, then better best rank in any list, then smaller id by code point",
    "weight_zero": "a branch of weight 0 takes no part",
    "representative": "the member with the best collapsed rank in any list, then the best place "
    "before collapsing, then the smaller document id",
}


def _check_choice(key: str, value: object, known: tuple[str, ...]) -> None:
    if value not in known:
        raise ParameterError(
            f"unknown {key}", where=f"fusion.{key}", found=repr(value), expected=", ".join(known)
        )
