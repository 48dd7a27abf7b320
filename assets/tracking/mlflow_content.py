"""What MLflow is told of a study: tags, parameters, metrics, tables, datasets."""

import json
import subprocess
from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl

from assets.folder import StudyFolder
from assets.tracking.names import mlflow_name
from assets.tracking.results import Results

LONGEST_KEY, LONGEST_PARAMETER, LONGEST_DIGEST = 250, 6000, 36


def tables(results: Results) -> dict[str, pl.DataFrame]:
    """Tables that are logged whole: the grid with its dev values, systems, comparisons."""
    return {
        "grid": results.table("configurations").join(_grid_values(results), on="configuration"),
        "systems": results.table("systems"),
        "comparisons": results.table("comparisons"),
    }


def _grid_values(results: Results) -> pl.DataFrame:
    """The grid's dev values, one row a configuration, one column for each measure."""
    rows = results.table("results").sort("configuration", "measure")
    return rows.pivot(on="measure", index="configuration", values="value", sort_columns=True)


def metrics(results: Results) -> Iterator[tuple[str, float, int]]:
    """Name, value and step: every system's values, then the whole grid as steps."""
    for row in results.table("systems").drop_nulls("value").iter_rows(named=True):
        yield mlflow_name(f"{row['split']}/{row['system']}/{row['measure']}"), row["value"], 0
    for row in _against_baselines(results).iter_rows(named=True):
        name = f"{row['split']}/delta to {row['baseline']}/{row['measure']}"
        yield mlflow_name(name), row["delta"], 0
    grid = _grid_values(results)
    for step, row in enumerate(grid.iter_rows(named=True)):
        yield from (
            (mlflow_name(f"grid/{measure}"), value, step)
            for measure, value in row.items()
            if measure != "configuration" and value is not None
        )


def _against_baselines(results: Results) -> pl.DataFrame:
    rows = results.table("comparisons")
    return rows.filter((pl.col("slice") == "") & pl.col("delta").is_not_null())


def children(results: Results) -> list[dict[str, Any]]:
    """The best configurations by the selection's measure, up to the declared number."""
    params = results.folder.params
    values = _grid_values(results)
    grid = results.table("configurations").join(values, on="configuration", how="left")
    measure = params.selection.measure
    if measure in grid.columns:
        grid = grid.sort([measure, "configuration"], descending=[True, False], nulls_last=True)
    return grid.head(params.tracking.children).to_dicts()


def tags(results: Results) -> dict[str, str]:
    """The study's word, hashes, data versions and commit."""
    decision, hashes = results.decision, results.decision.get("hashes", {})
    tags = {
        "rankgate.study": results.folder.params.study,
        "rankgate.word": str(decision["word"]),
        "rankgate.question": results.folder.params.question,
        **{f"rankgate.{name}": str(value) for name, value in sorted(hashes.items())},
        **{
            f"rankgate.data.{'.'.join(key)}": version for key, version in results.versions().items()
        },
    }
    commit = _commit(results.folder)
    return tags | ({"mlflow.source.git.commit": commit} if commit else {})


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
    from mlflow.entities import Dataset, DatasetInput

    manifest = results.read("manifest")
    return [
        DatasetInput(
            Dataset(
                name=name,
                digest=str(digest)[:LONGEST_DIGEST],
                source_type="local",
                source=json.dumps({"uri": results.folder.params.collection.path}),
                profile=json.dumps(manifest.get("counts", {})),
            )
        )
        for name, digest in sorted(manifest["hashes"].items())
        if isinstance(digest, str)
    ]


def parameters(folder: StudyFolder) -> list[tuple[str, str]]:
    """Every parameter by its dotted key, as text that MLflow takes."""
    return list(_flat(folder.params.model_dump(mode="json")))


def _flat(content: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    for name, value in content.items():
        key = mlflow_name(f"{prefix}{name}")
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield key[:LONGEST_KEY], str(value)[:LONGEST_PARAMETER]
