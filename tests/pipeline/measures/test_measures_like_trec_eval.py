"""Four digits of agreement with trec_eval's own expected outputs, on its own test data."""

import re
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from pipeline.collection import read_qrels, read_run
from pipeline.measures import per_query

# trec_eval's word, where a cutoff follows and where none does.
CUT = {"ndcg_cut": "nDCG", "recall": "R", "P": "P", "map_cut": "AP", "success": "Success"}
WHOLE = {
    "ndcg": "nDCG",
    "map": "AP",
    "recip_rank": "RR",
    "bpref": "Bpref",
    "rbp": "RBP(p=0.9)",
    # These go to ir_measures; the threshold, the states of queries and the order are ours.
    "Rprec": "Rprec",
    "infAP": "infAP",
    "set_P": "SetP",
    "set_recall": "SetR",
    "set_F": "SetF",
}
FOUR_DIGITS = 0.5e-4 + 1e-9


def our_name(theirs: str) -> str | None:
    """Our name of a measure that trec_eval prints; None where we have none."""
    match = re.fullmatch(r"(\w+?)_(\d+)", theirs)
    if match and match[1] in CUT:
        return f"{CUT[match[1]]}@{match[2]}"
    # Not iprec_at_recall: ir_measures carries an older trec_eval that rounds its levels otherwise.
    return WHOLE.get(theirs)


def expected(path: Path) -> Iterator[tuple[str, str, float]]:
    """Measure (our name), topic, value of every printed line that we have a measure for."""
    for line in path.read_text().splitlines():
        theirs, topic, value = line.split()
        name = our_name(theirs)
        if name is not None:
            yield name, topic, float(value)


def disagreements(
    run: pl.DataFrame, judgments: pl.DataFrame, lines: list[tuple[str, str, float]], rel: int
) -> list[tuple[str, str, float, float | None]]:
    """Lines that our value, or mean over all topics, does not round to."""
    values = per_query(run, judgments, sorted({name for name, _, _ in lines}), rel=rel)
    means = values.group_by("measure").agg(pl.col("value").mean())
    found = {(name, topic): value for topic, name, value in values.iter_rows()}
    found |= {(name, "all"): mean for name, mean in means.iter_rows()}
    return [
        (name, topic, value, found.get((name, topic)))
        for name, topic, value in lines
        if abs(found.get((name, topic), -1.0) - value) > FOUR_DIGITS
    ]


@pytest.mark.parametrize(
    ("output", "run", "qrels", "rel", "depth", "lines"),
    [
        ("out.test", "results.test", "qrels.txt", 1, None, 13),
        ("out.test.a", "results.test", "qrels.txt", 1, None, 49),
        ("out.test.aq", "results.test", "qrels.txt", 1, None, 196),
        ("out.test.meas_params", "results.test", "qrels.txt", 1, None, 44),
        # -c: topics that the truncated run lacks count as 0
        ("out.test.aqc", "results.trunc", "qrels.txt", 1, None, 196),
        ("out.test.aqcM", "results.trunc", "qrels.txt", 1, 100, 196),
        # -l2: relevant from grade 2 on, with grades −1 to 4
        ("out.test.aql", "results.test", "qrels_other/qrels.rel_level", 2, None, 192),
    ],
)
def test_every_printed_value_to_four_digits(
    collections: Path, output: str, run: str, qrels: str, rel: int, depth: int | None, lines: int
) -> None:
    folder = collections / "trec_eval-tests"
    ranked = read_run(folder / "runs" / f"{run}.run", trailing="ignore")
    if depth is not None:
        ranked = ranked.filter(pl.col("rank") <= depth)
    printed = list(expected(folder / "expected" / f"{output}.txt"))
    if rel > 1:
        # trec_eval's rbp passes over -l: its gain is the grade over the topic's highest.
        printed = [line for line in printed if not line[0].startswith("RBP")]
    assert len(printed) == lines
    assert disagreements(ranked, read_qrels(folder / qrels), printed, rel) == []
