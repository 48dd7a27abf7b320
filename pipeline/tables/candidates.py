"""What the branches returned, and what they returned when they were asked again."""

from collections.abc import Mapping

from pipeline.tables.table import REAL, TEXT, WHOLE, Table, Type

_LISTED: Mapping[str, Type] = {
    "query_id": TEXT,
    "rank": WHOLE,
    "doc_id": TEXT,
    "evidence_id": TEXT,
    "source_id": TEXT,
    "score": REAL,
}

BRANCH_CANDIDATES = Table(
    "candidates/{branch}/candidates",
    _LISTED,
    key=("query_id", "rank"),
    nullable=frozenset({"score"}),
)

BRANCH_QUERIES = Table(
    "candidates/{branch}/queries",
    {"query_id": TEXT, "status": TEXT, "returned": WHOLE, "eligible": WHOLE, "filter": TEXT},
    key=("query_id",),
    nullable=frozenset({"eligible", "filter"}),
)

# All branches' tables in one frame, as later stages read them.
CANDIDATES = Table(
    "candidates",
    {"branch": TEXT, **_LISTED},
    key=("branch", "query_id", "rank"),
    nullable=frozenset({"score"}),
)

CANDIDATE_QUERIES = Table(
    "candidates",
    {"branch": TEXT, **BRANCH_QUERIES.columns},
    key=("branch", "query_id"),
    nullable=BRANCH_QUERIES.nullable,
)

# What a branch returned when it was asked again, where `operations.probes` asks for it. Names:
# unfiltered (no filter at all), as_others (query_id's words on behalf of asked_as, itself
# included, beside canaries), canaries_unfiltered (the same without a filter: would they be found?),
# noise (beside documents that answer nothing), punctuation (the same words in quotation marks),
# repeated_identifier (rare identifiers repeated on their own pages).
_PROBED: Mapping[str, Type] = {
    "probe": TEXT,
    "query_id": TEXT,
    "asked_as": TEXT,
    "rank": WHOLE,
    "doc_id": TEXT,
    "score": REAL,
}

PROBES = Table(
    "candidates/{branch}/probes",
    _PROBED,
    key=("probe", "query_id", "asked_as", "rank"),
)

BRANCH_PROBES = Table(
    "candidates",
    {"branch": TEXT, **_PROBED},
    key=("branch", *PROBES.key),
)
