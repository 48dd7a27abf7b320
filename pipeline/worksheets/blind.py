"""What an assessor sees: query and evidence, in an order that tells nothing.

Blindness is a property of the bytes handed out: no rank, score, branch or count is among them,
and the order of rows comes from a seed, the query and the assessor alone. A pair keeps its
place among the others when queries or pairs are added later.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields

import polars as pl

from pipeline.eligibility import eligibility_groups
from pipeline.forbidden import hidden_evidence


@dataclass(frozen=True, slots=True)
class WorksheetRow:
    """One question to an assessor, and the room for an answer.

    Args:
        query_id: the query.
        query: its text; empty where the collection has none.
        evidence_id: the evidence to judge.
        title: of the document that carries the evidence.
        text: of the same document.
        grade: to be filled in: a whole number of the scale.
        status: to be filled in instead: `unknown` or `abstained`.
        note: anything the assessor wants to say.
    """

    query_id: str
    query: str
    evidence_id: str
    title: str
    text: str
    grade: str = ""
    status: str = ""
    note: str = ""

    @property
    def pair(self) -> tuple[str, str]:
        """Query and evidence."""
        return self.query_id, self.evidence_id

    def cells(self) -> dict[str, str]:
        """The row by column name."""
        return asdict(self)


COLUMNS = tuple(field.name for field in fields(WorksheetRow))


def blind_rows(
    pool: pl.DataFrame,
    *,
    documents: pl.DataFrame,
    queries: pl.DataFrame,
    seed: int,
    assessor: str,
    statuses: Iterable[str] = ("unjudged",),
) -> list[WorksheetRow]:
    """The worksheet of one assessor.

    Args:
        pool: table POOL.
        documents: table DOCUMENTS.
        queries: table QUERIES.
        seed: the study's.
        assessor: who will judge; another assessor gets another order.
        statuses: which pairs to ask about; with `judged` in it, a second opinion.

    Returns:
        Queries by id, the pairs of each shuffled. Evidence that several documents carry is shown
        by the first, by id, that the query's principal may see; where there is none it is not
        asked about (`withheld_pairs`).
    """
    put_up = pool.filter(pl.col("status").is_in(list(statuses)))
    hidden = withheld_pairs(put_up, documents=documents, queries=queries)
    asked = put_up.join(hidden, on=["query_id", "evidence_id"], how="anti")
    pairs = sorted(
        asked.select("query_id", "evidence_id").rows(),
        key=lambda pair: (pair[0], row_order(seed, pair[0], assessor, pair[1])),
    )
    return rows_of(pairs, documents=documents, queries=queries)


def withheld_pairs(
    pool: pl.DataFrame, *, documents: pl.DataFrame, queries: pl.DataFrame
) -> pl.DataFrame:
    """Pairs that no worksheet may show: all that carries the evidence is forbidden to the query.

    A judgment of such a pair would be kept out of every ideal list, too.

    Args:
        pool: table POOL.
        documents: table DOCUMENTS.
        queries: table QUERIES.

    Returns:
        query_id, evidence_id, doc_id, reason; sorted.
    """
    return hidden_evidence(pool, documents, queries)


def rows_of(
    pairs: Iterable[tuple[str, str]], *, documents: pl.DataFrame, queries: pl.DataFrame
) -> list[WorksheetRow]:
    """The unanswered row of each pair, in the order given."""
    wanted = list(pairs)
    texts = dict(queries.select("query_id", pl.col("text").fill_null("")).iter_rows())
    asked = queries.filter(pl.col("query_id").is_in(list({query for query, _ in wanted})))
    shown = _carriers(documents, asked, {evidence for _, evidence in wanted})
    return [
        WorksheetRow(
            query, texts.get(query, ""), evidence, *shown.get(query, {}).get(evidence, ("", ""))
        )
        for query, evidence in wanted
    ]


def row_order(seed: int, query_id: str, assessor: str, evidence_id: str) -> str:
    """The key that shuffles: pairs of one query, for one assessor, sorted by it."""
    # JSON keeps the four apart, whatever characters they hold.
    key = json.dumps([seed, query_id, assessor, evidence_id], ensure_ascii=False)
    return hashlib.sha256(key.encode()).hexdigest()


def _carriers(
    documents: pl.DataFrame, queries: pl.DataFrame, evidence: set[str]
) -> dict[str, Mapping[str, tuple[str, str]]]:
    """For each query: evidence to the title and text it is shown by."""
    carrying = documents.filter(pl.col("evidence_id").is_in(list(evidence))).sort("doc_id")
    columns = carrying.select(
        "evidence_id", pl.col("title").fill_null(""), pl.col("text").fill_null("")
    )
    found: dict[str, Mapping[str, tuple[str, str]]] = {}
    for group in eligibility_groups(carrying, queries):
        # What an older worksheet asked about may be out of sight by now: it can still come back.
        ordered = pl.concat([columns.filter(pl.Series(group.mask)), columns])
        first = ordered.unique("evidence_id", keep="first", maintain_order=True)
        shown = {evidence_id: (title, text) for evidence_id, title, text in first.iter_rows()}
        found.update(dict.fromkeys(group.query_ids, shown))
    return found
