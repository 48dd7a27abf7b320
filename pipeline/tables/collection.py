"""What was read: documents, queries, judgments, recorded runs, vectors."""

import polars as pl

from pipeline.tables.table import FLAG, LINKS, MOMENT, REAL, TEXT, TEXTS, VARIANTS, WHOLE, Table

# A document of this kind is there to be seen by nobody: wherever it turns up, a filter failed.
CANARY = "canary"

DOCUMENTS = Table(
    "snapshot/documents",
    {
        "doc_id": TEXT,
        "evidence_id": TEXT,
        "source_id": TEXT,
        "title": TEXT,
        "text": TEXT,
        "start": WHOLE,
        "end": WHOLE,
        "tenant": TEXT,
        "groups": TEXTS,
        "valid_from": MOMENT,
        "valid_to": MOMENT,
        "superseded_by": TEXT,
        "locale": TEXT,
        "links": LINKS,
        "entities": TEXTS,
        "kind": TEXT,
    },
    key=("doc_id",),
    nullable=frozenset(
        {
            "title",
            "text",
            "start",
            "end",
            "tenant",
            "groups",
            "valid_from",
            "valid_to",
            "superseded_by",
            "locale",
            "links",
            "entities",
            "kind",
        }
    ),
)

QUERIES = Table(
    "snapshot/queries",
    {
        "query_id": TEXT,
        "text": TEXT,
        "conversation": TEXT,
        "template": TEXT,
        "entity": TEXT,
        "source_family": TEXT,
        "paraphrase_of": TEXT,
        "independent": FLAG,
        "split": TEXT,
        "slices": TEXTS,
        "tenant": TEXT,
        "groups": TEXTS,
        "as_of": MOMENT,
        "locale": TEXT,
        "required_evidence": TEXTS,
        "answerable": FLAG,
        "weight": REAL,
        "variants": VARIANTS,
    },
    key=("query_id",),
    nullable=frozenset(
        {
            "text",
            "conversation",
            "template",
            "entity",
            "source_family",
            "paraphrase_of",
            "independent",
            "split",
            "slices",
            "tenant",
            "groups",
            "as_of",
            "locale",
            "required_evidence",
            "answerable",
            "weight",
            "variants",
        }
    ),
)

# One row per assessor's opinion; status is judged (with a grade), unknown or abstained.
JUDGMENTS = Table(
    "snapshot/judgments",
    {
        "query_id": TEXT,
        "evidence_id": TEXT,
        "grade": WHOLE,
        "status": TEXT,
        "assessor": TEXT,  # "" where nobody is named
        "assessor_kind": TEXT,
        "note": TEXT,
        "round": TEXT,  # the file's name without .jsonl; "" for judgments inside queries.jsonl
        "line": WHOLE,  # in that file; decides which of one round's opinions is the latest
    },
    key=("query_id", "evidence_id", "assessor", "round"),
    nullable=frozenset({"grade", "assessor_kind", "note"}),
)

# A recorded run as it was read: position is the row in the file, rank and score as written there.
RECORDED_RUN = Table(
    "snapshot/runs/{name}",
    {"query_id": TEXT, "position": WHOLE, "rank": WHOLE, "doc_id": TEXT, "score": REAL},
    key=("query_id", "position"),
    nullable=frozenset({"rank", "score"}),
)

RECORDED_QUERIES = Table(
    "snapshot/runs/{name}.queries",
    {"query_id": TEXT, "status": TEXT, "took_ms": REAL, "snapshot": TEXT, "filters": TEXT},
    key=("query_id",),
    nullable=frozenset({"took_ms", "snapshot", "filters"}),
)

VECTORS = Table(
    "snapshot/vectors/{name}",  # NAME.documents, NAME.queries
    {"id": TEXT, "vector": pl.List(pl.Float32())},
    key=("id",),
)
