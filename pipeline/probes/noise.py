"""Documents that answer nothing: words of the collection, drawn at random."""

import numpy as np
import polars as pl

from pipeline.probes.canaries import free_prefix
from pipeline.tables import DOCUMENTS

# A collection is not drowned: at most this part of it is added.
_PART = 100

# Of how many documents the usual length is taken.
_MEASURED = 1000


def noise_documents(documents: pl.DataFrame, count: int, seed: int) -> pl.DataFrame:
    """Public documents of the collection's own words in an order that says nothing.

    Args:
        documents: DOCUMENTS, sorted by doc_id.
        count: how many; at most one for a hundred documents, and one at least.
        seed: the study's.

    Returns:
        DOCUMENTS; none where no document has text. Each word is one of a document drawn at
        random, so that frequent words stay frequent.
    """
    texts = documents["text"].drop_nulls()
    worded = texts.filter(texts.str.contains(r"\S"))
    if worded.is_empty():
        return DOCUMENTS.empty()
    drawn = np.random.default_rng([seed, 0x6E6F697365])  # its own stream: "noise"
    usual = worded.gather_every(max(1, len(worded) // _MEASURED)).head(_MEASURED)
    length = max(1, int(np.median([len(text.split()) for text in usual])))
    prefix = free_prefix(documents, "noise")
    rows = []
    for number in range(max(1, min(count, documents.height // _PART))):
        chosen = drawn.integers(len(worded), size=length).tolist()
        words = [drawn.choice(worded[place].split()) for place in chosen]
        name = f"{prefix}{number}"
        rows.append(
            dict.fromkeys(DOCUMENTS.columns)
            | {"doc_id": name, "evidence_id": name, "source_id": name, "text": " ".join(words)}
        )
    return DOCUMENTS.check(pl.DataFrame(rows, schema=dict(DOCUMENTS.columns)))
