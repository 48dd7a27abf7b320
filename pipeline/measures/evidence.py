"""Measures of required evidence: how much of it is there, and whether all of it is."""

from pipeline.measures.lists import Lists, Truth, Values, share
from pipeline.measures.names import Measure


def evidence_coverage(measure: Measure, lists: Lists, truth: Truth, rel: int) -> Values:
    """Share of the required evidence in the top k; NaN where none is declared."""
    return share(lists.required.sum(axis=-1), truth.required)


def all_evidence(measure: Measure, lists: Lists, truth: Truth, rel: int) -> Values:
    """1 where the top k hold all required evidence, else 0; NaN where none is declared."""
    covered = share(lists.required.sum(axis=-1), truth.required)
    covered[covered < 1.0] = 0.0
    return covered
