"""Bootstrap bounds of many systems by one shared product, against scipy.stats.bootstrap.

Ours gives bootstrap-t, percentile and BCa bounds of every system at once. scipy is called once
for each system, with its defaults (BCa, vectorised, all resamples in memory); and again as fast
as it goes here (percentile only, 500 resamples at a time), which is printed beside.

    python -m benchmarks.bootstrap [--quick]
"""

import argparse

import numpy as np
from scipy import stats

from benchmarks.measuring import alternate, conclude, introduce
from pipeline.statistics.bootstrap import BootstrapBounds, bootstrap_bounds
from pipeline.statistics.groups import Grouped
from pipeline.statistics.resampling import resample_all

ALPHA = 0.05
# Standard error of a 5 % quantile of a normal distribution, in its standard deviations: with
# 10,000 resamples 0.021, and √2 times that for the difference of two estimates.
QUANTILE_ERROR = np.sqrt(ALPHA * (1 - ALPHA)) / stats.norm.pdf(stats.norm.ppf(ALPHA))


def main() -> None:
    """Prints the comparison."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    systems, queries, resamples, pairs = (3, 200, 2_000, 1) if quick else (20, 1_000, 10_000, 7)
    inputs = {"systems": systems, "queries": queries, "resamples": resamples}
    introduce("bootstrap", ["numpy", "scipy"], inputs)
    generator = np.random.default_rng(7)
    values = generator.beta(1.5, 2.0, size=(systems, queries)) - 0.4
    groups = np.arange(queries)

    def ours() -> list[BootstrapBounds]:
        items = [Grouped.of(row, groups) for row in values]
        drawn = resample_all(items, resamples, np.random.default_rng(1))
        return [bootstrap_bounds(*pair, ALPHA) for pair in zip(items, drawn, strict=True)]

    def theirs(method: str = "BCa", batch: int | None = None) -> list[tuple[float, float]]:
        calls = [
            stats.bootstrap(
                (row,),
                np.mean,
                n_resamples=resamples,
                confidence_level=1 - 2 * ALPHA,
                method=method,
                vectorized=True,
                batch=batch,
                rng=np.random.default_rng(2),
            )
            for row in values
        ]
        return [tuple(call.confidence_interval) for call in calls]

    tolerance = 4 * np.sqrt(2 / resamples) * QUANTILE_ERROR
    spread = values.std(axis=1) / np.sqrt(queries)
    found = ours()
    for bounds, wanted, said in (
        ([one.bca for one in found], theirs(), "BCa"),
        ([one.percentile for one in found], theirs("percentile", 500), "percentile"),
    ):
        apart = np.abs(np.array(bounds) - np.array(wanted)) / spread[:, None]
        assert (apart < tolerance).all(), f"{said}: {apart.max()} of {tolerance} errors apart"
        print(
            f"{said} bounds at most {apart.max():.3f} standard errors apart ({tolerance:.3f} is 4"
        )
        print("Monte Carlo errors of the difference)")
    against = alternate(ours, theirs, pairs)
    print(against.lines("all three bounds, shared", "scipy, its defaults"))
    tuned = alternate(ours, lambda: theirs("percentile", 500), pairs)
    print(tuned.lines("all three bounds, shared", "scipy, percentile in batches"))
    print(f"against scipy at its fastest here: {tuned.faster:.1f} times faster")
    conclude(against.faster, "times faster than scipy.stats.bootstrap")


if __name__ == "__main__":
    main()
