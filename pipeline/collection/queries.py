"""queries.jsonl: one question on each line, with the judgments that stand inside it."""

from pathlib import Path

from pipeline.collection import checks
from pipeline.collection.jsonl import Fields, json_lines
from pipeline.collection.problems import Problems
from pipeline.collection.rounds import INLINE, judgment
from pipeline.collection.rows import Row, Rows, rename

QUERY = Fields(
    {
        "query_id": checks.an_id,
        "text": checks.a_text,
        "query": checks.a_text,
        "conversation": checks.an_id,
        "template": checks.an_id,
        "entity": checks.an_id,
        "source_family": checks.an_id,
        "paraphrase_of": checks.an_id,
        "independent": checks.flag,
        "split": checks.one_of(*checks.SIDES),
        "slices": checks.labels,
        "slice": checks.labels,
        "tenant": checks.an_id,
        "groups": checks.ids,
        "as_of": checks.moment,
        "locale": checks.a_text,
        "required_evidence": checks.labels,
        "answerable": checks.flag,
        "weight": checks.amount,
        "variants": checks.objects(
            kind=checks.one_of("rewrite", "decomposition"), text=checks.a_text
        ),
        "relevant": checks.grades,
    },
    required=("query_id",),
)


def read_queries(path: Path, problems: Problems) -> tuple[Rows, list[Row]]:
    """Reads queries.jsonl: the queries, and the judgments given inline as `relevant`."""
    read, inline = Rows("query_id"), list[Row]()
    before = len(problems)
    for number, given in json_lines(path, problems):
        row = QUERY.read(path, number, given, problems)
        if row is None:
            continue
        rename(path, number, row, "text", "query", problems)
        rename(path, number, row, "slices", "slice", problems)
        first = row["query_id"] not in read.kept
        read.keep(path, number, row, problems)
        if first:
            inline += (
                judgment(row["query_id"], evidence, grade, round_name=INLINE, line=number)
                for evidence, grade in row.get("relevant", {}).items()
            )
    if not read.kept and len(problems) == before:
        problems.add(path, "no queries", found="an empty file", expected="at least one line")
    return read, inline
