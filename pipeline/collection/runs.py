"""Recorded runs: TREC files as they are, and JSON Lines with status, time and filters."""

import re
from collections.abc import Iterable
from pathlib import Path

import polars as pl

from pipeline.collection.json_runs import read_json_runs
from pipeline.collection.lines import is_json_lines, stem
from pipeline.collection.order import order_run
from pipeline.collection.problems import Problems
from pipeline.collection.trec import columns_rule, read_trec_run
from pipeline.recorded import RecordedRun
from pipeline.tables import RECORDED_QUERIES, RECORDED_RUN

RUN_NAME = re.compile(r"[A-Za-z0-9_.-]+")


def read_run(
    path: Path,
    *,
    order: str = "score",
    higher_is_better: bool = True,
    duplicates: str = "reject",
    trailing: str = "reject",
) -> pl.DataFrame:
    """Reads one recorded run and ranks it.

    Args:
        path: the file; JSON Lines where its name ends in .jsonl or .jsonl.gz. Or a folder that
            holds an answer of Elasticsearch or OpenSearch for each query, QUERY.json.
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
        path: TREC or JSON Lines, plain or gzipped, or a folder of answers (see `read_answers`).
        problems: takes every line that cannot be read.
        trailing: words after a TREC line's sixth column.

    Returns:
        Run by name: the file's name without its format; FILE.CHANNEL for each of `channels`.
    """
    if is_json_lines(path) or path.is_dir():
        return read_json_runs(path, problems)
    if path.name.removesuffix(".gz").endswith(".json"):
        problems.add(
            path,
            "one JSON file is no run",
            expected="JSON Lines (.jsonl), or a folder of answers, QUERY.json each",
        )
        return {stem(path): RecordedRun(RECORDED_RUN.empty(), RECORDED_QUERIES.empty())}
    return {stem(path): read_trec_run(path, problems, trailing=trailing)}


def read_run_files(
    files: Iterable[Path], problems: Problems, *, trailing: str = "reject"
) -> dict[str, RecordedRun]:
    """Reads the runs of several files, by name; a name taken or impossible is a problem."""
    runs: dict[str, RecordedRun] = {}
    for file in files:
        for name, run in read_recorded(file, problems, trailing=trailing).items():
            if name in runs or not RUN_NAME.fullmatch(name) or name.endswith(".queries"):
                problems.add(
                    file,
                    "a run's name is taken, or cannot be one",
                    found=name,
                    expected="a name of its own of letters, digits, _ . - not ending in .queries",
                )
            runs[name] = run
    return runs
