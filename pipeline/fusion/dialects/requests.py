"""What the JSON snippets share: a branch's search with placeholders, and how JSON is written."""

import json
from collections.abc import Mapping
from typing import Any

WHOLE = 10  # vectors looked at in each partition, for each one wanted


def lucene_query(name: str, kind: str) -> dict[str, Any]:
    """A branch's lexical search in Elasticsearch's and OpenSearch's language."""
    return {"match": {f"TEXT_FIELD_OF_{name}": {"query": "QUERY", "_name": f"{name} ({kind})"}}}


def as_json(content: Mapping[str, Any]) -> str:
    """JSON for readers."""
    return json.dumps(content, indent=2, ensure_ascii=False)


def number(value: float) -> float | int:
    """Whole numbers without a point."""
    return int(value) if value == int(value) else value
