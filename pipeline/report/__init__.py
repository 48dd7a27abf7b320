"""The report: one offline page for people, and one screen for a product manager."""

from pipeline.report.stage import Report, compute

__all__ = ["Report", "compute"]
