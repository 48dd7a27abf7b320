"""Import of a BEIR folder: corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from pipeline.collection.beir import read_beir_documents, read_beir_queries
from pipeline.collection.files import read_judgments
from pipeline.collection.import_runs import take_runs
from pipeline.collection.lines import stem
from pipeline.collection.official import chosen_side, kept_notes, split_of_queries
from pipeline.collection.problems import Problems
from pipeline.collection.rows import Row, Rows
from pipeline.collection.sources import Found, Source, agreed
from pipeline.errors import MissingError

UNCHOSEN = "queries of no chosen split"
USUAL = ("train", "dev", "test")


def find_beir(source: Source) -> Found:
    """Finds a BEIR data set; queries of no chosen split are left behind, and counted.

    Where no chosen split holds a judgment yet, all queries are taken.

    With several splits each query keeps its split as its official side. One split alone says
    nothing about sides, so the study divides it itself, unless it is chosen as `NAME=SIDE`.
    """
    where = source.path or "the given files"
    problems = Problems(where)
    dropped: Counter[str] = Counter()
    corpus = source.needed(source.documents, "corpus.jsonl", "corpus.jsonl.gz")
    questions = source.needed(source.queries, "queries.jsonl", "queries.jsonl.gz")
    documents = read_beir_documents(corpus, problems, dropped)
    queries = read_beir_queries(questions, problems, dropped)
    chosen = _chosen(source)
    texts = {query: row.get("text") for query, row in queries.kept.items()}
    judged = {
        name: read_judgments(file, problems, source.trailing, form=source.form, queries=texts)
        for name, (file, _) in chosen.items()
    }
    rounds = {name: one.rows for name, one in judged.items()}
    sides = {name: side for name, (_, side) in chosen.items() if side is not None}
    asked = {name: [row["query_id"] for row in rows] for name, rows in rounds.items()}
    split_of = split_of_queries(asked, where, problems)
    kept = [
        {**row, **({"split": sides[split_of[query]]} if split_of.get(query) in sides else {})}
        for query, row in queries.kept.items()
        if query in split_of or not split_of  # nothing judged yet: all of them
    ]
    _refuse_unknown_split(rounds, queries.kept, where, problems)
    dropped = Counter({f"field {name!r}": count for name, count in dropped.items()})
    unchosen = sorted(queries.kept.keys() - {row["query_id"] for row in kept})
    dropped[UNCHOSEN] = len(unchosen)
    dropped.update(_repeated(documents, queries))
    for one in judged.values():
        dropped.update(one.dropped)
    judgments = [row for rows in rounds.values() for row in rows]
    runs, taken = take_runs(source.runs, problems, source.trailing, dropped)
    collection = agreed(where, list(documents.kept.values()), kept, judgments, runs, problems)
    return Found(
        list(documents.kept.values()),
        kept,
        rounds,
        collection,
        taken,
        dropped=+dropped,
        listed={UNCHOSEN: unchosen} if unchosen else {},
        notes=[*_notes(chosen, sides), *(note for one in judged.values() for note in one.notes)],
        read=[corpus, questions, *(file for file, _ in chosen.values()), *source.runs],
    )


def _repeated(documents: Rows, queries: Rows) -> dict[str, int]:
    return {
        "repeated lines of documents": documents.repeated,
        "repeated lines of queries": queries.repeated,
    }


def _chosen(source: Source) -> dict[str, tuple[Path, str | None]]:
    """Split to its file and its side; no side where a single split was not given one."""
    if source.judgments is not None:
        return {stem(source.judgments): (source.judgments, None)}
    available = _available(source)
    asked = [entry.partition("=") for entry in source.splits] or [
        (name, "", "") for name in USUAL if name in available
    ]
    chosen: dict[str, tuple[Path, str | None]] = {}
    for name, _, side in asked:
        if name not in available:
            raise MissingError(
                "no such split",
                where=source.path,
                found=name or "none of the usual ones",
                expected=", ".join(sorted(available)),
                next_command="--split NAME",
            )
        chosen[name] = (available[name], _side(name, side, alone=len(asked) == 1))
    if not chosen:
        raise MissingError(
            "none of the usual splits",
            where=source.path,
            found=", ".join(sorted(available)),
            expected=", ".join(USUAL),
            next_command="--split NAME",
        )
    return chosen


def _available(source: Source) -> dict[str, Path]:
    folder = source.folder
    files = sorted(folder.glob("qrels/*.tsv*")) if folder else []
    if not files:
        raise MissingError(
            "no judgments to import", where=source.path, expected="qrels/SPLIT.tsv, or --judgments"
        )
    return {stem(file): file for file in files}


def _side(name: str, side: str, *, alone: bool) -> str | None:
    return None if alone and not side else chosen_side(name, side)


def _refuse_unknown_split(
    rounds: Mapping[str, list[Row]], queries: Iterable[str], where: object, problems: Problems
) -> None:
    known = set(queries)
    for name, rows in rounds.items():
        if rows and not known & {row["query_id"] for row in rows}:
            problems.add(
                where,
                f"no query of split {name} is among the queries",
                found=f"for instance {rows[0]['query_id']}",
                expected="a file of queries that holds them (--queries), or other splits (--split)",
            )


def _notes(chosen: Mapping[str, tuple[Path, str | None]], sides: Mapping[str, str]) -> list[str]:
    if sides:
        return kept_notes(sides)
    return [
        f"one split ({', '.join(chosen)}): no official side recorded, the study divides it itself"
        f" (--split {next(iter(chosen))}=test would keep it whole)"
    ]
