"""Measures of ranked lists: names and meaning of ir_measures, values of trec_eval."""

from pipeline.measures.frames import arrange, judged_pairs
from pipeline.measures.kernels import measure_lists
from pipeline.measures.lists import UNJUDGED, Lists, Truth
from pipeline.measures.names import Measure, parse_measure, parse_own_measure
from pipeline.measures.table import per_query
from pipeline.measures.ties import has_ties, tie_ranges

__all__ = [
    "UNJUDGED",
    "Lists",
    "Measure",
    "Truth",
    "arrange",
    "has_ties",
    "judged_pairs",
    "measure_lists",
    "parse_measure",
    "parse_own_measure",
    "per_query",
    "tie_ranges",
]
