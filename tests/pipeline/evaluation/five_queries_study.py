"""A five-query study that can be worked by hand, as the stage `evaluation` is handed it.

Branches `words` and `vectors`; every document carries an evidence of its own, but `p1` and `p2`,
which both carry `p`. Each query has a group of its own.

    query  side  words      vectors    judged                            state
    q1     dev   a b c      b d a      b 3, d 1, a 0                     ranked
    q2     dev   e f        g e        f 2, g 0                          ranked
    q3     test  h i j      i k        i 1, h 0 (k, j unjudged)          ranked
    q4     test  p1 l p2    m          p 2, l 0, m 0                     ranked
    q5     test  n          (nothing)  n 0; declared unanswerable        unanswerable
"""

from collections.abc import Mapping
from typing import Any

import polars as pl

from pipeline.evaluation import Evaluation
from pipeline.fusion import Configuration
from pipeline.ledger import Opening
from pipeline.params import Params, to_params
from pipeline.storage import to_json
from pipeline.tables import (
    AGREEMENT,
    BOUNDS,
    BRANCH_VALUE,
    CANDIDATE_QUERIES,
    CANDIDATES,
    COMPARISONS,
    COMPLEMENTARITY,
    CONFIGURATIONS,
    CONTEXTS,
    CRITICAL,
    DEV_JUDGMENTS,
    DIAGNOSIS,
    DOCUMENTS,
    EQUAL_WORKS,
    PER_QUERY,
    POOL,
    POOL_BIAS,
    QUERIES,
    RUNS,
    SLICE_MEMBERS,
    SPLITS,
    SWEEP_PER_QUERY,
    SYSTEMS,
    TEST_JUDGMENTS,
    TRACES,
    Table,
)

Inputs = dict[str, Any]

LISTS: Mapping[str, Mapping[str, str]] = {
    "words": {"q1": "a b c", "q2": "e f", "q3": "h i j", "q4": "p1 l p2", "q5": "n"},
    "vectors": {"q1": "b d a", "q2": "g e", "q3": "i k", "q4": "m", "q5": ""},
}
GRADES: Mapping[str, Mapping[str, int]] = {
    "q1": {"b": 3, "d": 1, "a": 0},
    "q2": {"f": 2, "g": 0},
    "q3": {"i": 1, "h": 0},
    "q4": {"p": 2, "l": 0, "m": 0},
    "q5": {"n": 0},
}
SIDE = {"q1": "dev", "q2": "dev", "q3": "test", "q4": "test", "q5": "test"}
SLICE = {"q1": ["short", "rare"], "q2": ["short"], "q3": ["short"], "q4": ["short"], "q5": []}
CARRIES = {"p1": "p", "p2": "p"}

RRF = Configuration.of(
    "rrf",
    rank_constant=60,
    weights={"words": 1, "vectors": 1},
    depths={"words": 3, "vectors": 3},
)
CONVEX = Configuration.of(
    "convex_minmax",
    weights={"words": 1, "vectors": 1},
    depths={"words": 3, "vectors": 3},
)
OPENED = Opening("the test set", "the selection", {}, "2026-01-01T00:00:00+00:00")


def as_selection(configuration: Configuration) -> dict[str, Any]:
    """A configuration as it stands in selection.json."""
    return {
        "id": configuration.id,
        "method": configuration.method,
        "rank_constant": configuration.rank_constant,
        "weights": dict(configuration.weights),
        "depths": dict(configuration.depths),
        "description": configuration.describe(),
    }


def filled(table: Table, rows: list[dict[str, Any]]) -> pl.DataFrame:
    """A table from rows that name only the columns that matter."""
    columns = {name: [row.get(name) for row in rows] for name in table.columns}
    return table.check(pl.DataFrame(columns, schema=dict(table.columns)))


def judged(table: Table, grades: Mapping[str, Mapping[str, int | None]]) -> pl.DataFrame:
    """Resolved judgments; a grade of None is *unknown*."""
    rows = [
        {
            "query_id": query,
            "evidence_id": evidence,
            "grade": grade,
            "status": "unknown" if grade is None else "judged",
        }
        for query, known in grades.items()
        for evidence, grade in known.items()
    ]
    return filled(table, rows)


def retrieved(lists: Mapping[str, Mapping[str, str]]) -> pl.DataFrame:
    """CANDIDATES from lists of document ids; the score falls by one for each rank."""
    rows = [
        {
            "branch": branch,
            "query_id": query,
            "rank": rank,
            "doc_id": document,
            "evidence_id": CARRIES.get(document, document),
            "source_id": CARRIES.get(document, document),
            "score": 10.0 - rank,
        }
        for branch, by_query in lists.items()
        for query, listed in by_query.items()
        for rank, document in enumerate(listed.split(), start=1)
    ]
    return filled(CANDIDATES, rows)


