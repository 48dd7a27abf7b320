"""What the metamorphic checks look at: each system's lists, before and after a change."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pipeline.fusion import LEVELS, Configuration
from pipeline.operations.probed import NOT_ASKED, Probed
from pipeline.params import Params
from pipeline.parts import Part
from pipeline.systems import SELECTED, rank_system

PAIR = {"query_id": pl.String, "evidence_id": pl.String}


@dataclass(frozen=True, slots=True)
class Checked:
    """What the checks look at.

    Args:
        these: the probes.
        parts: the parts whose labels may be looked at.
        documents: DOCUMENTS.
        queries: QUERIES.
        candidates: CANDIDATES.
        runs: RUNS.
        chosen: the configuration that would be shipped; None where nothing could be chosen.
    """

    these: Probed
    parts: Sequence[Part]
    documents: pl.DataFrame
    queries: pl.DataFrame
    candidates: pl.DataFrame
    runs: pl.DataFrame
    chosen: Configuration | None = None

    @property
    def params(self) -> Params:
        """The study's parameters."""
        return self.these.params

    @property
    def asked(self) -> list[str]:
        """The queries that were asked again."""
        plan = self.these.plan
        return [] if plan is None else plan.queries["query_id"].to_list()

    def listed(self, system: str) -> pl.DataFrame:
        """`query_id, rank, doc_id` of a branch as it was returned, or of another system."""
        branch = system in self.params.candidates
        lists, column = (self.candidates, "branch") if branch else (self.runs, "system")
        return lists.filter(pl.col(column) == system).select("query_id", "rank", "doc_id")

    def relevant(self) -> pl.DataFrame:
        """`query_id, evidence_id` of relevant evidence, as far as labels may be looked at."""
        rows = [part.relevant(self.params.collection.rel) for part in self.parts]
        return pl.concat([pl.DataFrame(schema=PAIR), *rows]).unique().sort(list(PAIR))

    def silent(self, system: str, *, words: bool) -> str | None:
        """Why a system could not be asked again: a fusion cannot where one of its branches cannot.

        Args:
            system: a branch, or the selected configuration.
            words: with words or documents of ours.
        """
        if system != SELECTED or self.chosen is None:
            return self.these.silent(system, words=words)
        reasons = {name: self.these.silent(name, words=words) for name in self.chosen.branches}
        known = {name: reason for name, reason in reasons.items() if reason is not None}
        if NOT_ASKED in known.values():
            return NOT_ASKED
        return "; ".join(f"{name}: {reason}" for name, reason in known.items()) or None

    def before(self, system: str) -> pl.DataFrame:
        """The system's run on the queries that were asked again."""
        return self._run(self.candidates.filter(pl.col("query_id").is_in(self.asked)), system)

    def after(self, probe: str, system: str) -> pl.DataFrame:
        """The system's run on what the branches returned to a probe."""
        rows = self.these.lists.filter(pl.col("probe") == probe)
        return self._run(rows.select(self.candidates.columns), system)

    def fused_for_others(self) -> pl.DataFrame:
        """`query_id` (who asks), `doc_id`: queries' words fused on behalf of other principals."""
        rows = self.these.lists.filter(pl.col("probe") == "as_others")
        if self.chosen is None or rows.is_empty():
            return pl.DataFrame(schema={"query_id": pl.String, "doc_id": pl.String})
        # Words and principal together make a question of its own.
        asks = rows.select("query_id", "asked_as").unique().sort("query_id", "asked_as")
        numbered = asks.with_row_index("question").with_columns(pl.col("question").cast(pl.String))
        lists = rows.join(numbered, on=["query_id", "asked_as"], maintain_order="left")
        fused = self._run(
            lists.with_columns(query_id="question").select(self.candidates.columns), SELECTED
        )
        answered = fused.join(numbered, left_on="query_id", right_on="question")
        return answered.select(pl.col("asked_as").alias("query_id"), "doc_id")

    def with_units(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Rows with the `unit` of their document: the thing that fusion ranks."""
        unit = LEVELS[self.params.fusion.level]
        units = self.these.documents.select("doc_id", pl.col(unit).alias("unit"))
        return rows.join(units, on="doc_id")

    def _run(self, lists: pl.DataFrame, system: str) -> pl.DataFrame:
        if system == SELECTED and self.chosen is not None:
            return rank_system(self.chosen, lists, self.params.fusion)
        return self.these.run(lists.filter(pl.col("branch") == system), system)
