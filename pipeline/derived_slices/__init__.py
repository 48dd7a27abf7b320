"""Slices that follow from the queries, their evidence and the branches' lists.

A slice that the collection declares itself is taken as it is, and not derived.
"""

from pipeline.derived_slices.derive import DERIVED, derived_slices, with_derived
from pipeline.derived_slices.known import Known

__all__ = ["DERIVED", "Known", "derived_slices", "with_derived"]
