"""What each part costs on a machine: measured by `rankgate time`, kept as a record."""

from pipeline.times.components import END_TO_END
from pipeline.times.record import Timing, parse_times
from pipeline.times.work import Work

__all__ = ["END_TO_END", "Timing", "Work", "parse_times"]
