"""What an engine makes of a configuration: its formula, what it cannot serve, and a snippet."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from pipeline.fusion.configuration import Configuration
from pipeline.fusion.methods import Method

# A configuration, and each branch's kind: what it is asked with.
Refusals = Callable[[Configuration], Iterator[str]]
Snippet = Callable[[Configuration, Mapping[str, str], int], str]


@dataclass(frozen=True, slots=True)
class Dialect:
    """An engine.

    Args:
        title: its name for readers.
        source: where its formulas were read.
        methods: fusion method to the engine's own version of it, made for a configuration.
        refusals: what of a configuration the engine cannot serve, one clause each; the method
            itself is looked up in `methods` before.
        snippet: the configuration, each branch's kind and how many items are wanted, to what
            reproduces it there; placeholders are written in capitals.
        notes: what the snippet needs, or does otherwise.
    """

    title: str
    source: str
    methods: Mapping[str, Callable[[Configuration], Method]]
    refusals: Refusals
    snippet: Snippet
    notes: tuple[str, ...] = ()


def one_window(configuration: Configuration) -> Iterator[str]:
    """For engines that cut every branch's list at the same depth."""
    depths = dict(configuration.depths)
    if len(set(depths.values())) > 1:
        yield f"depths of branches differ ({_listed(depths)}), and it cuts all lists alike"


def whole_constant(configuration: Configuration, most: int | None = None) -> Iterator[str]:
    """For engines whose rank constant is a whole number, perhaps with an end."""
    k = configuration.rank_constant
    if k is None:
        return
    if k != int(k):
        yield f"rank constant {k:g} is not whole"
    if most is not None and k > most:
        yield f"rank constant {k:g} is above {most}"


def two_branches(configuration: Configuration) -> Iterator[str]:
    """For engines that fuse a lexical and a vector search."""
    if len(configuration.branches) != 2:
        yield f"{len(configuration.branches)} branches, and it fuses two"


def is_even(configuration: Configuration) -> bool:
    """Whether every branch has the same weight."""
    return len({weight for _, weight in configuration.weights}) == 1


def _listed(values: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {value}" for name, value in values.items())
