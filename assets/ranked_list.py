"""One query's list as a person reads it: ranks, scores, grades, from stored outputs alone."""

from collections.abc import Mapping
from dataclasses import dataclass

import polars as pl

from assets.artifacts import stored
from assets.folder import StudyFolder
from assets.refused import refused_pairs
from pipeline.clearance import WITHHELD
from pipeline.errors import MissingError, first_three
from pipeline.fusion import LEVELS
from pipeline.report.measured import how_measured
from pipeline.systems import PRODUCTION, SELECTED

HIDDEN = "the test is sealed: grades of test queries are not shown (rankgate open)"


@dataclass(frozen=True, slots=True)
class RankedList:
    """One system's list for one query.

    Args:
        query: the query.
        side: its side.
        system: whose list.
        baseline: the system it is held against; None where there is none.
        states: branch to what happened to the query there.
        rows: rank, doc_id, evidence_id, score, the rank in each branch, grade, rank in the
            baseline; None where it is not in that list, or not judged.
        branches: the branches, in the order of the columns.
        hidden: whether grades are hidden, because the test is sealed.
        how: what order, grades and values rest on, in one line.
        withheld: how many rows read `withheld`: the query may not see their documents.
    """

    query: str
    side: str
    system: str
    baseline: str | None
    states: Mapping[str, str]
    rows: tuple[tuple[object, ...], ...]
    branches: tuple[str, ...]
    hidden: bool
    how: str
    withheld: int = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `rows`."""
        against = "in baseline" if self.baseline is None else f"in {self.baseline}"
        return ("rank", "doc_id", "evidence_id", "score", *self.branches, "grade", against)


def ranked_list(folder: StudyFolder, query: str, system: str) -> RankedList:
    """Reads one list.

    Args:
        folder: a study whose evaluation is there.
        query: a query's id.
        system: a system of `evaluation/runs`.

    Raises:
        MissingError: no such query or system, or a stored output is not there.
        ContractError: operations did not audit these lists.
    """
    side = _side(folder, query)
    runs: pl.DataFrame = stored(folder, "runs")
    # Where every branch came back empty no list of these is stored, and they are systems still.
    always = {SELECTED, *folder.params.fused_branches}
    refuse_unknown_system(sorted(always | set(runs["system"])), system)
    hidden = side == "test" and bool(stored(folder, "evaluation_summary")["sealed"])
    baseline = _baseline(folder)
    branches = folder.params.fused_branches
    candidates = stored(folder, "candidates").filter(pl.col("query_id") == query)
    listed = _with_units(runs.filter(pl.col("query_id") == query), candidates, folder)
    compared = [*branches, *([] if baseline is None else [baseline])]
    ranks = {name: _ranks(listed, name) for name in compared}
    grades = {} if hidden else _grades(folder, query)
    refused = set(refused_pairs(folder, runs).filter(pl.col("query_id") == query)["doc_id"])
    own = listed.filter(pl.col("system") == system).sort("rank")
    rows = tuple(
        (
            *_shown(row, withheld=row["doc_id"] in refused),
            *(ranks[name].get(row["unit"]) for name in branches),
            None if row["doc_id"] in refused else grades.get(row["evidence_id"]),
            None if baseline is None else ranks[baseline].get(row["unit"]),
        )
        for row in own.iter_rows(named=True)
    )
    return RankedList(
        query=query,
        side=side,
        system=system,
        baseline=baseline,
        states=_states(folder, query),
        rows=rows,
        branches=branches,
        hidden=hidden,
        how=how_measured(
            folder.params,
            [folder.params.selection.measure],
            stored(folder, "evaluation_summary"),
            sides=[side],
        ),
        withheld=own.filter(pl.col("doc_id").is_in(list(refused))).height,
    )


def _shown(row: Mapping[str, object], *, withheld: bool) -> tuple[object, ...]:
    """Rank, document, evidence, score; a document that operations refused keeps its place only."""
    names = (WITHHELD, WITHHELD) if withheld else (row["doc_id"], row["evidence_id"])
    return (row["rank"], *names, row["score"])


def _side(folder: StudyFolder, query: str) -> str:
    splits: pl.DataFrame = stored(folder, "splits")
    known = dict(splits.select("query_id", "split").iter_rows())
    if query not in known:
        raise MissingError(
            "no such query",
            where=folder.data / "splits",
            found=query,
            expected=f"one of {len(known)}: {first_three(sorted(known))}",
        )
    return str(known[query])


def refuse_unknown_system(systems: list[str], system: str) -> None:
    """Refuses a name that is no system's, and says which there are."""
    if system not in systems:
        raise MissingError(
            "no such system", where="--system", found=system, expected=", ".join(systems)
        )


def _baseline(folder: StudyFolder) -> str | None:
    """The production run, else the branch that is best on dev."""
    if folder.params.production is not None:
        return PRODUCTION
    best = stored(folder, "selection")["best_branch"]
    return None if best is None else str(best)


def _with_units(runs: pl.DataFrame, candidates: pl.DataFrame, folder: StudyFolder) -> pl.DataFrame:
    sources = candidates.select("doc_id", "source_id").unique("doc_id", maintain_order=True)
    known = runs.join(sources, on="doc_id", how="left", validate="m:1")
    # Lists are compared by the thing that fusion ranks.
    return known.with_columns(pl.col(LEVELS[folder.params.fusion.level]).alias("unit"))


def _ranks(listed: pl.DataFrame, system: str) -> dict[str, int]:
    own = listed.filter(pl.col("system") == system)
    return dict(own.select("unit", "rank").iter_rows())


def _grades(folder: StudyFolder, query: str) -> dict[str, object]:
    """Evidence to its grade, or to unknown or abstained."""
    labels = pl.concat([stored(folder, "dev_judgments"), stored(folder, "test_judgments")])
    known = labels.filter(pl.col("query_id") == query).select("evidence_id", "grade", "status")
    return {evidence: status if g is None else g for evidence, g, status in known.iter_rows()}


def _states(folder: StudyFolder, query: str) -> dict[str, str]:
    states: pl.DataFrame = stored(folder, "candidate_queries")
    rows = states.filter(pl.col("query_id") == query).sort("branch")
    return {
        row["branch"]: f"{row['status']}, {row['returned']} returned"
        for row in rows.iter_rows(named=True)
    }
