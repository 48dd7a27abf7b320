"""One query's list as a person reads it: ranks, scores, grades, from stored outputs alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from assets.artifacts import ARTIFACTS
from assets.folder import StudyFolder
from pipeline.collection import write_run
from pipeline.errors import MissingError, first_three
from pipeline.fusion import LEVELS
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
    """

    query: str
    side: str
    system: str
    baseline: str | None
    states: Mapping[str, str]
    rows: tuple[tuple[object, ...], ...]
    branches: tuple[str, ...]
    hidden: bool

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of `rows`."""
        against = "in baseline" if self.baseline is None else f"in {self.baseline}"
        return ("rank", "doc_id", "evidence_id", "score", *self.branches, "grade", against)


def written_run(folder: StudyFolder, system: str, output: Path) -> int:
    """Writes a system's lists of all queries as a run; ids are those that judgments name.

    Args:
        folder: a study whose evaluation is there.
        system: a system of `evaluation/runs`.
        output: the file; see `write_run`.

    Returns:
        How many queries have a list.

    Raises:
        MissingError: no such system, or the lists are not there.
        InputError: an id cannot stand in a TREC file.
    """
    runs: pl.DataFrame = _stored(folder, "runs")
    _refuse_unknown(sorted({SELECTED, *runs["system"]}), system)
    listed = (
        runs.filter(pl.col("system") == system)
        .sort("query_id", "rank")
        .unique(["query_id", "evidence_id"], keep="first", maintain_order=True)
        .select(
            "query_id",
            pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query_id").alias("rank"),
            pl.col("evidence_id").alias("doc_id"),
            "score",
        )
    )
    write_run(output, listed, tag=system)
    return listed["query_id"].n_unique()


def ranked_list(folder: StudyFolder, query: str, system: str) -> RankedList:
    """Reads one list.

    Args:
        folder: a study whose evaluation is there.
        query: a query's id.
        system: a system of `evaluation/runs`.

    Raises:
        MissingError: no such query or system, or a stored output is not there.
    """
    side = _side(folder, query)
    runs: pl.DataFrame = _stored(folder, "runs")
    # Where every branch came back empty no list of these is stored, and they are systems still.
    always = {SELECTED, *folder.params.fused_branches}
    _refuse_unknown(sorted(always | set(runs["system"])), system)
    hidden = side == "test" and bool(_stored(folder, "evaluation_summary")["sealed"])
    baseline = _baseline(folder)
    branches = folder.params.fused_branches
    candidates = _stored(folder, "candidates").filter(pl.col("query_id") == query)
    listed = _with_units(runs.filter(pl.col("query_id") == query), candidates, folder)
    compared = [*branches, *([] if baseline is None else [baseline])]
    ranks = {name: _ranks(listed, name) for name in compared}
    grades = {} if hidden else _grades(folder, query)
    rows = tuple(
        (
            *(row[name] for name in ("rank", "doc_id", "evidence_id", "score")),
            *(ranks[name].get(row["unit"]) for name in branches),
            grades.get(row["evidence_id"]),
            None if baseline is None else ranks[baseline].get(row["unit"]),
        )
        for row in listed.filter(pl.col("system") == system).sort("rank").iter_rows(named=True)
    )
    return RankedList(query, side, system, baseline, _states(folder, query), rows, branches, hidden)


def _side(folder: StudyFolder, query: str) -> str:
    splits: pl.DataFrame = _stored(folder, "splits")
    known = dict(splits.select("query_id", "split").iter_rows())
    if query not in known:
        raise MissingError(
            "no such query",
            where=folder.data / "splits",
            found=query,
            expected=f"one of {len(known)}: {first_three(sorted(known))}",
        )
    return str(known[query])


def _refuse_unknown(systems: list[str], system: str) -> None:
    if system not in systems:
        raise MissingError(
            "no such system", where="--system", found=system, expected=", ".join(systems)
        )


def _baseline(folder: StudyFolder) -> str | None:
    """The production run, else the branch that is best on dev."""
    if folder.params.production is not None:
        return PRODUCTION
    best = _stored(folder, "selection")["best_branch"]
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
    labels = pl.concat([_stored(folder, "dev_judgments"), _stored(folder, "test_judgments")])
    known = labels.filter(pl.col("query_id") == query).select("evidence_id", "grade", "status")
    return {evidence: status if g is None else g for evidence, g, status in known.iter_rows()}


def _states(folder: StudyFolder, query: str) -> dict[str, str]:
    states: pl.DataFrame = _stored(folder, "candidate_queries")
    rows = states.filter(pl.col("query_id") == query).sort("branch")
    return {
        row["branch"]: f"{row['status']}, {row['returned']} returned"
        for row in rows.iter_rows(named=True)
    }


def _stored(folder: StudyFolder, name: str) -> Any:
    return ARTIFACTS[name].read(folder, None)
