"""Which of two configurations is simpler: the order in which equals are settled."""

from collections.abc import Iterable

from pipeline.fusion import METHODS, Configuration

USUAL_CONSTANT = 60.0
"""The rank constant of Cormack, Clarke, Büttcher 2009, which most engines ship with."""

Simplicity = tuple[int, int, int, float, str]


def simplicity(configuration: Configuration) -> Simplicity:
    """The sort key of a configuration; the simplest has the smallest.

    RRF with equal weights, RRF with weights, other methods that look at ranks, those that look
    at scores; then fewer branches, the smaller total depth, a rank constant nearer to 60, id.
    """
    constant = configuration.rank_constant
    return (
        _family(configuration),
        len(configuration.weights),
        sum(depth for _, depth in configuration.depths),
        0.0 if constant is None else abs(constant - USUAL_CONSTANT),
        configuration.id,
    )


def by_simplicity(configurations: Iterable[Configuration]) -> tuple[Configuration, ...]:
    """Configurations, the simplest first."""
    return tuple(sorted(configurations, key=simplicity))


def _family(configuration: Configuration) -> int:
    if configuration.method == "rrf":
        return int(len({weight for _, weight in configuration.weights}) > 1)
    return 3 if METHODS[configuration.method].needs_scores else 2
