"""A branch asked again: without its filter, for other principals, beside planted documents."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import polars as pl

from pipeline.candidates.retriever import Mask, Retriever
from pipeline.eligibility import Principal, eligible, is_restricted, principal_of
from pipeline.probes import Plan
from pipeline.tables import PROBES

Open = Callable[[pl.DataFrame], Retriever]

OPENINGS, MARK, ENDINGS = '"', "?!", '"'


@dataclass(frozen=True, slots=True)
class _Ask:
    query_id: str
    asked_as: str
    words: str
    principal: Principal | None  # None: without any filter


def probe(
    plan: Plan, retriever: Retriever, reopen: Open, *, documents: pl.DataFrame, depth: int
) -> pl.DataFrame:
    """Lists of the probes: see `PROBES` for their names.

    Args:
        plan: what is asked and planted.
        retriever: the branch over the documents as they are.
        reopen: the branch over other documents, sorted by doc_id.
        documents: DOCUMENTS, sorted by doc_id.
        depth: the branch's.

    Returns:
        PROBES. A branch whose vectors were made elsewhere has none of planted documents or
        changed words: it is asked without its filter and for other principals only.
    """
    own, across = list(_own(plan, retriever.reads)), list(_across(plan, retriever.reads))
    base = _Index(retriever, documents)
    found = [base.lists("unfiltered", _unbound(own), depth)]
    if retriever.reads != "text":
        found.append(base.lists("as_others", across, depth))
    else:
        found.append(base.lists("punctuation", _punctuated(own), depth))
        planted = _Index.over(pl.concat([documents, plan.canaries]), reopen)
        found.append(planted.lists("as_others", [*own, *across], depth))
        found.append(planted.lists("canaries_unfiltered", _unbound(own), depth))
        noisy = _Index.over(pl.concat([documents, plan.noise]), reopen)
        found.append(noisy.lists("noise", own, depth))
        found.append(_repeated(plan, own, documents, reopen, depth))
    return PROBES.check(pl.concat(found))


@dataclass(frozen=True, slots=True)
class _Index:
    """A branch over some documents."""

    retriever: Retriever
    documents: pl.DataFrame

    @staticmethod
    def over(documents: pl.DataFrame, reopen: Open) -> "_Index":
        ordered = documents.sort("doc_id")
        return _Index(reopen(ordered), ordered)

    def lists(self, name: str, asks: Iterable[_Ask], depth: int) -> pl.DataFrame:
        frames, masks = [PROBES.empty()], dict[Principal | None, Mask | None]()
        restricted = is_restricted(self.documents)
        for ask in asks:
            if not self.retriever.knows(ask.words):
                continue
            if ask.principal not in masks:
                bound = restricted and ask.principal is not None
                masks[ask.principal] = self._mask(ask.principal) if bound else None
            ranking = self.retriever.search(ask.words, masks[ask.principal], depth)
            frames.append(
                self.documents[ranking.positions].select(
                    pl.lit(name).alias("probe"),
                    pl.lit(ask.query_id).alias("query_id"),
                    pl.lit(ask.asked_as).alias("asked_as"),
                    pl.int_range(1, pl.len() + 1, dtype=pl.Int64).alias("rank"),
                    "doc_id",
                    pl.Series("score", ranking.scores, dtype=pl.Float64),
                )
            )
        return pl.concat(frames)

    def _mask(self, principal: Principal | None) -> Mask | None:
        return None if principal is None else eligible(self.documents, principal)


def _own(plan: Plan, reads: str) -> Iterator[_Ask]:
    for query in plan.queries.iter_rows(named=True):
        name = query["query_id"]
        yield _Ask(name, name, query[reads], principal_of(query))


def _across(plan: Plan, reads: str) -> Iterator[_Ask]:
    rows = {query["query_id"]: query for query in plan.queries.iter_rows(named=True)}
    for name, others in plan.others.items():
        for other in others:
            yield _Ask(name, other, rows[name][reads], principal_of(rows[other]))


def _unbound(asks: Iterable[_Ask]) -> Iterator[_Ask]:
    return (_Ask(ask.query_id, ask.asked_as, ask.words, None) for ask in asks)


def _punctuated(asks: Iterable[_Ask]) -> Iterator[_Ask]:
    """The same words in quotation marks, ended by a mark: nothing inside them is touched."""
    for ask in asks:
        words = f"{OPENINGS}{ask.words.strip()}{ENDINGS}{MARK}"
        yield _Ask(ask.query_id, ask.asked_as, words, ask.principal)


def _repeated(
    plan: Plan, own: Iterable[_Ask], documents: pl.DataFrame, reopen: Open, depth: int
) -> pl.DataFrame:
    if not plan.pages:
        return PROBES.empty()
    others = documents.join(plan.repeated, on="doc_id", how="anti")
    index = _Index.over(pl.concat([others, plan.repeated]), reopen)
    asks = [ask for ask in own if ask.query_id in plan.pages]
    return index.lists("repeated_identifier", asks, depth)
