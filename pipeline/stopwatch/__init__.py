"""Times the study's own branches as a service would call them; above the stages, as `study`."""

from pipeline.stopwatch.measurement import Amount, measure

__all__ = ["Amount", "measure"]
