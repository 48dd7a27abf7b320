"""What `rankgate export` says: the winner in an engine's own words, and what changes there."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from assets.artifacts import stored
from assets.folder import StudyFolder
from pipeline.choices import final_choice
from pipeline.errors import RankgateError
from pipeline.evaluation.split_values import per_query_values
from pipeline.fusion import Configuration
from pipeline.fusion.dialects import DIALECTS, dialect_of, unserved
from pipeline.fusion.dialects.rescoring import Changes, changes, refuse_unserved, rescored
from pipeline.parts import DEV, TEST, visible_parts
from pipeline.seal import Seal
from pipeline.systems import rank_system


@dataclass(frozen=True, slots=True)
class Exported:
    """The winner in an engine.

    Args:
        snippet: what reproduces it there.
        notes: what it needs, and what is not the same.
    """

    snippet: str
    notes: tuple[str, ...]


def exported(folder: StudyFolder, engine: str) -> Exported:
    """The snippet for the selected configuration, and what the engine's formula changes.

    Raises:
        ParameterError: no such engine, or it cannot serve the configuration.
        RankgateError: nothing was selected.
    """
    chosen, params = _chosen(folder), folder.params
    refuse_unserved(engine, chosen, params.fusion)
    kinds = {name: branch.kind for name, branch in params.candidates.items()}
    wanted = params.context.depth
    dialect = dialect_of(engine)
    snippet = dialect.snippet(chosen, kinds, wanted)
    changed = changed_lists(folder, chosen, engine)
    formula = dialect.methods[chosen.method](chosen).formula
    return Exported(
        snippet,
        (
            f"{dialect.title}: {formula}",
            f"of {chosen.describe()}",
            *dialect.notes,
            *_of_level(folder),
            _of_lists(changed),
            *(_of_measure(one) for one in changed_means(folder, chosen, engine)),
        ),
    )


def every_engine(folder: StudyFolder) -> list[tuple[str, str]]:
    """Each engine, and what becomes of the winner there: what it lacks, or what changes."""
    chosen = _chosen(folder)
    rows = []
    for engine in DIALECTS:
        lacking = unserved(engine, chosen, missing=folder.params.fusion.missing)
        said = (
            f"cannot serve it: {'; '.join(lacking)}"
            if lacking
            else _of_lists(changed_lists(folder, chosen, engine))
        )
        rows.append((engine, said))
    return rows


def changed_lists(folder: StudyFolder, chosen: Configuration, engine: str) -> Changes:
    """How many queries' contexts are others under the engine's formula."""
    candidates, fusion = stored(folder, "candidates"), folder.params.fusion
    ours = rank_system(chosen, candidates, fusion)
    theirs = rescored(engine, chosen, candidates, fusion)
    return changes(ours, theirs, depth=folder.params.context.depth)


def changed_means(
    folder: StudyFolder, chosen: Configuration, engine: str
) -> list[Mapping[str, Any]]:
    """The primary measure with our formula and with the engine's, on each visible side."""
    params, summary = folder.params, stored(folder, "evaluation_summary")
    opening = None if summary["sealed"] else summary["opening"]
    parts = visible_parts(
        stored(folder, "queries"),
        stored(folder, "splits"),
        {DEV: stored(folder, "dev_judgments"), TEST: stored(folder, "test_judgments")},
        Seal(opening, params.evaluation.alpha, summary["alpha"]),
        params,
    )
    candidates = stored(folder, "candidates")
    lists = pl.concat(
        frame.select(pl.lit(name).alias("system"), pl.all())
        for name, frame in (
            ("engine", rescored(engine, chosen, candidates, params.fusion)),
            ("ours", rank_system(chosen, candidates, params.fusion)),
        )
    )
    measure = params.selection.measure
    found: list[Mapping[str, Any]] = []
    for part in parts:
        values = per_query_values(lists, ["engine", "ours"], part, params)
        means = dict(
            values.filter(pl.col("measure") == measure)
            .group_by("system")
            .agg(pl.col("value").sort_by("query_id").mean())
            .iter_rows()
        )
        found.append({"measure": measure, "split": part.split, **means})
    return found


def _chosen(folder: StudyFolder) -> Configuration:
    chosen = final_choice(stored(folder, "selection")).selected
    if chosen is None:
        raise RankgateError(
            "nothing was selected to export", where=folder.root, next_command="rankgate status"
        )
    return chosen


def _of_level(folder: StudyFolder) -> list[str]:
    level = folder.params.fusion.level
    if level == "document":
        return []
    return [f"it fuses documents; keep the best of each {level}_id afterwards"]


def _of_lists(one: Changes) -> str:
    return (
        f"top {one.depth}: other items for {one.sets} of {one.queries} queries, "
        f"the same in another order for {one.orders}"
    )


def _of_measure(one: Mapping[str, Any]) -> str:
    ours, theirs = one.get("ours"), one.get("engine")
    if ours is None or theirs is None:
        return f"{one['measure']} on {one['split']}: not measured"
    difference = f"{theirs - ours:+.4f}"
    return f"{one['measure']} on {one['split']}: {ours:.4f} → {theirs:.4f} ({difference})"
