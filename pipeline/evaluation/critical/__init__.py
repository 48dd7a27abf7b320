"""The unjudged pairs whose judgment could turn the primary gate."""

from pipeline.evaluation.critical.table import Critical, critical

__all__ = ["Critical", "critical"]
