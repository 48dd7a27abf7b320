"""What each part costs on a machine: measured by `rankgate time`, kept as a record."""

from pipeline.times.record import FUSION, Timing, parse_times

__all__ = ["FUSION", "Timing", "parse_times"]
