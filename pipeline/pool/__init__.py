"""What people are asked to judge, and how much of it they have judged."""

from pipeline.pool.stage import Pool, compute

__all__ = ["Pool", "compute"]
