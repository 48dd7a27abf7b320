"""What slices are derived from."""

from dataclasses import dataclass

import polars as pl

from pipeline.params import SliceParams


@dataclass(frozen=True, slots=True)
class Known:
    """Everything that tells a query's slices.

    Args:
        queries: QUERIES of one part.
        documents: DOCUMENTS.
        relevant: query_id, evidence_id of the part's relevant evidence.
        candidates: CANDIDATES of the branches that are fused.
        depth: how many first items of two branches are compared.
        declared: the slices that the collection declares, on whatever side.
        params: `evaluation.slices`.
    """

    queries: pl.DataFrame
    documents: pl.DataFrame
    relevant: pl.DataFrame
    candidates: pl.DataFrame
    depth: int
    declared: frozenset[str]
    params: SliceParams

    def texts(self) -> list[tuple[str, str]]:
        """Query id and text, of queries with a text."""
        asked = self.queries.select("query_id", "text").drop_nulls("text")
        return list(asked.iter_rows())

    def spoken(self) -> list[tuple[str, str, str]]:
        """Query id, text and language: the locale's first part, else the declared one."""
        asked = self.queries.select("query_id", "text", "locale").drop_nulls("text")
        return [
            (query, text, language_of(locale) or self.params.language)
            for query, text, locale in asked.iter_rows()
        ]

    def carriers(self) -> pl.DataFrame:
        """The documents of each query's relevant evidence, with the query's id."""
        return self.relevant.join(self.documents, on="evidence_id")


def language_of(locale: str | None) -> str:
    """`de` of `de-AT` or `DE_at`; empty where there is no locale."""
    return (locale or "").replace("_", "-").split("-")[0].casefold()
