"""The handbook as it is written, and what follows from it by the rules of the data card."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Pair = tuple[str, str]

GROUP_KEYS = ("conversation", "template", "entity", "source_family", "paraphrase_of")


@dataclass(frozen=True, slots=True)
class Handbook:
    """The records as they are written, and the words that the fact sheet only writes large."""

    documents: Sequence[Row]
    queries: Sequence[Row]
    rounds: Mapping[str, Sequence[Row]]
    names: frozenset[str] = frozenset()

    def carriers(self) -> dict[str, list[Row]]:
        """The documents of each evidence."""
        found: dict[str, list[Row]] = defaultdict(list)
        for document in self.documents:
            found[document["evidence_id"]].append(document)
        return dict(found)

    def asked(self) -> dict[str, Row]:
        """The query of each id."""
        return {query["query_id"]: query for query in self.queries}

    def opinions(self) -> Iterator[tuple[str, Row]]:
        """Each judgment with the name of its round."""
        return ((name, row) for name, rows in self.rounds.items() for row in rows)


def read_handbook(folder: Path) -> Handbook:
    """Reads a collection; a line that is no JSON is told with its file and number."""
    rounds = {path.stem: _lines(path) for path in sorted((folder / "judgments").glob("*.jsonl"))}
    facts = re.findall(r'"(.*)"', (folder / "facts.yaml").read_text(encoding="utf-8"))
    large = {word.lower() for word in re.findall(r"\b[A-ZÀ-Ý][A-Za-zà-ÿ]{2,}\b", " ".join(facts))}
    small = set(re.findall(r"\b[a-zà-ÿ]{3,}\b", " ".join(facts)))
    documents, queries = _lines(folder / "documents.jsonl"), _lines(folder / "queries.jsonl")
    return Handbook(documents, queries, rounds, frozenset(large - small))


def _lines(path: Path) -> list[Row]:
    rows = []
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                rows.append(json.loads(line))
            except json.JSONDecodeError as error:
                raise SystemExit(f"{path}:{number}: {error}") from None
    return rows


def eligible(document: Row, query: Row) -> bool:
    """Whether the query's principal may see the document at the query's date."""
    groups = document.get("groups", [])
    admitted = document.get("tenant") in (None, query.get("tenant")) and (
        not groups or not set(groups).isdisjoint(query.get("groups", []))
    )
    in_force = document.get("valid_from", "") <= query["as_of"] < document.get("valid_to", "9999")
    return admitted and in_force


def query_groups(handbook: Handbook) -> dict[str, str]:
    """The group of each query: connected by any of the five keys, named by one member."""
    root = {query["query_id"]: query["query_id"] for query in handbook.queries}

    def find(query_id: str) -> str:
        while root[query_id] != query_id:
            query_id = root[query_id]
        return query_id

    first: dict[Pair, str] = {}
    for query in handbook.queries:
        for key in (key for key in GROUP_KEYS if key in query):
            relative = first.setdefault((key, query[key]), query["query_id"])
            root[find(query["query_id"])] = find(relative)
    return {query_id: find(query_id) for query_id in root}


def pair_of(row: Row) -> Pair:
    return row["query_id"], row["evidence_id"]


def grades_of(rows: Sequence[Row]) -> dict[Pair, list[int]]:
    found: dict[Pair, list[int]] = defaultdict(list)
    for row in rows:
        if isinstance(row.get("grade"), int):
            found[pair_of(row)].append(row["grade"])
    return dict(found)
