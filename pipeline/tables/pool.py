"""What is judged of what the branches returned."""

from pipeline.tables.table import REAL, TEXT, WHOLE, Table

POOL = Table(
    "pool/pool",
    {"query_id": TEXT, "evidence_id": TEXT, "status": TEXT},
    key=("query_id", "evidence_id"),
)

POOL_STATUSES = ("judged", "unknown", "abstained", "unjudged")

# judged and returned are counts of items at that cutoff, summed over the split's queries; low and
# high are bounds of their ratio, by query group.
COVERAGE = Table(
    "pool/coverage",
    {
        "system": TEXT,
        "split": TEXT,
        "cutoff": WHOLE,
        "judged": WHOLE,
        "returned": WHOLE,
        "low": REAL,
        "high": REAL,
    },
    key=("system", "split", "cutoff"),
    nullable=frozenset({"low", "high"}),
)

COMPOSITION = Table(
    "pool/composition",
    {"kind": TEXT, "queries": WHOLE, "pairs": WHOLE, "judged": WHOLE},
    key=("kind",),
)
