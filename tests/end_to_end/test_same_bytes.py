"""The same inputs give the same bytes: for other hash seeds, thread counts and orders of work."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.storage import read_json, write_text

pytestmark = pytest.mark.slow

WORDS = [f"word{letter}" for letter in "abcdefghijklmno"]
CODE = """
import sys
from pathlib import Path
from assets.artifacts import ARTIFACTS
from assets.folder import StudyFolder
from assets.records import LEDGER
from assets.runner import run_stage
from assets.stages import STAGES
from pipeline.appending import append_lines
from pipeline.ledger import opening_line
from pipeline.study import UNDATED
folder = StudyFolder(Path(sys.argv[1]))
for stage in STAGES:
    for branch in sorted(folder.params.candidates) if stage.per_branch else [None]:
        run_stage(folder, stage.name, branch)
    if stage.name == "selection":  # the test is opened: later stages show it beside dev
        chosen = ARTIFACTS["selection"].read(folder, None)
        append_lines(folder.root / LEDGER, [opening_line(chosen, opened_at=UNDATED)])
"""


def write_study(root: Path) -> None:
    """Fifteen queries over sixty texts, one branch of every kind that computes something."""
    collection = root / "data" / "collections" / "small"
    texts = {
        f"d{n:02}": " ".join(WORDS[(n * step + step) % 15] for step in range(1, 8))
        for n in range(60)
    }
    queries = {f"q{n:02}": f"{WORDS[n]} {WORDS[(n * 4 + 1) % 15]}" for n in range(15)}
    _write(collection / "documents.jsonl", [{"doc_id": d, "text": t} for d, t in texts.items()])
    _write(collection / "queries.jsonl", [{"query_id": q, "text": t} for q, t in queries.items()])
    _write(
        collection / "judgments" / "one.jsonl",
        [
            {"query_id": q, "evidence_id": d, "grade": len(set(query.split()) & set(text.split()))}
            for q, query in queries.items()
            for d, text in texts.items()
            if (int(q[1:]) + int(d[1:])) % 3 == 0
        ],
    )
    for record in ("ledger", "times"):
        write_text(root / "data" / f"{record}.jsonl", "")
    sides = [
        {"query_id": q, "group_id": q, "side": ("dev", "test")[n % 2], "fold": None}
        for n, q in enumerate(queries)
    ]
    _write(root / "data" / "sides.jsonl", sides)
    params = {
        "study": "small",
        "collection": {"path": "data/collections/small", "scale": [0, 2]},
        "candidates": {
            "bm25": {"kind": "bm25", "depth": 20},
            "static": {"kind": "dense", "encoder": "static", "depth": 20},
            "lsa": {"kind": "dense", "encoder": "lsa", "dimensions": 5, "depth": 20},
        },
        "splits": {"independent": True},
        "sweep": {"rank_constants": [1, 60], "weight_step": 0.25, "depths": [20]},
        "evaluation": {"resamples": 200},
    }
    write_text(root / "params.yaml", json.dumps(params, indent=1))


def _write(path: Path, lines: list[dict[str, object]]) -> None:
    write_text(path, "".join(f"{json.dumps(line)}\n" for line in lines))


def bytes_written(root: Path, **variables: str) -> dict[str, str]:
    """Every output to its digest, after a run of the whole chain in a process of its own."""
    write_study(root)
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(root)],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted((root / "data").rglob("*"))
        if path.is_file()
    }


def test_other_threads_and_hash_seeds_write_the_same_bytes(tmp_path: Path) -> None:
    one = bytes_written(
        tmp_path / "one",
        PYTHONHASHSEED="0",
        POLARS_MAX_THREADS="1",
        OMP_NUM_THREADS="1",
        OPENBLAS_NUM_THREADS="1",
    )
    two = bytes_written(
        tmp_path / "another" / "place",
        PYTHONHASHSEED="4242",
        POLARS_MAX_THREADS="4",
        OMP_NUM_THREADS="4",
        OPENBLAS_NUM_THREADS="4",
        TZ="Asia/Tokyo",
        LC_ALL="C",
    )
    assert len(one) > 40
    decision = read_json(tmp_path / "one" / "data" / "decision" / "decision.json")
    assert decision["word"] != "sealed"
    assert {name for name in one | two if one.get(name) != two.get(name)} == set()
