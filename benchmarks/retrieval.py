"""A branch beside what does its work: bm25s called directly, and a matrix product of numpy alone.

bm25: analysing, indexing and searching the same texts with the same constants, stop words and
stemmer; bm25s with its own tokenizer and defaults (32 bits). The best 100 scores are equal.

dense: searching the same vectors for the best 100, against the bare product that gives every
score: in 32 bits on all cores, nothing selected from it. Of as many vectors, and of eight times.

    python -m benchmarks.retrieval [--passages N] [--quick]
"""

import argparse
from collections.abc import Sequence
from typing import Any

import bm25s
import numpy as np
import Stemmer

from benchmarks.measuring import Pairs, alternate, conclude, introduce
from benchmarks.synthetic import passages, queries
from benchmarks.vectors import WIDTH, compare
from pipeline.candidates.bm25 import open_bm25
from pipeline.candidates.retriever import Ranking
from pipeline.params import Bm25Branch

DEPTH, TIMES = 100, 8
BRANCH = Bm25Branch(kind="bm25")


def main() -> None:
    """Prints the comparisons, then the worst of their ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--passages", type=int, default=50_000)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    count, asked, pairs = (2_000, 20, 1) if given.quick else (given.passages, 250, 5)
    inputs = {"passages": count, "words each": 120, "queries": asked, "dimensions": WIDTH}
    introduce("retrieval", ["bm25s", "numpy", "PyStemmer"], inputs)
    lexical = _lexical(list(passages(count)), queries(asked), pairs)
    print(lexical.lines("bm25 branch", "bm25s directly"))
    print(f"bm25 against bm25s: {lexical.slower:.2f} times its seconds")
    ratios = [lexical.slower]
    for many in (count, count * TIMES):
        dense = compare(many, asked, DEPTH, pairs * 3)
        print(dense.lines("dense branch", "numpy product alone"))
        print(f"dense against the product: {dense.slower:.2f} times its seconds")
        ratios.append(dense.slower)
    conclude(max(ratios), "times the other's seconds, the worst of the three")


def _lexical(texts: Sequence[str], asked: Sequence[str], pairs: int) -> Pairs:
    def ours() -> list[Ranking]:
        return open_bm25(BRANCH, texts).search_many(asked, None, DEPTH)

    def theirs() -> Any:
        stemmer = Stemmer.Stemmer("english")
        quiet: dict[str, Any] = {"stopwords": "en", "stemmer": stemmer, "show_progress": False}
        index = bm25s.BM25(k1=BRANCH.k1, b=BRANCH.b, method="lucene")
        index.index(bm25s.tokenize(texts, **quiet), show_progress=False)
        words = bm25s.tokenize(asked, return_ids=False, **quiet)
        return index.retrieve(words, k=DEPTH, show_progress=False).scores

    for ranking, scores in zip(ours(), theirs(), strict=True):
        np.testing.assert_allclose(ranking.scores, scores[: len(ranking)], rtol=1e-4)
    return alternate(ours, theirs, pairs)


if __name__ == "__main__":
    main()
