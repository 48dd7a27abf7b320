"""The grid as a picture: how much the choice of constants and weights matters on dev."""

from typing import Any

import polars as pl

from pipeline.fusion import Configuration
from pipeline.report.blocks import Block, Cell, Facts, Paragraph, Row, Section, Table
from pipeline.report.measured import measure_note
from pipeline.report.numbers import cell, count, signed, value
from pipeline.report.sections.grid_pictures import pictures
from pipeline.report.sections.tied_points import tied_points
from pipeline.report.stored import Stored

SHOWN = 12


def sensitivity(stored: Stored) -> Section:
    """Pictures, the best points, the tied region, and what the search is worth out of bag."""
    points = grid_points(stored)
    blocks: list[Block] = [Paragraph(_reason(stored)), *_facts(stored, points)]
    if points.is_empty():
        blocks.append(Paragraph("No configuration was swept on judged dev queries."))
    else:
        blocks += [Row(list(pictures(stored, points))), _best(stored, points)]
    return Section(
        "sensitivity",
        "Sensitivity of the grid",
        "Does it matter which rank constant, weights and method are chosen?",
        blocks,
    )


def grid_points(stored: Stored) -> pl.DataFrame:
    """The declared grid with its values on dev.

    Returns:
        CONFIGURATIONS with `value, delta_to_best, standard_error, tied` of the primary measure,
        and `selected`; the best first.
    """
    declared = stored.grids.filter(pl.col("grid") == "declared").select("configuration")
    values = stored.results.filter(
        (pl.col("measure") == stored.measure) & pl.col("value").is_not_null()
    ).drop("measure")
    chosen = (stored.selection.get("configuration") or {}).get("id")
    return (
        stored.configurations.join(declared, on="configuration", how="semi")
        .join(values, on="configuration")
        .with_columns((pl.col("configuration") == pl.lit(chosen)).alias("selected"))
        .sort(["value", "configuration"], descending=[stored.more_is_better, False])
    )


def _reason(stored: Stored) -> str:
    reason = stored.selection.get("reason") or "Nothing was selected"
    mode = stored.selection.get("mode") or stored.params.selection.mode
    return f"Selected (mode {mode}): {reason}."


def _facts(stored: Stored, points: pl.DataFrame) -> list[Block]:
    dev = stored.selection.get("dev") or {}
    region: dict[str, Any] = stored.selection.get("region") or {}
    rows = [
        ("selected on dev", value(dev.get("value"))),
        (
            "the grid's best on dev",
            f"{value(dev.get('best'))} {region.get('best_description', '')}",
        ),
        ("the rule out of bag", f"{value(dev.get('out_of_bag'))}: {_cursed(dev)}"),
        (
            "best convex, best branch",
            f"{value(dev.get('best_convex'))}, {value(dev.get('best_branch'))}",
        ),
        ("tied with the best", _tied(region)),
        *tied_points(points),
        ("stability", str(stored.selection.get("stability", "not_applicable")).replace("_", " ")),
        *_excluded(stored.selection.get("excluded") or {}),
    ]
    return [Facts(rows), *_folds(stored)]


def _cursed(dev: dict[str, Any]) -> str:
    if dev.get("out_of_bag") is None or dev.get("value") is None:
        return "not estimated, nothing was searched"
    gap = signed(dev["out_of_bag"] - dev["value"])
    return f"{gap} to what the choice shows on the queries that chose it"


def _tied(region: dict[str, Any]) -> str:
    if not region:
        return "nothing was searched"
    edges = ", ".join(region["edges"])
    edge = f"; the best lies on the edge of {edges}" if edges else ""
    return (
        f"{region['tied']} of {count(region['points'], 'point')} within one standard error of the "
        f"paired difference, {region['stable']} of them stable{edge}"
    )


def _excluded(excluded: dict[str, Any]) -> list[tuple[str, str]]:
    if not excluded.get("points"):
        return []
    slices = ", ".join(f"{name} {number}" for name, number in sorted(excluded["slices"].items()))
    slow = excluded["latency"]["points"]
    said = f"{count(excluded['points'], 'point')}; by slice: {slices or 'none'}; by latency: {slow}"
    return [("excluded first", said + ("; overruled, all were" if excluded["overruled"] else ""))]


def _folds(stored: Stored) -> list[Block]:
    folds = stored.selection.get("folds")
    if not folds:
        return []
    return [
        Table(
            "Crossfit: what was chosen without each fold",
            ["fold", "configuration"],
            [[fold, chosen["description"]] for fold, chosen in sorted(folds.items())],
            note="Held-out figures are the procedure's, fold by fold; the configuration shipped "
            "is chosen on all queries.",
        )
    ]


def _best(stored: Stored, points: pl.DataFrame) -> Table:
    head = points.head(SHOWN)
    chosen = points.filter("selected")
    rows = (
        head
        if chosen.is_empty() or chosen["configuration"][0] in head["configuration"]
        else (pl.concat([head, chosen]))
    )
    return Table(
        f"The best {head.height} of {count(points.height, 'point')} by {stored.measure} on dev",
        ["configuration", stored.measure, "less the best", "standard error", "tied"],
        [
            [
                Cell(Configuration.from_row(row).describe(), "chosen" if row["selected"] else ""),
                cell(value(row["value"])),
                cell(signed(row["delta_to_best"])),
                cell(value(row["standard_error"])),
                "tied" if row["tied"] else "no",
            ]
            for row in rows.iter_rows(named=True)
        ],
        note="All points: data/sweep/results.parquet. "
        + measure_note(stored, [stored.measure], side="dev"),
        folded=True,
    )
