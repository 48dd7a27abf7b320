"""Blind worksheets: out to assessors, and back as lines of the judgments record."""

from pipeline.worksheets.blind import WorksheetRow, blind_rows, row_order, withheld_pairs
from pipeline.worksheets.files import FORMATS, read_worksheet, worksheet_name, write_worksheet
from pipeline.worksheets.imports import Imported, import_worksheet
from pipeline.worksheets.progress import judging_progress

__all__ = [
    "FORMATS",
    "Imported",
    "WorksheetRow",
    "blind_rows",
    "import_worksheet",
    "judging_progress",
    "read_worksheet",
    "row_order",
    "withheld_pairs",
    "worksheet_name",
    "write_worksheet",
]
