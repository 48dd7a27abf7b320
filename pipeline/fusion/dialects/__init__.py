"""Engines and what they make of a configuration; a new one is one file and an entry here.

Vespa is left out: its global phase ranks every matched document by every feature, also by those
whose search did not return it, which lists do not hold.
"""

from collections.abc import Mapping

from pipeline.errors import ParameterError
from pipeline.fusion.configuration import Configuration
from pipeline.fusion.dialects.dialect import Dialect
from pipeline.fusion.dialects.elasticsearch import ELASTICSEARCH
from pipeline.fusion.dialects.milvus import MILVUS
from pipeline.fusion.dialects.opensearch import OPENSEARCH
from pipeline.fusion.dialects.pgvector import PGVECTOR
from pipeline.fusion.dialects.qdrant import QDRANT
from pipeline.fusion.dialects.weaviate import WEAVIATE

DIALECTS: Mapping[str, Dialect] = {
    "elasticsearch": ELASTICSEARCH,
    "opensearch": OPENSEARCH,
    "qdrant": QDRANT,
    "weaviate": WEAVIATE,
    "milvus": MILVUS,
    "pgvector": PGVECTOR,
}


def dialect_of(engine: str) -> Dialect:
    """The engine of that name; raises ParameterError naming the known ones."""
    if engine not in DIALECTS:
        raise ParameterError(
            "no such engine", where="engine", found=engine, expected=", ".join(DIALECTS)
        )
    return DIALECTS[engine]


def unserved(engine: str, configuration: Configuration, *, missing: str = "skip") -> list[str]:
    """What of a configuration an engine cannot serve, one clause each; empty where it can.

    Args:
        engine: a name in `DIALECTS`.
        configuration: a point of the grid.
        missing: `fusion.missing`; no engine ranks what a list lacks.
    """
    dialect = dialect_of(engine)
    if configuration.method not in dialect.methods:
        served = ", ".join(dialect.methods)
        return [f"method {configuration.method}, and it fuses by {served}"]
    refused = list(dialect.refusals(configuration))
    if missing != "skip":
        refused.append(f"fusion.missing: {missing}, and what a list lacks gains nothing there")
    return refused
