"""What MLflow is told of a study: tags, parameters, metrics, tables, datasets."""

import json
import math
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from assets.folder import StudyFolder
from assets.results import Results
from assets.tracking.names import key
from assets.wording import decision_lines

LONGEST_PARAMETER, LONGEST_TAG, LONGEST_DIGEST = 6000, 8000, 36
UNDEFINED = "rankgate.undefined/"
SETTINGS = ("method", "rank_constant", "weight_", "depth_")


def tables(results: Results) -> dict[str, pl.DataFrame]:
    """Tables that are logged whole: the grid with its dev values, systems, comparisons."""
    return {
        "grid": grid(results),
        "systems": results.table("systems"),
        "comparisons": results.table("comparisons"),
    }


def grid(results: Results) -> pl.DataFrame:
    """Every configuration with its values on dev.

    Returns:
        step (its place among the metric steps), grids (those it belongs to, joined by `+`),
        CONFIGURATIONS, one column for each measure; sorted by configuration.
    """
    belongs = results.table("grids").group_by("configuration").agg(pl.col("grid").sort())
    values = results.table("results").pivot(
        on="measure", index="configuration", values="value", sort_columns=True
    )
    return (
        results.table("configurations")
        .join(belongs, on="configuration", how="left")
        .join(values, on="configuration", how="left")
        .sort("configuration")
        .with_row_index("step")
        .select("step", pl.col("grid").list.join("+").alias("grids"), pl.exclude("step", "grid"))
    )


def metrics(results: Results) -> Iterator[tuple[str, float, int]]:
    """Name, value and step: every system's values, its deltas, the whole grid as steps.

    What is undefined is left out, since MLflow's charts take no NaN, and stands in `undefined`.
    """
    for row in results.table("systems").iter_rows(named=True):
        yield from _metric(f"{row['split']}/{row['system']}/{row['measure']}", row["value"])
    for row in results.table("comparisons").filter(slice="").iter_rows(named=True):
        name = f"{row['split']}/delta to {row['baseline']}/{row['measure']}"
        yield from _metric(name, row["delta"])
    whole = grid(results)
    for measure in _measures(results):
        for step, value in whole.select("step", measure).iter_rows():
            yield from _metric(f"grid/{measure}", value, step)


def undefined(results: Results) -> Iterator[tuple[str, str]]:
    """For every metric that is left out, a tag that says why there is no value."""
    for row in results.table("systems").iter_rows(named=True):
        if _missing(row["value"]):
            name = f"{row['split']}/{row['system']}/{row['measure']}"
            yield key(UNDEFINED + name), f"no query of {row['split']} on which it is defined"
    for row in results.table("comparisons").filter(slice="").iter_rows(named=True):
        if _missing(row["delta"]):
            name = f"{row['split']}/delta to {row['baseline']}/{row['measure']}"
            yield key(UNDEFINED + name), "no query on which both have a value"
    whole = grid(results)
    for measure in _measures(results):
        missing = sum(map(_missing, whole[measure].to_list()))
        if missing:
            said = (
                f"{missing} of {whole.height} configurations: no dev query on which it is defined"
            )
            yield key(f"{UNDEFINED}grid/{measure}"), said


def _missing(value: float | None) -> bool:
    return value is None or not math.isfinite(value)


def _metric(name: str, value: float | None, step: int = 0) -> Iterator[tuple[str, float, int]]:
    if value is not None and not _missing(value):
        yield key(name), float(value), step


def _measures(results: Results) -> list[str]:
    return sorted(results.table("results")["measure"].unique())


def children(results: Results, number: int) -> list[dict[str, Any]]:
    """The best points of the declared grid by the selection's measure.

    Args:
        results: the study's.
        number: how many at most.

    Returns:
        For each: `configuration`, `settings` and `values`, both by name and without what is null.
    """
    params = results.folder.params
    points = grid(results).filter(pl.col("grids").str.split("+").list.contains("declared"))
    measure = params.selection.measure
    if measure in points.columns:
        points = points.sort([measure, "step"], descending=[True, False], nulls_last=True)
    measures = _measures(results)
    return [
        {
            "configuration": row["configuration"],
            "settings": _kept(row, [name for name in row if name.startswith(SETTINGS)]),
            "values": _kept(row, measures),
        }
        for row in points.head(number).iter_rows(named=True)
    ]


def _kept(row: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    return {name: row[name] for name in names if row[name] is not None}


def tags(results: Results) -> dict[str, str]:
    """The study's word, hashes, data versions and commit; its gates as the run's description."""
    decision, how = results.decision, results.how_measured(("evaluation",))
    content = {
        "rankgate.study": results.folder.params.study,
        "rankgate.word": str(decision["word"]),
        "rankgate.question": results.folder.params.question,
        "mlflow.source.name": "dvc repro",
        "mlflow.note.content": "\n".join(["```", *decision_lines(decision), "```", "", how]),
        "rankgate.how_measured": how,
        **dict(undefined(results)),
        **{f"rankgate.{name}": str(value) for name, value in sorted(decision["hashes"].items())},
        **{key(f"rankgate.data.{'.'.join(k)}"): each for k, each in results.versions.items()},
    }
    commit = _commit(results.folder)
    known = content | ({"mlflow.source.git.commit": commit} if commit else {})
    return {name: value[:LONGEST_TAG] for name, value in known.items()}


def _commit(folder: StudyFolder) -> str:
    try:
        done = subprocess.run(
            ["git", "rev-parse", "--verify", "--quiet", "HEAD"],  # noqa: S607 - the user's own git
            cwd=folder.root,
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError:
        return ""
    return done.stdout.strip()


def datasets(results: Results) -> list[Any]:
    """The collection's parts with their digests, as MLflow's dataset inputs."""
    from mlflow.entities import Dataset, DatasetInput, InputTag

    manifest = results.read("manifest")
    source = json.dumps({"uri": results.folder.params.collection.path})
    profile = json.dumps(manifest["counts"])
    return [
        DatasetInput(
            Dataset(name, digest[:LONGEST_DIGEST], "local", source, profile=profile),
            tags=[InputTag("mlflow.data.context", "study")],
        )
        for name, digest in _flat(manifest["hashes"], between="/")
    ]


def parameters(folder: StudyFolder) -> list[tuple[str, str]]:
    """Every parameter by its dotted key, as text that MLflow takes."""
    return [
        (key(name), value[:LONGEST_PARAMETER])
        for name, value in _flat(folder.params.model_dump(mode="json"), between=".")
    ]


def _flat(content: Mapping[str, Any], *, between: str) -> Iterator[tuple[str, str]]:
    for name, value in content.items():
        if isinstance(value, Mapping):
            yield from ((f"{name}{between}{key}", v) for key, v in _flat(value, between=between))
        else:
            yield str(name), str(value)
