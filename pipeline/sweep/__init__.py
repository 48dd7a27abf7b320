"""The sweep: the declared grid on dev, every configuration kept, query by query."""

from pipeline.grid.points import declared_points, fused
from pipeline.sweep.stage import Sweep, compute, swept_measures

__all__ = ["Sweep", "compute", "declared_points", "fused", "swept_measures"]
