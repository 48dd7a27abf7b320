"""One point of the fusion grid: what may differ between two fusions of the same candidates."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import polars as pl

from pipeline.errors import ParameterError
from pipeline.fusion.contract import Contract
from pipeline.fusion.methods import method_of
from pipeline.fusion.settings import Depths, Weights, settle
from pipeline.params import FusionParams
from pipeline.tables import CONFIGURATIONS


@dataclass(frozen=True, slots=True)
class Configuration:
    """Method, rank constant, weights and depths; checked and brought to one form when made.

    Args:
        method: a name in `METHODS`; `branch` is a single branch by itself.
        rank_constant: k where the method takes one, else None.
        weights: (branch, weight) pairs; kept sorted, normalised to sum 1, only those above 0.
        depths: (branch, depth) pairs of the same branches.
        order: the branches' order in a round-robin union; empty: by name.

    Raises:
        ParameterError: naming the value that is refused.
    """

    method: str
    rank_constant: float | None
    weights: Weights
    depths: Depths
    order: tuple[str, ...] = ()

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

    @classmethod
    def of(
        cls,
        method: str,
        *,
        rank_constant: float | None = None,
        weights: Mapping[str, float],
        depths: Mapping[str, int],
        order: Iterable[str] = (),
    ) -> "Configuration":
        """A configuration from mappings, weights as the user gives them."""
        return cls(
            method, rank_constant, tuple(weights.items()), tuple(depths.items()), tuple(order)
        )

    @classmethod
    def from_row(cls, row: Mapping[str, Any]) -> "Configuration":
        """The configuration of a row of the table `configurations`."""
        weights = {
            key.removeprefix("weight_"): value
            for key, value in row.items()
            if key.startswith("weight_") and value
        }
        depths = {name: row[f"depth_{name}"] for name in weights}
        return cls.of(
            row["method"], rank_constant=row["rank_constant"], weights=weights, depths=depths
        )

    @property
    def branches(self) -> tuple[str, ...]:
        """The branches that take part, sorted."""
        return tuple(name for name, _ in self.weights)

    @property
    def id(self) -> str:
        """A readable name of letters a-z, digits, `_` and `-`, with a digest of the values."""
        return _identity(self)

    def _prefix(self) -> str:
        if method_of(self.method).own_scores:
            return f"branch_{_safe(self.branches[0])}"
        parts = [self.method]
        if self.rank_constant is not None:
            parts.append(f"k{_safe(f'{self.rank_constant:g}')}")
        if method_of(self.method).takes_weights:
            parts.append("w" + "_".join(_safe(f"{100 * weight:.3g}") for _, weight in self.weights))
        return "-".join([*parts, "d" + "_".join(_distinct(self.depths))])

    def row(self) -> dict[str, object]:
        """Its row of the table `configurations`, with the columns of its own branches.

        Raises:
            ParameterError: it has an order of its own, which the table does not hold.
        """
        if self.order:
            raise ParameterError("a grid holds no order of branches", where="order", found=self)
        return {
            "configuration": self.id,
            "method": self.method,
            "rank_constant": self.rank_constant,
            **{f"weight_{name}": weight for name, weight in self.weights},
            **{f"depth_{name}": depth for name, depth in self.depths},
        }

    def contract(self, fusion: FusionParams) -> Contract:
        """The whole contract: this configuration with what the study fixes for all."""
        return Contract.of(
            self.method,
            rank_constant=self.rank_constant,
            weights=dict(self.weights),
            depths=dict(self.depths),
            order=self.order,
            level=fusion.level,
            missing=fusion.missing,
            duplicates=fusion.duplicates,
            output_depth=fusion.output_depth,
            representatives=fusion.representatives,
            minima=fusion.minima,
        )

    def without(self, branch: str) -> "Configuration":
        """The configuration with a branch's weight gone and the others' scaled up.

        Without change where the branch takes no part or is the only one.
        """
        weights = {name: weight for name, weight in self.weights if name != branch}
        if len(weights) in {0, len(self.weights)}:
            return self
        return Configuration.of(
            self.method,
            rank_constant=self.rank_constant,
            weights=weights,
            depths={name: depth for name, depth in self.depths if name != branch},
            order=[name for name in self.order if name != branch],
        )

    def describe(self) -> str:
        """For readers: `RRF, k = 60, bm25 0.5 + dense 0.5, depth 100`."""
        method = method_of(self.method)
        if method.own_scores:
            return f"{self.branches[0]} alone, depth {self.depths[0][1]}"
        constant = [f"k = {self.rank_constant:g}"] if self.rank_constant is not None else []
        weighted = (f"{name} {weight:.4g}" for name, weight in self.weights)
        shares = " + ".join(weighted if method.takes_weights else self.order or self.branches)
        return ", ".join([method.title, *constant, shares, f"depth {self._depth_words()}"])

    def _depth_words(self) -> str:
        distinct = _distinct(self.depths)
        if len(distinct) == 1:
            return distinct[0]
        return " + ".join(f"{name} {depth}" for name, depth in self.depths)


def configurations_table(
    configurations: Iterable[Configuration], *, branches: Iterable[str] = ()
) -> pl.DataFrame:
    """The table `configurations`: a weight (0 where absent) and a depth (0) for every branch.

    Args:
        configurations: in any order; equal ones are one row.
        branches: branches that have columns even where no configuration uses them.

    Returns:
        configuration, method, rank_constant, weight_BRANCH…, depth_BRANCH…, sorted by the first.
    """
    distinct = {configuration.id: configuration for configuration in configurations}
    names = sorted({*branches, *(b for c in distinct.values() for b in c.branches)})
    schema = {
        **CONFIGURATIONS.columns,
        **{f"weight_{name}": pl.Float64() for name in names},
        **{f"depth_{name}": pl.Int64() for name in names},
    }
    absent = {key: 0 for key in schema if key not in CONFIGURATIONS.columns}
    rows = [{**absent, **distinct[key].row()} for key in sorted(distinct)]
    return pl.DataFrame(rows, schema=schema)


@lru_cache(maxsize=2**16)  # a sweep asks for the id of every point again and again
def _identity(one: Configuration) -> str:
    values = [one.method, one.rank_constant, one.weights, one.depths, one.order]
    digest = hashlib.sha256(json.dumps(values).encode()).hexdigest()[:8]
    return f"{one._prefix()}-{digest}"


def _distinct(depths: Depths) -> list[str]:
    values = [str(depth) for _, depth in depths]
    return values[:1] if len(set(values)) == 1 else values


def _safe(name: str) -> str:
    return re.sub(r"[^a-z0-9_]", "_", name.lower())
