"""Runs on their way into a collection: taken as they are where the native form has them so."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from pipeline.collection.json_runs import run_lines
from pipeline.collection.jsonl import json_lines
from pipeline.collection.lines import is_json_lines, numbered_lines, run_name
from pipeline.collection.native_lines import native_line
from pipeline.collection.problems import Problems
from pipeline.collection.runs import read_run_files
from pipeline.collection.trec import COMMENT
from pipeline.recorded import RecordedRun

COLUMNS = 6


def take_runs(
    files: Sequence[Path], problems: Problems, trailing: str, dropped: Counter[str]
) -> tuple[dict[str, RecordedRun], dict[str, Path | list[str]]]:
    """Reads runs, and says what to write of each.

    Args:
        files: run files, and folders of answers.
        problems: takes what cannot be read.
        trailing: words after a TREC line's sixth column; where they are ignored, they are left
            behind, since the native form has none.
        dropped: counts the lines that were cut.

    Returns:
        The runs by name, and file name to the file itself or to the lines it becomes.
    """
    runs = read_run_files(files, problems, trailing=trailing)
    taken: dict[str, Path | list[str]] = {}
    for file in files:
        if file.is_dir() or _holds_answers(file):
            told = Problems(file)  # by read_run_files already
            lines = [native_line(line) for _, line in run_lines(file, told)]
            taken[f"{run_name(file)}.jsonl"] = lines
            dropped["answers' sources and whatever else stands beside hits, of queries"] += len(
                lines
            )
            continue
        cut = 0 if is_json_lines(file) else _longer(file)
        if cut:
            dropped[f"words after the sixth column of {file.name}, on lines"] += cut
        taken[file.name.removesuffix(".gz") if cut else file.name] = _cut(file) if cut else file
    return runs, taken


def _holds_answers(file: Path) -> bool:
    """Whether lines hold whole answers: texts of documents do not belong into runs."""
    return is_json_lines(file) and any(
        "response" in line for _, line in json_lines(file, Problems(file))
    )


def _longer(file: Path) -> int:
    return sum(
        len(line.split()) > COLUMNS
        for _, line in numbered_lines(file)
        if not line.startswith(COMMENT)
    )


def _cut(file: Path) -> list[str]:
    return [
        f"{b' '.join(line.split()[:COLUMNS]).decode('utf-8', 'replace')}\n"
        for _, line in numbered_lines(file)
        if not line.startswith(COMMENT)
    ]
