"""A resampled collection, and the whole study of it: what the fast road must agree with."""

import polars as pl

from benchmarks.false_ship.draws import FOLDS
from benchmarks.false_ship.populations import Population, Wholes
from pipeline import study
from pipeline.collection import Collection, RecordedRun
from pipeline.params import Params, to_params
from pipeline.splits import Side
from pipeline.study import Study
from pipeline.tables import QUERIES, RECORDED_QUERIES, RECORDED_RUN

TIES = ("template", "entity", "source_family", "paraphrase_of", "text")


def whole_study(population: Population, dev: Wholes, test: Wholes, *, seed: int) -> Study:
    """Everything from the collection to the word, under holdout.

    Args:
        population: what is drawn from.
        dev: the groups drawn for dev.
        test: likewise.
        seed: the study's.
    """
    copies = pl.concat([_copies(population, dev, "dev"), _copies(population, test, "test")])
    collection = _resampled(population, copies.with_columns(split=pl.col("side")))
    return study.run_study(collection, _params(population, seed, "holdout"))


def whole_crossfit(population: Population, drawn: Wholes, *, seed: int) -> Study:
    """The same under crossfit: the i-th group drawn lies in fold i modulo 5."""
    copies = _copies(population, drawn, "crossfit")
    collection = _resampled(population, copies.with_columns(split=pl.lit(None, pl.String)))
    params = _params(population, seed, "crossfit")
    sides = [
        Side(name, group, "crossfit", int(group.split("-")[1]) % FOLDS)
        for name, group in copies.select("copy", "group").iter_rows()
    ]
    return study.run_prepared(study.prepare(collection, params, sides=sides), params)


def _copies(population: Population, drawn: Wholes, side: str) -> pl.DataFrame:
    """query_id, copy (its new name, sorted as drawn), group, side."""
    rows = [
        (population.queries[query], f"{side}-{place:04d}-{number:03d}", f"{side}-{place:04d}", side)
        for place, group in enumerate(drawn)
        for number, query in enumerate(population.members[group])
    ]
    return pl.DataFrame(rows, schema=["query_id", "copy", "group", "side"], orient="row")


def _resampled(population: Population, copies: pl.DataFrame) -> Collection:
    snapshot = population.prepared.snapshot
    return Collection(
        documents=snapshot.documents,
        queries=QUERIES.check(_queries(snapshot.queries, copies)),
        judgments=_renamed(snapshot.judgments, copies),
        runs={branch: _recorded(population, branch, copies) for branch in population.branches},
    )


def _queries(queries: pl.DataFrame, copies: pl.DataFrame) -> pl.DataFrame:
    """Copies without anything that would tie them together but their group."""
    cleared = [pl.lit(None, QUERIES.columns[name]).alias(name) for name in TIES]
    joined = copies.join(queries.drop("split"), on="query_id", how="left")
    return joined.with_columns(
        *cleared, query_id=pl.col("copy"), conversation=pl.col("group")
    ).drop("copy", "group", "side")


def _renamed(frame: pl.DataFrame, copies: pl.DataFrame) -> pl.DataFrame:
    joined = copies.select("query_id", "copy").join(frame, on="query_id", how="inner")
    return joined.with_columns(query_id=pl.col("copy")).select(frame.columns)


def _recorded(population: Population, branch: str, copies: pl.DataFrame) -> RecordedRun:
    lists = population.prepared.candidates.filter(pl.col("branch") == branch)
    results = _renamed(lists, copies).with_columns(position=pl.col("rank"))
    spoken = copies.select(
        pl.col("copy").alias("query_id"),
        pl.lit("ok").alias("status"),
        *(pl.lit(None, RECORDED_QUERIES.columns[name]).alias(name) for name in _UNKNOWN),
    )
    return RecordedRun(
        RECORDED_RUN.check(results.select(list(RECORDED_RUN.columns))),
        RECORDED_QUERIES.check(spoken),
    )


_UNKNOWN = ("took_ms", "snapshot", "filters")


def _params(population: Population, seed: int, protocol: str) -> Params:
    """The population's, on recorded lists, dev and test half and half."""
    content = population.params.model_dump(mode="json", exclude_defaults=True)
    depths = {name: branch.depth for name, branch in population.params.candidates.items()}
    recorded = {
        name: {"kind": "recorded", "run": name, "order": "rank", "depth": depth}
        for name, depth in depths.items()
    }
    splits = {"protocol": protocol, "folds": FOLDS}
    return to_params(content | {"seed": seed, "candidates": recorded, "splits": splits})
