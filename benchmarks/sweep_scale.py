"""The largest grid: 10,000 queries × 2,000 configurations × 3 branches × depth 200, on files.

A child process runs the stage as `rankgate run sweep` does, from Parquet to Parquet, then another
one `rankgate run selection`; seconds, peak memory and bytes written are printed. The ratio is the
stage's peak memory over what the program had said it would need.

    python -m benchmarks.sweep_scale [--quick]
"""

import argparse
import json
import tempfile
from pathlib import Path

from benchmarks.alone import Spent, run_alone
from benchmarks.lists import made_lists, study_of
from benchmarks.measuring import conclude, introduce
from pipeline.appending import append_lines
from pipeline.grid.points import declared_points
from pipeline.storage import read_json, write_json, write_table
from pipeline.tables import BRANCH_CANDIDATES, DEV_JUDGMENTS, QUERIES, SPLITS

BRANCHES, DEPTH = 3, 200
GRID = {
    "measures": ["nDCG@10", "R@100"],
    "methods": ["rrf", "convex_minmax"],
    "rank_constants": [1, 5, 10, 20, 40, 60, 80, 100],
    "depths": [DEPTH],
}


def main() -> None:
    """Prints both stages' seconds and memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true")
    queries, step = (200, 0.25) if parser.parse_args().quick else (10_000, 0.05)
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        points = _write_study(root, queries, step)
        inputs = {"queries": queries, "points": points, "branches": BRANCHES, "deep": DEPTH}
        introduce("sweep_scale", ["numpy", "polars"], inputs)
        sweep = _stage("sweep", root)
        _stage("selection", root)
        stated = read_json(root / "data" / "sweep" / "summary.json")["memory_gb"]
    print(f"the sweep stated {stated} GB")
    conclude(sweep.peak / stated, "peak memory of the sweep, times what it stated")


def _write_study(root: Path, queries: int, step: float) -> int:
    sections = {
        "sweep": GRID | {"weight_step": step},
        "selection": {"measure": "nDCG@10"},
        "evaluation": {"measures": ["nDCG@10"]},
    }
    params, made = study_of(BRANCHES, DEPTH, **sections), made_lists(queries, BRANCHES, DEPTH)
    (root / "params.yaml").write_text(
        json.dumps(params.model_dump(mode="json", exclude_none=True)), encoding="utf-8"
    )
    data = root / "data"
    for name in params.candidates:
        mine = made.candidates.filter(made.candidates["branch"] == name).drop("branch")
        write_table(data / "candidates" / name / "candidates.parquet", mine, BRANCH_CANDIDATES)
        write_json(data / "candidates" / name / "manifest.json", {"contract_digest": name})
    write_table(data / "splits" / "splits.parquet", made.splits, SPLITS)
    write_table(data / "splits" / "dev_judgments.parquet", made.judgments, DEV_JUDGMENTS)
    write_table(data / "snapshot" / "queries.parquet", made.queries, QUERIES)
    for record in ("ledger", "times"):
        append_lines(data / f"{record}.jsonl", [])
    return declared_points(params)


def _stage(name: str, root: Path) -> Spent:
    spent = run_alone(root, name)
    written = sum(file.stat().st_size for file in (root / "data" / name).rglob("*.parquet"))
    print(f"{spent.line(name)}   {written / 1e6:,.0f} MB written", flush=True)
    return spent


if __name__ == "__main__":
    main()
