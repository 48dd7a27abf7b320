"""Full studies of judged collections: import, init, every stage, the opening; a table of words.

    python -m benchmarks.full_studies --collections ../shared/collections [NAME ...]

Each study is made by `rankgate import` and `rankgate init`, as docs/studies.md shows. Its stages
then run in this one process, by the function that each line of dvc.yaml calls, and the opening is
the line that `rankgate open` appends; DVC, MLflow and Dagster would give the same values later.
Studies of run files are `rankgate study`. The last column is the first step of the decision.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import yaml

from assets.folder import StudyFolder
from assets.runner import run_stage
from assets.stages import STAGES
from pipeline.appending import append_lines
from pipeline.ledger import opening_line
from pipeline.storage import read_json
from pipeline.study import UNDATED

CHECKOUT = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Wanted:
    """A study: what follows `rankgate import FOLDER --name NAME` or `rankgate study`.

    Args:
        options: of the import; none for a study of run files.
        runs: names of run files, for a study of run files.
        params: for these, parameters that differ from the defaults.
        language: of bm25's stemmer and stop words.
    """

    options: str = ""
    runs: tuple[str, ...] = ()
    params: str = ""
    language: str = "english"


STUDIES = {
    "dl19-passage-runs": Wanted(runs=("bm25.run", "tasb.run"), params="collection: {rel: 2}"),
    "trec-covid-r1-runs": Wanted(
        runs=("smith.bm25.run.gz", "CSIROmedNIR.run.gz"),
        params="{collection: {scale: [0, 2]}, splits: {independent: true}}",
    ),
    "scifact": Wanted("--format beir --split test --regime sparse --scale 0 1 --rel 1"),
    "medline": Wanted("--format beir --regime exhaustive --scale 0 1 --rel 1"),
    "stackfaq": Wanted("--format beir --regime exhaustive --scale 0 1 --rel 1"),
    "musique-100": Wanted("--format beir --regime sparse --scale 0 1 --rel 1"),
    "xquad-en": Wanted("--format beir --regime sparse --scale 0 1 --rel 1"),
    "xquad-de": Wanted("--format beir --regime sparse --scale 0 1 --rel 1", language="german"),
    "handbook": Wanted(),
}


@click.command(help=__doc__)
@click.argument("names", nargs=-1, type=click.Choice(sorted(STUDIES)))
@click.option("--collections", type=click.Path(exists=True, path_type=Path), required=True)
@click.option("--out", type=click.Path(path_type=Path), help="Keep the studies here.")
def main(names: Sequence[str], collections: Path, out: Path | None) -> None:
    """Runs the studies one after the other and prints a line for each."""
    with tempfile.TemporaryDirectory() as scratch:
        root = out or Path(scratch)
        root.mkdir(parents=True, exist_ok=True)
        for name in names or STUDIES:
            start = time.perf_counter()
            data = studied(name, collections / name, root / name)
            print(row(name, data, time.perf_counter() - start), flush=True)


def studied(name: str, source: Path, root: Path) -> Path:
    """Makes and opens one study; gives back the folder of its results."""
    wanted = STUDIES[name]
    root.mkdir()
    if wanted.runs:
        return of_runs(wanted, source, root)
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    if name == "handbook":
        records = [f"data/{record}.jsonl" for record in ("sides", "ledger", "times")]
        for part in ("params.yaml", "data/collections", *records):
            copied(CHECKOUT / part, root / part)
    else:
        rankgate(root, "import", str(source), *wanted.options.split(), "--name", name)
        collection = f"data/collections/{name}"
        rankgate(root, "init", ".", "--collection", collection)
        in_language(root / "params.yaml", wanted.language)
    opened(StudyFolder(root))
    return root / "data"


def of_runs(wanted: Wanted, source: Path, root: Path) -> Path:
    """`rankgate study` on run files."""
    params = root / "params.yaml"
    params.write_text(yaml.safe_dump(yaml.safe_load(wanted.params)), encoding="utf-8")
    named = [f"{file.split('.run')[0]}={source / 'runs' / file}" for file in wanted.runs]
    words = [word for run in named for word in ("--run", run)]
    words += ["--judgments", str(source / "qrels.txt"), "--params", str(params)]
    rankgate(root, "study", *words, "--out", str(root / "data"))
    return root / "data"


def in_language(path: Path, language: str) -> None:
    """Writes the language of bm25 into params.yaml."""
    params = yaml.safe_load(path.read_text(encoding="utf-8"))
    params["candidates"]["bm25"]["language"] = language
    path.write_text(yaml.safe_dump(params, sort_keys=False), encoding="utf-8")


def opened(folder: StudyFolder) -> None:
    """Every stage, with the selection's opening in the ledger as soon as there is a selection."""
    for stage in STAGES:
        for branch in sorted(folder.params.candidates) if stage.per_branch else [None]:
            run_stage(folder, stage.name, branch)
        if stage.name == "selection":
            selection = read_json(folder.root / "data/selection/selection.json")
            ledger = folder.root / "data/ledger.jsonl"
            if not ledger.read_text(encoding="utf-8").strip():
                append_lines(ledger, [opening_line(selection, opened_at=UNDATED)])
                run_stage(folder, "selection")


def row(name: str, data: Path, seconds: float) -> str:
    """A line of the table: name, word, configuration, the primary gate's reason, next step."""
    decision: dict[str, Any] = json.loads((data / "decision/decision.json").read_text())
    primary = next(gate for gate in decision["gates"] if gate["gate"] == "primary")
    failed = [
        f"{gate['gate']} {gate['status']}"
        for gate in decision["gates"]
        if gate["required"] and gate["status"] not in ("pass", "not_applicable")
    ]
    cells = [
        name,
        decision["word"],
        decision["selected"]["description"],
        primary["reason"],
        ", ".join(failed),
        (decision.get("next") or [""])[0],
        f"{seconds:.0f} s",
    ]
    return "| " + " | ".join(cells) + " |"


def copied(source: Path, target: Path) -> None:
    """A file or a folder, copied."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)


def rankgate(folder: Path, *arguments: str) -> None:
    """`rankgate` in a process of its own; ends this one where it fails."""
    command = [sys.executable, "-m", "assets", *arguments]
    where = {"PYTHONPATH": str(CHECKOUT)}
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **where}, capture_output=True, text=True
    )
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
