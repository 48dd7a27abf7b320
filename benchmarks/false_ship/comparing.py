"""What the gates make of one study's test: intervals, statuses, the word.

The interval, the verdicts and the word are a study's own functions. A test holds this road and
whole studies to the same words and figures.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchmarks.false_ship.choosing import Sample, own_values
from benchmarks.false_ship.draws import FOLDS
from benchmarks.false_ship.populations import PRIMARY, Flags, Population, Reals, Wholes
from pipeline.decision import Word, word_of
from pipeline.evaluation.differences import plan_of
from pipeline.gates import Gate, Status
from pipeline.gates.gate import together
from pipeline.gates.interval import Interval, verdict
from pipeline.slices import ALL_QUERIES
from pipeline.statistics import Grouped, compare_differences
from pipeline.statistics.comparison import MANY_GROUPS, narrowest_bounds
from pipeline.statistics.student import critical

ALPHA = 0.05
SLACK = 1e-6


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison that a gate will judge.

    Args:
        differences: one per test query: the selected configuration's value less the baseline's.
        sample: the queries.
        baseline: whom it is compared with.
        slice: its name, as it names the draws of a whole study.
        judge: the gate's verdict on its interval.
        widest: take the wider of t and bootstrap-t at every number of groups, as no study does.
    """

    differences: Reals
    sample: Sample
    baseline: str
    slice: str
    judge: Callable[[Interval], Status]
    widest: bool = False

    def narrow(self) -> Interval:
        """Its interval before bootstrap-t widens it."""
        data = Grouped.of(self.differences, self.sample.groups)
        low, high = narrowest_bounds(data, ALPHA)
        queries = len(self.differences)
        return Interval(self.baseline, data.mean, low, high, queries, data.groups, data.nonzero)

    def may_widen(self, narrow: Interval, status: Status) -> bool:
        """Whether bootstrap-t has a say; where the widest is measured, only *ship* counts."""
        return status == "pass" if self.widest else narrow.groups < MANY_GROUPS

    def widened(self, narrow: Interval, *, seed: int, resamples: int) -> Interval:
        """Its interval as a study gives it."""
        compared = compare_differences(
            self.differences,
            self.sample.groups,
            alpha=ALPHA,
            resamples=resamples,
            generator=plan_of(seed, "test", self.slice),
        )
        if self.widest and compared.boot_low is not None and compared.boot_high is not None:
            low, high = narrow.low or 0.0, narrow.high or 0.0
            return replace(
                narrow, low=min(low, compared.boot_low), high=max(high, compared.boot_high)
            )
        return replace(narrow, low=compared.low, high=compared.high)


Part = tuple[Interval, Status]


def settle(
    comparisons: Sequence[Comparison], *, seed: int, resamples: int, always: bool = False
) -> list[Part]:
    """What a gate makes of its comparisons.

    Bootstrap-t only widens the t interval, and only below 60 groups. So where the narrower one
    leaves a comparison open the wider one does, too; and where one comparison is open or fails,
    it does not matter whether another one passes. Draws that can change nothing are not made.

    Args:
        comparisons: of one gate, whose status is the gravest of theirs.
        seed: the study's.
        resamples: bootstrap samples.
        always: draw even so, for the figures.

    Returns:
        Interval and status of each; together they make the gate's status.
    """
    narrow = [one.narrow() for one in comparisons]
    statuses = [one.judge(found) for one, found in zip(comparisons, narrow, strict=True)]
    needed = {"fail", "pass"} if set(statuses) == {"pass"} else {"fail"}
    parts = []
    for one, found, status in zip(comparisons, narrow, statuses, strict=True):
        if always or (status in needed and one.may_widen(found, status)):
            wide = one.widened(found, seed=seed, resamples=resamples)
            parts.append((wide, one.judge(wide)))
        else:
            parts.append((found, status))
    return parts


def against_branches(
    population: Population, chosen: Wholes, sample: Sample, margin: float
) -> list[Comparison]:
    """The comparisons of the primary gate: the selected configuration against every branch."""
    ours = own_values(population, PRIMARY, chosen, sample)
    theirs = population.values[PRIMARY]
    return [
        Comparison(
            ours - theirs[population.row(branch), sample.queries],
            sample,
            branch,
            ALL_QUERIES,
            lambda one: verdict(one, margin),
            population.widest,
        )
        for branch in population.branches
    ]


def worth_a_look(population: Population, chosen: Wholes, test: Wholes, margin: float) -> Flags:
    """(studies,): whether the primary gate can be anything but unresolved.

    All studies' t intervals at once, with some slack: what they leave open stays open in the
    study's own functions, which settle the rest.

    Args:
        population: what was measured.
        chosen: as in `Choice.points`.
        test: (studies, groups), the groups on the test.
        margin: what the gain must exceed.
    """
    groups = test.shape[1]
    folds = np.arange(groups) % FOLDS
    points = chosen[:, None] if chosen.ndim == 1 else chosen[:, folds]
    sizes, ours = population.sizes[test], population.sums[points, test]
    queries = sizes.sum(axis=1)
    passing, failing = np.ones(len(test), dtype=np.bool_), np.zeros(len(test), dtype=np.bool_)
    for branch in population.branches:
        apart = ours - population.sums[population.row(branch)][test]
        means = apart.sum(axis=1) / queries
        residuals = apart - means[:, None] * sizes
        spread = (residuals**2).sum(axis=1) * groups / (groups - 1)
        reach = critical(ALPHA, groups) * np.sqrt(spread) / queries
        passing &= means - reach > margin - SLACK
        failing |= means + reach < margin + SLACK
    found: Flags = passing | failing
    return found


def status_of(parts: Iterable[Part]) -> Status:
    """A gate's status, of its parts."""
    return together(status for _, status in parts)


def word(statuses: Mapping[str, Status]) -> Word:
    """The word that required gates with these statuses make."""
    gates = [
        Gate(name, required=True, status=status, reason="") for name, status in statuses.items()
    ]
    return word_of(gates, sealed=False)
