"""Selection: one configuration is frozen, by the declared rule, on dev alone."""

from pipeline.selection.stage import Selection, compute

__all__ = ["Selection", "compute"]
