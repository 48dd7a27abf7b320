"""The report's charts: inline SVG by matplotlib, which is imported when the first is drawn."""

from pipeline.report.charts.exchange import Offer, exchange
from pipeline.report.charts.gains import gains
from pipeline.report.charts.heat import Spot, heat
from pipeline.report.charts.intervals import Span, intervals
from pipeline.report.charts.profile import Step, profile
from pipeline.report.charts.shares import shares

__all__ = [
    "Offer",
    "Span",
    "Spot",
    "Step",
    "exchange",
    "gains",
    "heat",
    "intervals",
    "profile",
    "shares",
]
