"""Made-up ranked lists with judgments: branches that agree in part, the same for the same seed."""

from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.params import Params, to_params
from pipeline.tables import CANDIDATES, DEV_JUDGMENTS, QUERIES, SPLITS

JUDGED = 8  # items of each query, more of them near the top


@dataclass(frozen=True, slots=True)
class Lists:
    """What a sweep reads.

    Args:
        candidates: CANDIDATES.
        judgments: DEV_JUDGMENTS, grades 0 to 2, one relevant item at least.
        splits: SPLITS, every query on dev and in a group of its own.
        queries: QUERIES, without text.
    """

    candidates: pl.DataFrame
    judgments: pl.DataFrame
    splits: pl.DataFrame
    queries: pl.DataFrame


def made_lists(queries: int, branches: int, depth: int, *, seed: int = 0) -> Lists:
    """Lists of so many branches; each orders the same items with noise of its own."""
    random = np.random.default_rng(seed)
    names = np.array([f"q{number:06d}" for number in range(queries)], dtype=object)
    items = 4 * depth
    first = random.integers(0, 8_000_000, queries)
    lists = [
        _branch(f"b{branch}", names, first, items, depth, random, noise=1 + 0.3 * branch)
        for branch in range(branches)
    ]
    split = {"query_id": names, "group_id": names, "split": ["dev"] * queries}
    return Lists(
        candidates=CANDIDATES.check(pl.concat(lists)),
        judgments=_judgments(names, first, items, random),
        splits=_filled(split, SPLITS.columns),
        queries=_filled({"query_id": names}, QUERIES.columns),
    )


def study_of(branches: int, depth: int, **sections: object) -> Params:
    """Parameters of a study on such lists."""
    recorded = {
        f"b{branch}": {"kind": "recorded", "run": f"b{branch}", "depth": depth}
        for branch in range(branches)
    }
    collection = {"path": "nowhere", "scale": [0, 2]}
    known = {"study": "made", "collection": collection, "candidates": recorded}
    return to_params(known | sections)


def _branch(
    name: str,
    queries: np.ndarray,
    first: np.ndarray,
    items: int,
    depth: int,
    random: np.random.Generator,
    *,
    noise: float,
) -> pl.DataFrame:
    merit = random.random((len(queries), items)) * noise + 1.5 * np.arange(items) / items
    chosen = np.argsort(merit, axis=1)[:, :depth]
    scores = -np.sort(-np.round(20 * random.random((len(queries), depth)), 4), axis=1)
    return pl.DataFrame(
        {
            "branch": pl.repeat(name, len(queries) * depth, eager=True),
            "query_id": pl.Series(queries, dtype=pl.String).gather(
                np.repeat(np.arange(len(queries)), depth)
            ),
            "rank": np.tile(np.arange(1, depth + 1), len(queries)),
            "item": (first[:, None] + 17 * chosen).ravel(),
            "score": scores.ravel(),
        }
    ).select(
        "branch",
        "query_id",
        "rank",
        *(pl.format("d{}", "item").alias(f"{of}_id") for of in ("doc", "evidence", "source")),
        "score",
    )


def _judgments(
    queries: np.ndarray, first: np.ndarray, items: int, random: np.random.Generator
) -> pl.DataFrame:
    places = (random.random((len(queries), JUDGED)) ** 2 * items).astype(np.int64)
    grades = random.integers(0, 3, places.shape)
    grades[:, 0] = 1
    pairs = pl.DataFrame(
        {
            "query_id": np.repeat(queries, JUDGED),
            "item": (first[:, None] + 17 * places).ravel(),
            "grade": grades.ravel(),
            "status": ["judged"] * places.size,
        },
        schema_overrides={"query_id": pl.String},
    ).select("query_id", pl.format("d{}", "item").alias("evidence_id"), "grade", "status")
    once = pairs.unique(["query_id", "evidence_id"], keep="first", maintain_order=True)
    return DEV_JUDGMENTS.check(once)


def _filled(columns: dict[str, object], schema: object) -> pl.DataFrame:
    whole = dict(schema)  # type: ignore[call-overload]
    missing = [
        pl.lit(None, kind).alias(name) for name, kind in whole.items() if name not in columns
    ]
    known = pl.DataFrame(columns, schema_overrides={name: whole[name] for name in columns})
    return known.with_columns(missing).select(list(whole))
