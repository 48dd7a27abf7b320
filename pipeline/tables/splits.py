"""The sides, and the judgments of each made one by the declared rule."""

from collections.abc import Mapping

from pipeline.tables.table import TEXT, WHOLE, Table, Type

SPLITS = Table(
    "splits/splits",
    {"query_id": TEXT, "group_id": TEXT, "split": TEXT, "fold": WHOLE},
    key=("query_id",),
    nullable=frozenset({"fold"}),
)

# One row per pair: the opinions of all assessors made one by the declared rule.
QRELS_COLUMNS: Mapping[str, Type] = {
    "query_id": TEXT,
    "evidence_id": TEXT,
    "grade": WHOLE,
    "status": TEXT,
}


def _qrels(path: str) -> Table:
    return Table(
        path, QRELS_COLUMNS, key=("query_id", "evidence_id"), nullable=frozenset({"grade"})
    )


DEV_JUDGMENTS = _qrels("splits/dev_judgments")
TEST_JUDGMENTS = _qrels("splits/test_judgments")
