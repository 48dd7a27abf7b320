"""What many studies of one kind said, held against what is demanded."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.false_ship.rates import Rate
from pipeline.decision import Word


@dataclass(frozen=True, slots=True)
class Outcome:
    """What many studies of one kind said.

    Args:
        null: which.
        population: the collection.
        points: of the grid.
        groups: test groups of each study.
        protocol: holdout or crossfit.
        margin: the declared margin.
        words: how many said each word.
        limit: the share of *ship* that is demanded at most; None where nothing is.
    """

    null: str
    population: str
    points: int
    groups: int
    protocol: str
    margin: float
    words: Mapping[Word, int]
    limit: float | None

    def rate(self, said: Word = "ship") -> Rate:
        """The share that said it."""
        return Rate(self.words.get(said, 0), sum(self.words.values()))

    @property
    def kept(self) -> bool:
        """Whether the demanded limit is not refuted."""
        return self.limit is None or self.rate().keeps(self.limit)


def refuted(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Those whose demanded limit the draws refute."""
    return [one for one in outcomes if not one.kept]
