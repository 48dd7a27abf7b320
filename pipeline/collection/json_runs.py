"""Recorded runs in JSON: one query on each line or in each file, with status and time."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.collection import checks
from pipeline.collection.answers import answer_line, read_answers
from pipeline.collection.jsonl import Fields, json_lines
from pipeline.collection.lines import run_name
from pipeline.collection.problems import Problems
from pipeline.recorded import RecordedRun
from pipeline.tables import RECORDED_QUERIES, RECORDED_RUN

STATUSES = ("ok", "timeout", "partial", "error")

_RESULT = Fields(
    {"doc_id": checks.an_id, "score": checks.real, "rank": checks.whole}, required=("doc_id",)
)


def _object(value: Any) -> str:
    if not isinstance(value, dict | str | list):
        raise ValueError("an object, list or text")
    if isinstance(value, str):
        return checks.a_text(value)
    return checks.a_text(json.dumps(value, ensure_ascii=False, sort_keys=True))


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise ValueError("a list of {doc_id, score}")
    return value


def _channels(value: Any) -> dict[str, list[Any]]:
    if not isinstance(value, dict) or not value:
        raise ValueError("an object {channel: results}")
    return {checks.an_id(name): _list(results) for name, results in value.items()}


_LINE = Fields(
    {
        "query_id": checks.an_id,
        "results": _list,
        "channels": _channels,
        "response": checks.an_object,
        "took_ms": checks.amount,
        "status": checks.one_of(*STATUSES),
        "snapshot": checks.a_text,
        "filters": _object,
    },
    required=("query_id",),
)


def read_json_runs(path: Path, problems: Problems) -> dict[str, RecordedRun]:
    """Reads the run, or the runs of several channels, of one file; see `read_recorded`."""
    results: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    queries: dict[str, dict[str, tuple[Any, ...]]] = defaultdict(dict)
    for number, line in run_lines(path, problems):
        query = line["query_id"]
        for name, entries in _lists(path, number, line, problems):
            if query in queries[name]:
                problems.add(path, "a query stands twice", line=number, found=query)
            queries[name][query] = (
                query,
                line.get("status", "ok"),
                *(line.get(field) for field in ("took_ms", "snapshot", "filters")),
            )
            results[name] += _results(path, number, query, entries, problems)
    names = list(queries) or [run_name(path)]
    return {name: _recorded(results[name], queries[name]) for name in names}


def run_lines(path: Path, problems: Problems) -> Iterator[tuple[int, dict[str, Any]]]:
    """Checked lines; a folder holds one answer in each file."""
    if path.is_dir():
        yield from read_answers(path, problems)
        return
    for number, given in json_lines(path, problems):
        line = _LINE.read(path, number, given, problems)
        if line is not None and "response" in line:
            line = _answered(path, number, line, problems)
        if line is not None:
            yield number, line


def _answered(
    path: Path, number: int, line: dict[str, Any], problems: Problems
) -> dict[str, Any] | None:
    """An answer beside its query's id; what the line says itself goes before."""
    if line.keys() & {"results", "channels"}:
        problems.add(path, "results beside a response", line=number, expected="one of them")
        return None
    answer = answer_line(path, number, line["query_id"], line.pop("response"), problems)
    return None if answer is None else answer | line


def _lists(
    path: Path, number: int, line: Mapping[str, Any], problems: Problems
) -> Iterator[tuple[str, list[Any]]]:
    if ("results" in line) == ("channels" in line):
        problems.add(
            path,
            "neither or both of results and channels",
            line=number,
            expected="results, channels or response",
        )
    elif "results" in line:
        yield run_name(path), line["results"]
    else:
        for channel, entries in line["channels"].items():
            yield f"{run_name(path)}.{channel}", entries


def _results(
    path: Path, number: int, query: str, entries: list[Any], problems: Problems
) -> Iterator[tuple[Any, ...]]:
    for position, given in enumerate(entries, start=1):
        entry = _RESULT.read(path, number, given, problems)
        if entry is not None:
            yield query, position, entry.get("rank"), entry["doc_id"], entry.get("score")


def _recorded(
    results: list[tuple[Any, ...]], queries: Mapping[str, tuple[Any, ...]]
) -> RecordedRun:
    return RecordedRun(
        pl.DataFrame(results, schema=dict(RECORDED_RUN.columns), orient="row"),
        pl.DataFrame(
            list(queries.values()), schema=dict(RECORDED_QUERIES.columns), orient="row"
        ).sort("query_id"),
    )
