"""What must hold whatever fails, held against the study's own lists under every fault."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import polars as pl

from pipeline.acceptance.replies import LIST
from pipeline.forbidden import forbidden
from pipeline.operations.striking import Struck

ONE_BRANCH = "one_branch_left_keeps_its_order"
NOT_WIDER = "no_fault_widens_eligibility"
STALE = "a_stale_list_is_refused"
MARKED = "what_a_fault_changed_is_marked"
NOT_LOST = "a_query_with_a_list_is_answered"
INVARIANTS = (ONE_BRANCH, NOT_WIDER, STALE, MARKED, NOT_LOST)

_PAIR = ["query_id", "doc_id"]


@dataclass(slots=True)
class Invariants:
    """How often each invariant was looked at, and where it does not hold.

    Args:
        documents: DOCUMENTS.
        queries: QUERIES.
        healthy: CANDIDATES, as the branches returned them.
    """

    documents: pl.DataFrame
    queries: pl.DataFrame
    healthy: pl.DataFrame
    checked: dict[str, int] = field(default_factory=lambda: dict.fromkeys(INVARIANTS, 0))
    violations: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def note(self, invariant: str, checked: int, wrong: Iterable[str]) -> None:
        """So many were looked at, and these break the invariant."""
        self.checked[invariant] += checked
        self.violations[invariant] |= set(wrong)

    def look_at_lists(self, struck: Struck) -> None:
        """Holds the lists that a fault leaves against the invariants of lists."""
        used = struck.lists.join(struck.struck, on=LIST, how="semi")
        self._not_wider(struck.fault, used)
        said = struck.states.join(struck.struck, on=LIST, how="semi")
        if struck.fault.startswith("stale:"):
            kept = said.filter(pl.col("status") != "refused")
            self.note(STALE, said.height, _calls(struck.fault, kept))
        silent = struck.changed.join(said.drop_nulls("mark"), on=LIST, how="anti")
        self.note(MARKED, struck.changed.height, _calls(struck.fault, silent))

    def look_at_answers(
        self,
        where: str,
        run: pl.DataFrame,
        *,
        lost: Iterable[str],
        alone: int,
        out_of_order: Iterable[str],
    ) -> None:
        """Holds one system's answers under a fault against the invariants of answers.

        Args:
            where: the fault and the system.
            run: the answers.
            lost: queries without an answer that a list was used for.
            alone: queries that one branch's list was left for.
            out_of_order: those of them that do not keep its order.
        """
        self._not_wider(where, run)
        self.note(NOT_LOST, run["query_id"].n_unique(), (f"{where}: {one}" for one in lost))
        self.note(ONE_BRANCH, alone, (f"{where}: {one}" for one in out_of_order))

    def record(self) -> dict[str, object]:
        """Each invariant with `checked` and `violations`."""
        return {
            name: {"checked": self.checked[name], "violations": sorted(self.violations[name])}
            for name in INVARIANTS
        }

    def _not_wider(self, where: str, rows: pl.DataFrame) -> None:
        """What no branch had returned for a query must be something its principal may see."""
        new = rows.select(_PAIR).join(self.healthy, on=_PAIR, how="anti")
        leaked = forbidden(new.with_columns(system=pl.lit("")), self.documents, self.queries)
        # Ids of forbidden documents stay out of whatever people are shown.
        texts = [f"{where}: {query}" for query in leaked["query_id"].unique()]
        self.note(NOT_WIDER, rows.height, texts)


def _calls(fault: str, rows: pl.DataFrame) -> list[str]:
    return [f"{fault}: {branch} {query}" for branch, query in rows.select(LIST).rows()]
