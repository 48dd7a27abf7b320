"""Evaluation: every system measured, and the selected one compared with what it must beat."""

from pipeline.evaluation.stage import Evaluation, compute

__all__ = ["Evaluation", "compute"]
