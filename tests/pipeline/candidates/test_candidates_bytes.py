"""The same bytes for one thread and two, and for any hash seed."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys
import numpy as np
from pathlib import Path
from pipeline.candidates import compute
from pipeline.storage import to_json, write_table
from pipeline.tables import BRANCH_CANDIDATES
from tests.rows import documents, params, queries

random = np.random.default_rng(7)
words = [f"w{i}" for i in range(400)]
text = lambda: " ".join(random.choice(words, 40, p=None))
docs = documents({f"d{i}": text() for i in range(600)})
asked = queries({f"q{i}": text() for i in range(40)})
kinds = {
    "bm25": {"kind": "bm25"},
    "static": {"kind": "dense"},
    "lsa": {"kind": "dense", "encoder": "lsa", "dimensions": 50},
}
for name in kinds:
    result = compute(documents=docs, queries=asked, branch=name, params=params(kinds))
    write_table(Path(sys.argv[1]) / f"{name}.parquet", result.candidates, BRANCH_CANDIDATES)
    (Path(sys.argv[1]) / f"{name}.json").write_text(to_json(result.manifest))
"""


def digests(folder: Path, *, threads: str, hash_seed: str) -> dict[str, str]:
    folder.mkdir()
    environment = os.environ | {"PYTHONHASHSEED": hash_seed}
    for library in ("OPENBLAS", "OMP", "MKL", "POLARS_MAX"):
        name = "POLARS_MAX_THREADS" if library == "POLARS_MAX" else f"{library}_NUM_THREADS"
        environment[name] = threads
    subprocess.run(
        [sys.executable, "-c", SCRIPT, str(folder)],
        check=True,
        env=environment,
        cwd=Path(__file__).parents[3],
    )
    return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in sorted(folder.iterdir())}


@pytest.mark.slow
def test_threads_and_hash_seeds_change_no_byte(tmp_path: Path) -> None:
    one = digests(tmp_path / "one", threads="1", hash_seed="0")
    two = digests(tmp_path / "two", threads="2", hash_seed="1")
    assert len(one) == 6
    assert one == two
