"""Statistics of paired, grouped differences: intervals, tests, power."""

from pipeline.statistics.comparison import Comparison, compare_all, compare_differences
from pipeline.statistics.floors import Kept, kept_above
from pipeline.statistics.groups import Grouped, group_numbers
from pipeline.statistics.headroom import highest_low, highest_low_of
from pipeline.statistics.holm import holm
from pipeline.statistics.intervals import MeanInterval, mean_interval
from pipeline.statistics.pairing import paired_comparison
from pipeline.statistics.power import groups_needed, smallest_detectable
from pipeline.statistics.seeds import named_generator, named_seed
from pipeline.statistics.shares import paired_share_p, share_interval

__all__ = [
    "Comparison",
    "Grouped",
    "Kept",
    "MeanInterval",
    "compare_all",
    "compare_differences",
    "group_numbers",
    "groups_needed",
    "highest_low",
    "highest_low_of",
    "holm",
    "kept_above",
    "mean_interval",
    "named_generator",
    "named_seed",
    "paired_comparison",
    "paired_share_p",
    "share_interval",
    "smallest_detectable",
]
