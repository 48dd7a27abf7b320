"""Retrieval at scale: snapshot, bm25 and dense over many made-up passages, on files.

Each stage runs in a process of its own; its seconds and peak memory are printed. The ratio is the
seconds of all three over six minutes for each 400,000 passages.

    python -m benchmarks.retrieval_scale [--passages N] [--quick]
"""

import argparse
import tempfile
from pathlib import Path

from benchmarks.alone import run_alone
from benchmarks.measuring import conclude, introduce
from benchmarks.studies import founded_study
from benchmarks.synthetic import WORDS, write_collection

QUERIES = 250
SECONDS, PASSAGES = 360, 400_000  # the aim
STAGES = (("snapshot",), ("candidates", "bm25"), ("candidates", "dense"))


def main() -> None:
    """Prints what each stage took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=PASSAGES)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    passages, queries = (2_000, 30) if given.quick else (given.passages, QUERIES)
    inputs = {"passages": passages, "words each": WORDS, "queries": queries}
    introduce("retrieval_scale", ["numpy", "polars", "bm25s", "wordllama"], inputs)
    with tempfile.TemporaryDirectory() as place:
        collection, root = Path(place, "collection"), Path(place, "study")
        write_collection(collection, passages, queries)
        founded_study(root, points=9, queries=queries, collection=collection)
        spent = []
        for stage in STAGES:
            spent.append(run_alone(root, *stage))
            print(spent[-1].line(" ".join(stage)), flush=True)
    allowed = SECONDS * passages / PASSAGES
    conclude(sum(each.wall for each in spent) / allowed, "of the seconds that are allowed")


if __name__ == "__main__":
    main()
