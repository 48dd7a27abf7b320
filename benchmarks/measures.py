"""Measures query by query beside ir_measures (pytrec_eval), on runs of DL19 and TREC-COVID.

Both sides begin with a table in memory, read and ordered before: polars here, pandas there. First
all values are compared, then both are timed in turn. What ir_measures takes when it is handed
nested dictionaries instead, the form that pytrec_eval works on, is printed as well.

    python -m benchmarks.measures COLLECTIONS [--quick]

COLLECTIONS holds `dl19-passage-runs` and `trec-covid-r1-runs`, each with `qrels.txt` and `runs/`.
"""

import argparse
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import ir_measures
import pandas as pd
import polars as pl

from benchmarks.measuring import alternate, conclude, introduce
from pipeline.collection import read_qrels, read_run
from pipeline.measures import per_query

COLLECTIONS = ("dl19-passage-runs", "trec-covid-r1-runs")
MEASURES = [
    "nDCG@10", "nDCG@100", "R(rel=2)@100", "R(rel=2)@1000", "P(rel=2)@10", "RR(rel=2)",
    "AP(rel=2)@1000", "Success(rel=2)@5", "Bpref(rel=2)",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Recorded:
    """One run with its judgments, in the form of either side.

    Args:
        run: query_id, rank, evidence_id.
        judgments: query_id, evidence_id, grade.
        foreign_run: query_id, doc_id, score, which falls by rank.
        foreign_judgments: query_id, doc_id, relevance.
        nested: both as dictionaries: judgments, run.
    """

    run: pl.DataFrame
    judgments: pl.DataFrame
    foreign_run: pd.DataFrame
    foreign_judgments: pd.DataFrame
    nested: tuple[dict[str, dict[str, int]], dict[str, dict[str, float]]]

    def ours(self) -> pl.DataFrame:
        """The values as a table."""
        return per_query(self.run, self.judgments, MEASURES)

    def theirs(self) -> list[ir_measures.Metric]:
        """The values as ir_measures gives them."""
        return _foreign(self.foreign_judgments, self.foreign_run)

    def theirs_nested(self) -> list[ir_measures.Metric]:
        """The same, from dictionaries."""
        return _foreign(*self.nested)


def _foreign(judgments: object, run: object) -> list[ir_measures.Metric]:
    measures = [ir_measures.parse_measure(name) for name in MEASURES]
    return list(ir_measures.pytrec_eval.iter_calc(measures, judgments, run))


def main() -> None:
    """Prints how many times faster all of it is."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("collections", type=Path)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    folders = [given.collections / name for name in COLLECTIONS]
    runs = [
        read(path, folder / "qrels.txt")
        for folder in folders
        for path in sorted((folder / "runs").glob("*.run*"))[: 1 if given.quick else None]
    ]
    rows = sum(recorded.run.height for recorded in runs)
    inputs = {"runs": len(runs), "ranks": rows, "measures": len(MEASURES)}
    introduce("measures", ["polars", "numpy", "ir-measures", "pytrec-eval-terrier"], inputs)
    compared = sum(compare(recorded) for recorded in runs)
    print(f"values    {compared:,} compared, equal to 1e-9")
    count = 2 if given.quick else 9
    ours = _all(runs, Recorded.ours)
    nested = alternate(ours, _all(runs, Recorded.theirs_nested), count)
    print(nested.lines("here", "ir_measures, dictionaries"))
    print(f"          {nested.faster:.2f} times faster than ir_measures from dictionaries")
    pairs = alternate(ours, _all(runs, Recorded.theirs), count)
    print(pairs.lines("here", "ir_measures, tables"))
    conclude(pairs.faster, "times faster than ir_measures, tables on both sides")


def read(path: Path, qrels: Path) -> Recorded:
    """A run, cut at 1,000, with its judgments."""
    run = read_run(path).filter(pl.col("rank") <= 1000)
    judgments = read_qrels(qrels)
    falling = run.select(
        "query_id", pl.col("evidence_id").alias("doc_id"), score=-pl.col("rank").cast(pl.Float64)
    )
    graded = judgments.select(
        "query_id", pl.col("evidence_id").alias("doc_id"), pl.col("grade").alias("relevance")
    )
    return Recorded(
        run,
        judgments,
        pd.DataFrame(falling.to_dict(as_series=False)),
        pd.DataFrame(graded.to_dict(as_series=False)),
        (_nested(graded, "relevance"), _nested(falling, "score")),
    )


def compare(recorded: Recorded) -> int:
    """Equal values: how many were compared.

    Where no relevant item is known ir_measures says 0, or nothing; here the value is undefined.
    """
    ours = {(q, m): value for q, m, value in recorded.ours().rows() if value is not None}
    names = {str(ir_measures.parse_measure(name)): name for name in MEASURES}
    theirs = {(v.query_id, names[str(v.measure)]): v.value for v in recorded.theirs()}
    shared = ours.keys() & theirs.keys()
    wrong = [
        key for key in sorted(shared) if not math.isclose(ours[key], theirs[key], abs_tol=1e-9)
    ]
    if wrong or not shared:
        raise SystemExit(f"values differ: {wrong[:3]}")
    return len(shared)


def _all(runs: Sequence[Recorded], side: Callable[[Recorded], object]) -> Callable[[], object]:
    return lambda: [side(recorded) for recorded in runs]


def _nested(frame: pl.DataFrame, value: str) -> dict[str, dict[str, float]]:
    grouped = frame.group_by("query_id", maintain_order=True).agg("doc_id", value)
    return {q: dict(zip(ids, values, strict=True)) for q, ids, values in grouped.rows()}


if __name__ == "__main__":
    main()
