"""Recorded runs: TREC files as they are, and JSON Lines with status, time and filters."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.collection import checks
from pipeline.collection.jsonl import Fields, json_lines
from pipeline.collection.lines import is_json_lines, stem
from pipeline.collection.order import order_run
from pipeline.collection.problems import Problems
from pipeline.collection.recorded import RecordedRun
from pipeline.collection.trec import columns_rule, read_trec_run
from pipeline.tables import RECORDED_QUERIES, RECORDED_RUN

RUN_NAME = re.compile(r"^[A-Za-z0-9_.-]+$")
STATUSES = ("ok", "timeout", "partial", "error")


def read_run(
    path: Path,
    *,
    order: str = "score",
    higher_is_better: bool = True,
    duplicates: str = "reject",
    trailing: str = "reject",
) -> pl.DataFrame:
    """Reads one recorded run, TREC or JSON Lines, plain or gzipped, and ranks it.

    Args:
        path: the file; JSON Lines where its name ends in .jsonl or .jsonl.gz.
        order: `score` (best first, ties by id descending, as trec_eval), `rank` or `file`.
        higher_is_better: false for distances; their score is negated.
        duplicates: `reject`, or `keep_first` (the best place of a document that repeats).
        trailing: words after a TREC line's sixth column: `reject` or `ignore`.

    Returns:
        query_id, rank, doc_id, evidence_id (the document's id), score; key query_id and rank,
        sorted by it.

    Raises:
        MissingError: no such file.
        CollectionError: lines that cannot be read, each with its number.
        ContractError: the list cannot be ordered so, or a document repeats; names the file.
        ParameterError: an option that does not exist.
    """
    columns_rule(trailing)
    path = Path(path)
    problems = Problems(path)
    recorded = read_recorded(path, problems, trailing=trailing)
    if len(recorded) > 1:
        problems.add(path, "several channels in one file", found=sorted(recorded), expected="one")
    problems.raise_if_any()
    (run,) = recorded.values()
    ranked = order_run(
        run, order=order, higher_is_better=higher_is_better, duplicates=duplicates, where=path
    )
    return ranked.select(
        "query_id", "rank", "doc_id", pl.col("doc_id").alias("evidence_id"), "score"
    )


def read_recorded(
    path: Path, problems: Problems, *, trailing: str = "reject"
) -> dict[str, RecordedRun]:
    """Reads the run, or runs, of one file, unordered.

    Args:
        path: TREC or JSON Lines, plain or gzipped.
        problems: takes every line that cannot be read.
        trailing: words after a TREC line's sixth column.

    Returns:
        Run by name: the file's name without its format; FILE.CHANNEL for each of `channels`.
    """
    if is_json_lines(path):
        return _read_json_run(path, problems)
    return {stem(path): read_trec_run(path, problems, trailing=trailing)}


def read_run_files(files: Iterable[Path], problems: Problems) -> dict[str, RecordedRun]:
    """Reads the runs of several files, by name; a name taken or impossible is a problem."""
    runs: dict[str, RecordedRun] = {}
    for file in files:
        for name, run in read_recorded(file, problems).items():
            if name in runs or not RUN_NAME.match(name) or name.endswith(".queries"):
                problems.add(
                    file,
                    "a run's name is taken, or cannot be one",
                    found=name,
                    expected="a name of its own of letters, digits, _ . - not ending in .queries",
                )
            runs[name] = run
    return runs


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
        "took_ms": checks.amount,
        "status": checks.one_of(*STATUSES),
        "snapshot": checks.a_text,
        "filters": _object,
    },
    required=("query_id",),
)


def _read_json_run(path: Path, problems: Problems) -> dict[str, RecordedRun]:
    results: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    queries: dict[str, dict[str, tuple[Any, ...]]] = defaultdict(dict)
    for number, given in json_lines(path, problems):
        line = _LINE.read(path, number, given, problems)
        if line is None:
            continue
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
    names = list(queries) or [stem(path)]
    return {name: _recorded(results[name], queries[name]) for name in names}


def _lists(
    path: Path, number: int, line: Mapping[str, Any], problems: Problems
) -> Iterator[tuple[str, list[Any]]]:
    if ("results" in line) == ("channels" in line):
        problems.add(path, "neither or both of results and channels", line=number, expected="one")
    elif "results" in line:
        yield stem(path), line["results"]
    else:
        for channel, entries in line["channels"].items():
            yield f"{stem(path)}.{channel}", entries


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
