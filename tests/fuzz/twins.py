"""What a file says, found again in the plainest way: the twin of a reader that accepted it.

A twin shares no code with its reader. It may be laxer: what only the reader refuses is refused.
"""

import gzip
import json
import re
from collections.abc import Iterator
from typing import Any

BLANKS = re.compile(rb"[ \t\n\r\x0b\x0c]+")


def lines(raw: bytes) -> Iterator[bytes]:
    """Lines that are not blank, without their ends and without a mark in front."""
    content = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    if content[:3] == b"\xef\xbb\xbf":
        content = content[3:]
    for line in content.split(b"\n"):
        bare = line[:-1] if line[-1:] == b"\r" else line
        if BLANKS.sub(b"", bare):
            yield bare


def columns(raw: bytes) -> Iterator[list[bytes]]:
    """Words of each line that is no comment."""
    for line in lines(raw):
        if line[:1] != b"#":
            yield [word for word in BLANKS.split(line) if word]


def trec_run(raw: bytes) -> object:
    """Query, document, rank and score of each line."""
    return sorted(
        (query.decode(), doc.decode(), int(rank), float(score))
        for query, _, doc, rank, score, _ in columns(raw)
    )


def trec_qrels(raw: bytes) -> object:
    """Pair to grade; the same again is the same."""
    return sorted({(q.decode(), doc.decode(), int(grade)) for q, _, doc, grade in columns(raw)})


def beir_qrels(raw: bytes) -> object:
    """Pair to grade, below a header; without one it is read as TREC's."""
    header, *cells = [line.split(b"\t") for line in lines(raw)] or [[]]
    if [name.strip().lower() for name in header] != [b"query-id", b"corpus-id", b"score"]:
        return trec_qrels(raw)
    return sorted({(q.decode(), doc.decode(), int(grade)) for q, doc, grade in cells})


def objects(raw: bytes) -> list[dict[str, Any]]:
    """The objects of JSON Lines; NaN and two fields of one name are no JSON of ours."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len({name for name, _ in pairs}) != len(pairs):
            raise ValueError("a field twice")
        return dict(pairs)

    def refuse(name: str) -> None:
        raise ValueError(name)

    return [
        json.loads(line.decode(), object_pairs_hook=once, parse_constant=refuse)
        for line in lines(raw)
    ]


def documents(raw: bytes) -> object:
    """Id to evidence, title and text."""
    return sorted(
        {
            (r["doc_id"], r.get("evidence_id") or r["doc_id"], r.get("title"), r.get("text"))
            for r in objects(raw)
        },
        key=repr,
    )


def queries(raw: bytes) -> object:
    """Id to text (or query), and the inline judgments."""
    rows = objects(raw)
    asked = {(row["query_id"], _either(row, "text", "query")) for row in rows}
    relevant = {
        (row["query_id"], evidence, grade)
        for row in rows
        for evidence, grade in (row.get("relevant") or {}).items()
    }
    return sorted(asked, key=repr), sorted(relevant)


def _either(row: dict[str, Any], name: str, other: str) -> Any:
    return row.get(other) if row.get(name) is None else row[name]


def beir_documents(raw: bytes) -> object:
    """Id to title and text; an empty title is none."""
    rows = objects(raw)
    return sorted({(r["_id"], r.get("title") or None, r.get("text")) for r in rows}, key=repr)


def judgments(raw: bytes) -> object:
    """Pair and assessor to grade, or to why there is none."""
    return sorted(
        {
            (
                row["query_id"],
                row["evidence_id"],
                row.get("assessor") or "",
                row["grade"] if row.get("grade") is not None else row["status"],
            )
            for row in objects(raw)
        },
        key=repr,
    )


def json_run(raw: bytes) -> object:
    """Query, place, document and score of each result, channels and answers apart."""
    found = []
    for row in objects(raw):
        lists = dict(row.get("channels") or {})
        if row.get("results") is not None:
            lists[""] = row["results"]
        if row.get("response") is not None:
            lists[""] = answer_hits(row["response"])
        for name, results in lists.items():
            for place, one in enumerate(results, start=1):
                score = one.get("score")
                kept = None if score is None else float(score)
                found.append((name, row["query_id"], place, one["doc_id"], kept))
    return sorted(found, key=repr)


def answer_hits(answer: dict[str, Any]) -> list[dict[str, Any]]:
    """Results of an answer of `_search`."""
    if answer.get("response") is not None:
        return answer_hits(answer["response"])
    if answer.get("error") is not None:
        return []
    return [{"doc_id": hit["_id"], "score": hit.get("_score")} for hit in answer["hits"]["hits"]]


def document(raw: bytes) -> Any:
    """One JSON value."""
    content = gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw
    return json.loads(content.decode("utf-8-sig"))


def answer(raw: bytes) -> object:
    """Place, document and score of each hit."""
    return [
        (place, hit["doc_id"], None if hit["score"] is None else float(hit["score"]))
        for place, hit in enumerate(answer_hits(document(raw)), start=1)
    ]


def rank_eval(raw: bytes) -> object:
    """Pair to grade."""
    return sorted(
        {
            (request["id"], rated["_id"], rated["rating"])
            for request in document(raw)["requests"]
            for rated in request["ratings"]
        }
    )


def topic_table(raw: bytes) -> object:
    """Id and text parted by a tab, a header left out."""
    rows = [line.decode().split("\t") for line in lines(raw)]
    if rows and rows[0][0].lower() in {"query_id", "query-id", "qid"}:
        rows = rows[1:]
    return sorted({(query, text) for query, text in rows})
