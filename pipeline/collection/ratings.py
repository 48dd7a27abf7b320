"""Judgments as other tools keep them, on their way into rows of table JUDGMENTS."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipeline.collection.problems import Problems
from pipeline.collection.rows import Row

REPEATED = "repeated judgments"

Opinion = int | str
"""A grade, or `unknown` or `abstained`."""

Tell = Callable[[str], None]
"""Takes a sentence that a person should read, of what was read and is no error."""


@dataclass(frozen=True, slots=True)
class RatingForm:
    """How a table of ratings is to be read.

    Args:
        columns: role (query, text, evidence, grade, status, assessor, note) to the names of the
            columns that play it; several of `grade` are one assessor each. Roles that are not
            named are looked for by the usual names.
        labels: what stands in a grade cell to the grade it means, or to unknown or abstained.
        sheet: the sheet of a spreadsheet.
        number_ids: ids that stand in number cells are taken as whole numbers.
    """

    columns: Mapping[str, Sequence[str]] = field(default_factory=dict)
    labels: Mapping[str, Opinion] = field(default_factory=dict)
    sheet: str | None = None
    number_ids: bool = False


@dataclass(frozen=True, slots=True)
class Rating:
    """One opinion as a foreign file holds it.

    Args:
        line: where it stands: line, row or number of the entry.
        evidence: what is judged.
        opinion: the grade, or why there is none.
        query: the query's id; None where only its text is known.
        text: the query's text, where it stands beside.
        assessor: who judged; empty where nobody is named.
        note: what they said.
    """

    line: int
    evidence: str
    opinion: Opinion
    query: str | None = None
    text: str | None = None
    assessor: str = ""
    note: str = ""


@dataclass(slots=True)
class Rated:
    """Judgments of one file, each pair once for an assessor.

    Args:
        rows: rows of table JUDGMENTS.
        texts: query id to text, where the file holds texts.
        dropped: reason to number of entries left behind.
        notes: sentences a person should read.
    """

    rows: list[Row] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    dropped: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def told(self) -> Iterator[str]:
        """What was left behind, one sentence for each reason, and the notes."""
        yield from (f"left behind: {count} {reason}" for reason, count in self.dropped.items())
        yield from (f"note: {note}" for note in self.notes)


def rated(
    ratings: Sequence[Rating],
    path: Path,
    problems: Problems,
    *,
    round_name: str,
    queries: Mapping[str, str | None] | None = None,
) -> Rated:
    """Judgments from ratings: queries named by their id, repeats dropped and counted.

    Args:
        ratings: of one file.
        path: the file, for messages.
        problems: takes texts that name no query, or two, and contradictions.
        round_name: the round they become.
        queries: query id to text, as far as they are known. A rating without an id belongs to
            the query of its text; where more of these texts are ids, all of them are taken for
            ids. Without queries the id is made of the text, the same for the same text.
    """
    names, named = _names(ratings, queries), any(rating.assessor for rating in ratings)
    result = Rated()
    said: dict[tuple[str, str, str], Row] = {}
    for rating in ratings:
        query = _query(rating, names, path, problems)
        if query is None:
            continue
        if rating.text and rating.text != query:
            result.texts.setdefault(query, rating.text)
        row = _row(rating, query, round_name)
        first = said.setdefault((query, rating.evidence, rating.assessor), row)
        if first is row:
            continue
        if (first.get("grade"), first["status"]) == (row.get("grade"), row["status"]):
            result.dropped[REPEATED] += 1
        else:
            _refuse_contradiction(path, first, row, problems, named=named)
    result.rows = list(said.values())
    return result


def text_id(text: str) -> str:
    """The id of a query that has none: made of its text, and telling nothing of it."""
    return f"q-{hashlib.sha256(_folded(text).encode()).hexdigest()[:12]}"


def _names(
    ratings: Sequence[Rating], queries: Mapping[str, str | None] | None
) -> dict[str, list[str]]:
    """The text of each rating that has no id to the ids it may mean."""
    texts = {rating.text for rating in ratings if rating.query is None and rating.text}
    if queries is None:
        return {text: [text_id(text)] for text in texts}
    ids: dict[str, list[str]] = {}
    for query, text in queries.items():
        if text is not None:
            ids.setdefault(_folded(text), []).append(query)
    if sum(text in queries for text in texts) > sum(_folded(text) in ids for text in texts):
        return {text: [text] for text in texts}
    return {text: ids.get(_folded(text), []) for text in texts}


def _query(
    rating: Rating, names: Mapping[str, Sequence[str]], path: Path, problems: Problems
) -> str | None:
    if rating.query is not None:
        return rating.query
    if not rating.text:
        problems.add(path, "a rating without a query", line=rating.line, expected="its id or text")
        return None
    found = names[rating.text]
    if len(found) == 1:
        return found[0]
    problems.add(
        path,
        "the text of several queries" if found else "neither the id nor the text of a query",
        line=rating.line,
        found=", ".join(found[:3]) or f"a text of {len(rating.text)} characters",
        expected="one query's id, or its text, blanks aside",
        next_command="name queries by id, or give the file that holds their texts with --queries",
    )
    return None


def _folded(text: str) -> str:
    return " ".join(text.split())


def _row(rating: Rating, query: str, round_name: str) -> Row:
    graded = isinstance(rating.opinion, int)
    said: Row = {"grade": rating.opinion, "status": "judged"} if graded else {}
    row = {
        "query_id": query,
        "evidence_id": rating.evidence,
        "status": rating.opinion,
        **said,
        "assessor": rating.assessor,
        "round": round_name,
        "line": rating.line,
    }
    return row | ({"note": rating.note} if rating.note else {})


def _refuse_contradiction(
    path: Path, first: Row, row: Row, problems: Problems, *, named: bool
) -> None:
    who = f" assessor {row['assessor'] or '(not named)'}" if named else ""
    problems.add(
        path,
        "two grades for one pair",
        line=row["line"],
        found=(
            f"query {row['query_id']} evidence {row['evidence_id']}{who}:"
            f" {first.get('grade', first['status'])} on line {first['line']},"
            f" now {row.get('grade', row['status'])}"
        ),
        expected="one grade of each assessor"
        if named
        else "one grade; several assessors stand in a column assessor, or one column each",
        next_command="take one of the two lines out"
        if named
        else "--columns assessor=NAME, or --columns grade=NAME for each; else take one line out",
    )
