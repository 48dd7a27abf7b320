"""Studies in which nothing deserves to ship, and what they say."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.false_ship.choosing import Choice, Sample, select, select_without
from benchmarks.false_ship.comparing import (
    Comparison,
    against_branches,
    settle,
    status_of,
    word,
    worth_a_look,
)
from benchmarks.false_ship.draws import Draws, drawn
from benchmarks.false_ship.outcomes import Outcome
from benchmarks.false_ship.populations import PRIMARY, Population, Reals, Wholes
from benchmarks.false_ship.tilting import tilted
from pipeline.decision import Word
from pipeline.gates import Status
from pipeline.gates.interval import Interval, verdict
from pipeline.selection.rule import choose

HOLDOUT, CROSSFIT = "holdout", "crossfit"


def words_of(
    population: Population, chosen: Wholes, test: Wholes, margin: float
) -> Mapping[Word, int]:
    """The words of many studies that ask for the primary gate alone.

    Args:
        population: what was measured.
        chosen: as in `Choice.points`.
        test: (studies, groups), the groups on the test.
        margin: what the gain must exceed.
    """
    resamples = population.params.evaluation.resamples
    counted: Counter[Word] = Counter()
    telling = worth_a_look(population, chosen, test, margin)
    counted["inconclusive"] += int((~telling).sum())
    for number in np.flatnonzero(telling):
        points, groups = chosen[number], test[number]
        sample = Sample.of(population, groups)
        compared = against_branches(population, points, sample, margin)
        parts = settle(compared, seed=int(number), resamples=resamples)
        counted[word({"primary": status_of(parts)})] += 1
    return counted


@dataclass(frozen=True, slots=True)
class Setting:
    """Studies of one population, drawn one way.

    Args:
        population: configurations and values.
        draws: the studies.
        weights: (groups,), how likely each group is.
        choice: what selection froze under holdout.
    """

    population: Population
    draws: Draws
    weights: Reals
    choice: Choice

    @classmethod
    def of(cls, population: Population, draws: Draws, weights: Reals) -> "Setting":
        """With the choices made."""
        return cls(population, draws, weights, select(population, draws.dev))

    @property
    def groups(self) -> int:
        """Test groups of each study."""
        return int(self.draws.dev.shape[1])

    @property
    def test(self) -> Wholes:
        """(studies, groups), the groups on the test, drawn like dev's."""
        return drawn(self.draws.test, self.weights)

    @property
    def best_gain(self) -> float:
        """The true gain of the grid's best configuration."""
        return float(self.population.gains(self.weights).max())

    def outcome(
        self, null: str, margin: float, words: Mapping[Word, int], limit: float | None
    ) -> Outcome:
        """What its studies said."""
        points = len(self.population.points)
        name = self.population.name
        return Outcome(null, name, points, self.groups, HOLDOUT, margin, words, limit)


def at_the_best_gain(setting: Setting, null: str, limit: float) -> Outcome:
    """The margin is the true gain of the best configuration: no other one exceeds it either."""
    margin = setting.best_gain
    words = words_of(setting.population, setting.choice.points, setting.test, margin)
    return setting.outcome(null, margin, words, limit)


def at_the_best_gain_by_crossfit(setting: Setting, null: str, limit: float) -> Outcome:
    """The same under crossfit: the groups of dev are all the groups there are."""
    margin, population = setting.best_gain, setting.population
    choice = select_without(population, setting.draws.dev)
    words = words_of(population, choice.points, setting.draws.dev, margin)
    return replace(setting.outcome(null, margin, words, limit), protocol=CROSSFIT)


def each_at_the_margin(setting: Setting, null: str, limit: float) -> Outcome:
    """Whichever configuration is chosen, the test is tilted until its gain is the margin.

    A configuration that cannot be brought there (it nowhere loses) leaves the study out.
    """
    population, margin = setting.population, setting.best_gain
    values = population.sums
    points = len(population.points)
    best_branch = points + int((values[points:] @ setting.weights).argmax())
    excess = values[:points] - values[best_branch] - margin * population.sizes
    weights = {int(one): tilted(excess[one]) for one in np.unique(setting.choice.points)}
    kept = [row for row, one in enumerate(setting.choice.points) if weights[int(one)] is not None]
    chosen = setting.choice.points[kept]
    test = np.stack(
        [
            drawn(setting.draws.test[row], found)
            for row in kept
            if (found := weights[int(setting.choice.points[row])]) is not None
        ]
    )
    return setting.outcome(null, margin, words_of(population, chosen, test, margin), limit)


def exchanged_labels(setting: Setting, null: str, signs: Reals) -> Outcome:
    """In each group a coin decides which of configuration and best branch is called which.

    A sanity check: symmetric differences are the kindest that an interval can meet.

    Args:
        setting: the studies.
        null: its name.
        signs: (studies, 2, groups), 1 or -1.
    """
    population, counted = setting.population, Counter[Word]()
    points = len(population.points)
    values = population.values[PRIMARY]
    best = points + int((population.group_sums(values[points:]) @ setting.weights).argmax())
    differences = values[:points] - values[best]
    sums = population.group_sums(differences)
    branch = population.branches[best - points]
    pairs = zip(setting.draws.dev, setting.test, signs, strict=True)
    for number, (dev, test, (on_dev, on_test)) in enumerate(pairs):
        mine = replace(population.problem, sums=sums[:, dev] * on_dev, counts=population.sizes[dev])
        chosen = int(choose(mine, np.ones((1, len(dev)))).chosen[0])
        sample = Sample.of(population, test)
        turned = differences[chosen, sample.queries] * on_test[sample.places]
        one = Comparison(turned, sample, branch, (PRIMARY, ""), _beyond_zero)
        resamples = population.params.evaluation.resamples
        parts = settle([one], seed=number, resamples=resamples)
        counted[word({"primary": status_of(parts)})] += 1
    return setting.outcome(null, 0.0, counted, None)


def _beyond_zero(one: Interval) -> Status:
    return verdict(one, 0.0)
