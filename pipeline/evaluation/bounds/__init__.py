"""How far unjudged evidence could move the selected configuration's differences."""

from pipeline.evaluation.bounds.extremes import Extremes, extremes
from pipeline.evaluation.bounds.views import bounds

__all__ = ["Extremes", "bounds", "extremes"]
