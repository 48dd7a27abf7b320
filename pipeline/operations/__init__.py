"""What happens when a branch is out, what it costs, and whether anything forbidden is shown."""

from pipeline.operations.stage import Operations, compute

__all__ = ["Operations", "compute"]
