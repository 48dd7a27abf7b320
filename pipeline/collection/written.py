"""Runs, judgments and values on their way out, in the forms that other tools read."""

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.collection.lines import BYTE_ORDER_MARK, is_json_lines
from pipeline.errors import InputError
from pipeline.storage import replacing


def write_run(path: Path, ranked: pl.DataFrame, *, tag: str = "rankgate") -> None:
    """Writes a ranked run, whole: TREC, or JSON Lines where the name says so; .gz is gzipped.

    A TREC run's scores are 1/rank, so that whoever orders by score gets this order; JSON Lines
    hold the scores as they are, and ids of any form.

    Args:
        path: the file; .jsonl or .jsonl.gz for JSON Lines.
        ranked: query_id, rank (from 1), doc_id, score.
        tag: the name in a TREC run's last column.

    Raises:
        InputError: an id cannot stand in a TREC file; the file is not written.
    """
    lines = _json_run(ranked) if is_json_lines(path) else trec_run(ranked, tag)
    write_lines(path, lines)


def write_qrels(path: Path, judged: pl.DataFrame) -> None:
    """Writes judgments, whole: TREC qrels, or JSON Lines where the name says so.

    Args:
        path: the file; .gz is gzipped.
        judged: query_id, evidence_id, grade; rows without a grade are written to JSON Lines
            with their status, and left out of qrels.

    Raises:
        InputError: an id cannot stand in a TREC file; the file is not written.
    """
    write_lines(path, _json_judgments(judged) if is_json_lines(path) else trec_qrels(judged))


def trec_run(ranked: pl.DataFrame, tag: str) -> Iterator[str]:
    """Lines of a TREC run: query Q0 document rank score tag, by query, then rank."""
    rows = ranked.sort("query_id", "rank").select("query_id", "doc_id", "rank").iter_rows()
    for query, document, rank in rows:
        yield f"{_word(query)} Q0 {_word(document)} {rank} {1 / rank!r} {tag}\n"


def trec_qrels(judged: pl.DataFrame) -> Iterator[str]:
    """Lines of TREC qrels: query 0 document grade, by query, then document."""
    rows = judged.drop_nulls("grade").select("query_id", "evidence_id", "grade")
    for query, evidence, grade in rows.sort("query_id", "evidence_id").iter_rows():
        yield f"{_word(query)} 0 {_word(evidence)} {grade}\n"


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Writes text whole; the same lines give the same bytes, gzipped or not."""
    content = "".join(lines).encode("utf-8")
    with replacing(path) as temporary:
        packed = gzip.compress(content, mtime=0) if path.name.endswith(".gz") else content
        temporary.write_bytes(packed)


def _word(name: str) -> str:
    """An id as a word of a TREC file.

    Blanks, of whatever script, part words there; a hash may begin a comment, and a byte order
    mark the file.
    """
    if name.split() != [name] or name.startswith(("#", BYTE_ORDER_MARK.decode())):
        raise InputError(
            "an id that cannot stand in a TREC file",
            where=repr(name),
            expected="no blank in it, no # or byte order mark in front",
            next_command="write JSON Lines: a name that ends in .jsonl",
        )
    return name


def _json_run(ranked: pl.DataFrame) -> Iterator[str]:
    listed: dict[str, list[dict[str, Any]]] = {}
    rows = ranked.sort("query_id", "rank").select("query_id", "doc_id", "score").iter_rows()
    for query, document, score in rows:
        listed.setdefault(query, []).append(
            {"doc_id": document} if score is None else {"doc_id": document, "score": score}
        )
    return (_json({"query_id": query, "results": results}) for query, results in listed.items())


def _json_judgments(judged: pl.DataFrame) -> Iterator[str]:
    for row in judged.sort("query_id", "evidence_id").iter_rows(named=True):
        said = {"grade": row["grade"]} if row["grade"] is not None else {"status": row["status"]}
        yield _json({"query_id": row["query_id"], "evidence_id": row["evidence_id"], **said})


def _json(line: Mapping[str, Any]) -> str:
    return json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n"
