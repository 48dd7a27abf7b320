"""judgments/ROUND.jsonl: what assessors said in one pass."""

from pathlib import Path

from pipeline.collection import checks
from pipeline.collection.jsonl import Fields, json_lines
from pipeline.collection.lines import stem
from pipeline.collection.problems import Problems
from pipeline.collection.rows import Row

INLINE = ""  # the round of judgments that stand inside queries.jsonl

JUDGMENT = Fields(
    {
        "query_id": checks.an_id,
        "evidence_id": checks.an_id,
        "grade": checks.whole,
        "status": checks.one_of("judged", "unknown", "abstained"),
        "assessor": checks.a_text,
        "assessor_kind": checks.one_of("human", "model", "log"),
        "note": checks.a_text,
    },
    required=("query_id", "evidence_id"),
)


def judgment(query: str, evidence: str, grade: int, *, round_name: str, line: int) -> Row:
    """A judgment by an assessor nobody named."""
    return {
        "query_id": query,
        "evidence_id": evidence,
        "grade": grade,
        "status": "judged",
        "assessor": "",
        "round": round_name,
        "line": line,
    }


def read_round(path: Path, problems: Problems) -> tuple[list[Row], int]:
    """Reads one round.

    Returns:
        The judgments, and how many lines said again what the same assessor had said of the
        same pair. Saying otherwise is a problem: a change of mind belongs in a later round.
    """
    said: dict[tuple[str, str, str], Row] = {}
    repeated = 0
    for number, given in json_lines(path, problems):
        row = _read(path, number, given, problems)
        if row is None:
            continue
        first = said.setdefault((row["query_id"], row["evidence_id"], row["assessor"]), row)
        if first is row:
            continue
        if _opinion(first) == _opinion(row):
            repeated += 1
        else:
            _refuse_contradiction(path, first, row, problems)
    return list(said.values()), repeated


def _read(path: Path, line: int, given: Row, problems: Problems) -> Row | None:
    row = JUDGMENT.read(path, line, given, problems)
    if row is None:
        return None
    if ("grade" in row) != (row.get("status", "judged") == "judged"):
        problems.add(
            path,
            "grade and status contradict each other",
            line=line,
            found=f"grade {row.get('grade')}, status {row.get('status')}",
            expected="a grade, or status unknown or abstained",
        )
        return None
    return {"status": "judged", "assessor": "", **row, "round": stem(path), "line": line}


def _opinion(row: Row) -> tuple[object, object]:
    return row.get("grade"), row["status"]


def _refuse_contradiction(path: Path, first: Row, row: Row, problems: Problems) -> None:
    problems.add(
        path,
        "one assessor contradicts himself in one round",
        line=row["line"],
        found=(
            f"query {row['query_id']} evidence {row['evidence_id']}"
            f" assessor {row['assessor'] or '(not named)'}:"
            f" {first.get('grade', first['status'])} on line {first['line']},"
            f" now {row.get('grade', row['status'])}"
        ),
        expected="one opinion; put a change of mind into a later round",
    )
