"""One system's lists of all queries as a run file, without what no command may show."""

from dataclasses import dataclass
from pathlib import Path

import polars as pl

from assets.artifacts import stored
from assets.folder import StudyFolder
from assets.ranked_list import refuse_unknown_system
from assets.refused import refused_pairs
from pipeline.collection import write_run
from pipeline.systems import SELECTED


@dataclass(frozen=True, slots=True)
class WrittenRun:
    """A run that was written.

    Args:
        queries: how many have a list.
        withheld: items left out: their query may not see the document.
    """

    queries: int
    withheld: int


def written_run(folder: StudyFolder, system: str, output: Path) -> WrittenRun:
    """Writes a system's lists of all queries as a run; ids are those that judgments name.

    What operations did not clear is left out, and what stands below moves up.

    Args:
        folder: a study whose evaluation is there.
        system: a system of `evaluation/runs`.
        output: the file; see `write_run`.

    Raises:
        MissingError: no such system, or the lists are not there.
        InputError: an id cannot stand in a TREC file.
        ContractError: operations did not audit these lists.
    """
    runs: pl.DataFrame = stored(folder, "runs")
    refuse_unknown_system(sorted({SELECTED, *runs["system"]}), system)
    own = runs.filter(pl.col("system") == system)
    shown = own.join(refused_pairs(folder, runs), on=["query_id", "doc_id"], how="anti")
    listed = (
        shown.sort("query_id", "rank")
        .unique(["query_id", "evidence_id"], keep="first", maintain_order=True)
        .select(
            "query_id",
            pl.int_range(1, pl.len() + 1, dtype=pl.Int64).over("query_id").alias("rank"),
            pl.col("evidence_id").alias("doc_id"),
            "score",
        )
    )
    write_run(output, listed, tag=system)
    return WrittenRun(listed["query_id"].n_unique(), own.height - shown.height)
