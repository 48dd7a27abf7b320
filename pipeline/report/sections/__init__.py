"""The sections of the page, in their order: one file each, one entry each."""

from collections.abc import Callable, Sequence

from pipeline.report.blocks import Section
from pipeline.report.sections.authorization import authorization
from pipeline.report.sections.baselines import baselines
from pipeline.report.sections.coverage import coverage
from pipeline.report.sections.degraded import degraded
from pipeline.report.sections.diagnosis import diagnosis
from pipeline.report.sections.equal_work import equal_work
from pipeline.report.sections.fusion import fusion
from pipeline.report.sections.gates import gates
from pipeline.report.sections.inputs import inputs
from pipeline.report.sections.latency import latency
from pipeline.report.sections.measures import measures
from pipeline.report.sections.metamorphic import metamorphic
from pipeline.report.sections.overlap import overlap
from pipeline.report.sections.queries import queries
from pipeline.report.sections.sensitivity import sensitivity
from pipeline.report.sections.slices import slices
from pipeline.report.sections.splits import splits
from pipeline.report.sections.systems import systems
from pipeline.report.sections.unjudged import unjudged
from pipeline.report.stored import Stored

__all__ = ["SECTIONS", "sections"]

SECTIONS: Sequence[Callable[[Stored], Section]] = (
    baselines,
    queries,
    sensitivity,
    slices,
    diagnosis,
    equal_work,
    systems,
    unjudged,
    coverage,
    overlap,
    degraded,
    authorization,
    metamorphic,
    latency,
    splits,
    measures,
    fusion,
    gates,
    inputs,
)


def sections(stored: Stored) -> list[Section]:
    """Every section; one without results says what is missing."""
    return [section(stored) for section in SECTIONS]
