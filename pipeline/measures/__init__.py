"""Measures of ranked lists: names and meaning of ir_measures, values of trec_eval."""

from pipeline.measures.frames import arrange, judged_pairs
from pipeline.measures.kernels import measure_lists
from pipeline.measures.lists import UNJUDGED, Lists, Truth
from pipeline.measures.names import Measure, parse_measure
from pipeline.measures.table import per_query

__all__ = [
    "UNJUDGED",
    "Lists",
    "Measure",
    "Truth",
    "arrange",
    "judged_pairs",
    "measure_lists",
    "parse_measure",
    "per_query",
]
