"""Which queries may be looked at while choosing, and which only once, at the end."""

from pipeline.splits.assignment import split_queries
from pipeline.splits.sides import Side, sides_of
from pipeline.splits.stage import Splits, compute

__all__ = ["Side", "Splits", "compute", "sides_of", "split_queries"]