def parameters(**changes: Any) -> Params:
    """The study's parameters; changes are whole sections."""
    content = {
        "study": "five",
        "collection": {"path": "five", "scale": [0, 3]},
        "candidates": {
            "words": {"kind": "recorded", "run": "words", "depth": 3},
            "vectors": {"kind": "recorded", "run": "vectors", "depth": 3},
        },
        "context": {"depth": 2},
        "selection": {"measure": "nDCG@2"},
        "evaluation": {
            "measures": ["nDCG@2", "R@2", "P@1", "ZeroHit@1", "EvidenceCoverage@2"],
            "resamples": 100,
            "slices": {"minimum": 2, "derived": False},
        },
    }
    return to_params({**content, **changes})


def _statuses() -> pl.DataFrame:
    rows = [
        {
            "branch": branch,
            "query_id": query,
            "status": "ok" if listed else "empty",
            "returned": len(listed.split()),
        }
        for branch, by_query in LISTS.items()
        for query, listed in by_query.items()
    ]
    return filled(CANDIDATE_QUERIES, rows)


def _queries() -> pl.DataFrame:
    rows = [
        {
            "query_id": query,
            "slices": SLICE[query],
            "answerable": False if query == "q5" else None,
            "required_evidence": ["b", "d"] if query == "q1" else None,
        }
        for query in SIDE
    ]
    return filled(QUERIES, rows)


def _documents() -> pl.DataFrame:
    ids = {item for lists in LISTS.values() for listed in lists.values() for item in listed.split()}
    rows = [
        {"doc_id": item, "evidence_id": CARRIES.get(item, item), "source_id": item} for item in ids
    ]
    return filled(DOCUMENTS, rows)


def _splits() -> pl.DataFrame:
    rows = [{"query_id": query, "group_id": f"g-{query}", "split": SIDE[query]} for query in SIDE]
    return filled(SPLITS, rows)


def _pool() -> pl.DataFrame:
    rows = [
        {
            "query_id": query,
            "evidence_id": CARRIES.get(item, item),
            "status": "judged" if CARRIES.get(item, item) in GRADES[query] else "unjudged",
        }
        for by_query in LISTS.values()
        for query, listed in by_query.items()
        for item in listed.split()
    ]
    return POOL.check(pl.DataFrame(rows).unique())


def _labels(table: Table, side: str) -> pl.DataFrame:
    return judged(table, {query: GRADES[query] for query in GRADES if SIDE[query] == side})


def five_queries(**changes: Any) -> Inputs:
    """What `compute` is handed, sealed; changes replace whole inputs."""
    inputs: Inputs = {
        "selection": {
            "configuration": as_selection(RRF),
            "best_convex": as_selection(CONVEX),
            "best_branch": "vectors",
            "folds": None,
            "hashes": {"test_set": "the test set", "selection": "the selection"},
        },
        "configurations": CONFIGURATIONS.empty(),
        "sweep_per_query": SWEEP_PER_QUERY.empty(),
        "candidates": retrieved(LISTS),
        "candidate_queries": _statuses(),
        "pool": _pool(),
        "splits": _splits(),
        "documents": _documents(),
        "queries": _queries(),
        "dev_judgments": _labels(DEV_JUDGMENTS, "dev"),
        "test_judgments": _labels(TEST_JUDGMENTS, "test"),
        "ledger": [],
        "params": parameters(),
    }
    return {**inputs, **changes}


TABLES: Mapping[str, Table] = {
    "runs": RUNS,
    "systems": SYSTEMS,
    "per_query": PER_QUERY,
    "comparisons": COMPARISONS,
    "complementarity": COMPLEMENTARITY,
    "bounds": BOUNDS,
    "equal_work": EQUAL_WORKS,
    "branch_value": BRANCH_VALUE,
    "agreement": AGREEMENT,
    "slices": SLICE_MEMBERS,
    "traces": TRACES,
    "diagnosis": DIAGNOSIS,
    "critical": CRITICAL,
    "pool_bias": POOL_BIAS,
    "contexts": CONTEXTS,
}


def row(frame: pl.DataFrame, **key: str) -> dict[str, Any]:
    """The one row with this key."""
    wanted = pl.all_horizontal(*(pl.col(name) == value for name, value in key.items()))
    return frame.row(by_predicate=wanted, named=True)


def listed(runs: pl.DataFrame, system: str, query: str) -> str:
    """A system's list as text."""
    rows = runs.filter((pl.col("system") == system) & (pl.col("query_id") == query))
    return " ".join(rows.sort("rank")["doc_id"])


def same(one: Evaluation, other: Evaluation) -> bool:
    """Whether two results are equal to the last digit."""
    frames = all(getattr(one, name).equals(getattr(other, name)) for name in TABLES)
    return frames and to_json(one.summary) == to_json(other.summary)
