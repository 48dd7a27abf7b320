"""Answers of Elasticsearch and OpenSearch as their `_search` gave them, one for each query."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pipeline.collection import checks
from pipeline.collection.jsonl import Fields, json_document, kind_of
from pipeline.collection.lines import stem
from pipeline.collection.problems import Problems
from pipeline.errors import InputError, MissingError


def _total(value: Any) -> int:
    """How many documents matched: `{value, relation}`, or a number; -1 where nobody counted."""
    return checks.whole(value.get("value", -1) if isinstance(value, dict) else value)


_ANSWER = Fields(
    {
        "took": checks.amount,
        "timed_out": checks.flag,
        "terminated_early": checks.flag,
        "is_partial": checks.flag,
        "_shards": checks.an_object,
        "_clusters": checks.an_object,
        "hits": checks.an_object,
        "response": checks.an_object,
        "error": lambda value: value,
    },
    required=(),
)
_COUNTS = Fields({"failed": checks.offset, "partial": checks.offset}, required=())
_HITS = Fields({"hits": checks.dictionaries, "total": _total}, required=("hits",))
_HIT = Fields({"_id": checks.an_id, "_score": checks.real}, required=("_id",))


def read_answers(folder: Path, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Reads a folder of answers, QUERY.json each, as lines of a run in JSON Lines.

    Args:
        folder: its files, by name; .json or .json.gz, the name without it is the query's id.
        problems: takes what is no answer.

    Raises:
        MissingError: the folder holds no answer.
        InputError: a file is no JSON.
    """
    files = [
        file
        for file in sorted(folder.iterdir())
        if file.name.removesuffix(".gz").endswith(".json") and not file.name.startswith(".")
    ]
    if not files:
        raise MissingError(
            "no answers in the folder",
            where=folder,
            expected="QUERY.json, one answer of _search each",
            next_command="save each answer under its query's id, or give a run file",
        )
    for number, file in enumerate(files, start=1):
        try:
            answer = json_document(file)
        except InputError as problem:
            problems.add(file, problem.what, found=problem.found, expected=problem.expected)
            continue
        line = answer_line(file, None, stem(file), answer, problems)
        if line is not None:
            yield number, line


def answer_line(
    where: object, number: int | None, query: str, answer: Any, problems: Problems
) -> dict[str, Any] | None:
    """An answer as a line of a run: results, took_ms, status.

    `partial` where shards or clusters failed, where it timed out or was ended early and still
    holds hits; `timeout` where it timed out with none; `error` where it is an error. What else
    stands in it (sources, aggregations) is left behind.
    """
    if not isinstance(answer, dict):
        problems.add(where, "no answer of _search", line=number, found=kind_of(answer))
        return None
    given = _ANSWER.read(where, number, _ANSWER.known(answer, None), problems)
    if given is None:
        return None
    if "response" in given:  # an asynchronous search wraps it
        inner = answer_line(where, number, query, given["response"], problems)
        if inner is not None and given.get("is_partial") and inner["status"] == "ok":
            inner["status"] = "partial"
        return inner
    if "error" in given:
        return {"query_id": query, "results": [], "status": "error"}
    if "hits" not in given:
        problems.add(
            where,
            "no answer of _search",
            line=number,
            found=", ".join(sorted(answer)[:5]) or "an empty object",
            expected="hits.hits, or error",
        )
        return None
    results, total = _results(where, number, given["hits"], problems)
    status = _status(where, number, given, results, problems)
    if total > 0 and not results and status == "ok":
        problems.add(
            where,
            "an answer that holds none of its hits",
            line=number,
            found=f"0 of {total}",
            expected="size as deep as the branch, from 0",
            next_command="ask again; answers of size 0 are for aggregations",
        )
        return None
    line = {"query_id": query, "results": results, "status": status}
    return line | ({"took_ms": given["took"]} if "took" in given else {})


def _results(
    where: object, number: int | None, hits: dict[str, Any], problems: Problems
) -> tuple[list[dict[str, Any]], int]:
    """The hits that can be read, and how many documents matched, as far as it says."""
    before = len(problems)
    listed = _HITS.read(where, number, _HITS.known(hits, None), problems) or {}
    found = [
        _HIT.read(where, number, _HIT.known(hit, None), problems) for hit in listed.get("hits", [])
    ]
    results = [
        {"doc_id": hit["_id"], **({"score": hit["_score"]} if "_score" in hit else {})}
        for hit in found
        if hit is not None
    ]
    return results, listed.get("total", 0) if len(problems) == before else 0


def _status(
    where: object,
    number: int | None,
    given: dict[str, Any],
    results: list[dict[str, Any]],
    problems: Problems,
) -> str:
    if given.get("timed_out"):
        return "partial" if results else "timeout"
    counts = [
        _COUNTS.read(where, number, _COUNTS.known(given.get(name, {}), None), problems) or {}
        for name in ("_shards", "_clusters")
    ]
    lacking = any(count.get("failed") or count.get("partial") for count in counts)
    return "partial" if lacking or given.get("terminated_early") else "ok"
