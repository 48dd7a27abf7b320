"""Rows as lines of the native form."""

import json
from collections.abc import Mapping
from typing import Any

DERIVED = {"line", "round"}  # where a row came from; not part of what a file says
DEFAULTS = {"assessor": "", "status": "judged"}  # go without saying


def native_line(row: Mapping[str, Any]) -> str:
    """A row as a line of JSON, with its line end; what goes without saying is left out."""
    said = {
        name: value
        for name, value in row.items()
        if name not in DERIVED and value != DEFAULTS.get(name, row)
    }
    return json.dumps(said, ensure_ascii=False, allow_nan=False) + "\n"
