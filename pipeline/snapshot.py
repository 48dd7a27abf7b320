"""Stage snapshot: what exactly is studied? The collection, read strictly and hashed."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.collection import Collection, read_collection
from pipeline.manifest import manifest_of
from pipeline.params import Params
from pipeline.recorded import RecordedRun, Vectors


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One version of a collection.

    Args:
        documents: table DOCUMENTS.
        queries: table QUERIES.
        judgments: table JUDGMENTS, one row for each assessor's opinion.
        runs: recorded runs by name.
        vectors: vectors made elsewhere, by name.
        manifest: counts, content hashes, declared scale and regime, what was noticed.
        summary: the few figures a person wants to see.
    """

    documents: pl.DataFrame
    queries: pl.DataFrame
    judgments: pl.DataFrame
    runs: Mapping[str, RecordedRun]
    vectors: Mapping[str, Vectors]
    manifest: dict[str, Any]
    summary: dict[str, object]


def compute(*, collection: Path, params: Params) -> Snapshot:
    """Reads and hashes the collection.

    Args:
        collection: folder of the native form.
        params: all parameters; `collection` is used.

    Returns:
        The snapshot.

    Raises:
        MissingError: no collection.
        CollectionError: every problem of the input, with file and line.
    """
    return of(read_collection(collection, params=params.collection), params)


def of(collection: Collection, params: Params) -> Snapshot:
    """The snapshot of a collection that was read already."""
    manifest = manifest_of(collection, params.collection)
    return Snapshot(
        collection.documents,
        collection.queries,
        collection.judgments,
        collection.runs,
        collection.vectors,
        manifest,
        _summary(manifest),
    )


def _summary(manifest: Mapping[str, Any]) -> dict[str, object]:
    counts, notes = manifest["counts"], manifest["notes"]
    rows = [[name.replace("_", " "), count] for name, count in counts.items()]
    rows += [[name.replace("_", " "), count] for name, count in notes.items()]
    return {
        **counts,
        "regime": manifest["regime"],
        "has_acl": manifest["has_acl"],
        "hash": manifest["hashes"]["collection"][:12],
        "table": {"columns": ["what", "count"], "rows": rows},
    }
