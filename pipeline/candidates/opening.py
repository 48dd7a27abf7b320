"""From a branch's parameters to its opened engine."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import polars as pl

from pipeline.cache import Cache
from pipeline.candidates.bm25 import open_bm25
from pipeline.candidates.dense import DenseRetriever
from pipeline.candidates.encoders import Encoder
from pipeline.candidates.encoders.lsa import LsaEncoder
from pipeline.candidates.encoders.precomputed import PrecomputedEncoder
from pipeline.candidates.encoders.static import StaticEncoder
from pipeline.candidates.retriever import Retriever
from pipeline.errors import InputError, MissingError, ParameterError, key
from pipeline.memory import refuse_beyond
from pipeline.params import AnyBranch, Bm25Branch, DenseBranch
from pipeline.recorded import Vectors

# Of a stage's process before it indexes, and its peak for each byte of text, both measured with
# 400,000 passages of 120 words: 2.5 GB (bm25), 1.9 GB (static); lsa with 200 dimensions, 3.1 GB.
_AT_LEAST = 0.3e9
_BYTES_PER_LETTER = {"bm25": 7.5, "static": 5.5, "lsa": 10.0}

_Branch = TypeVar("_Branch", bound=AnyBranch)


@dataclass(frozen=True, slots=True)
class _Sources:
    """What a branch is opened on, besides its parameters."""

    documents: pl.DataFrame
    vectors: Vectors | None
    seed: int
    name: str
    cache: Cache | None

    @property
    def texts(self) -> list[str | None]:
        return texts_of(self.documents, branch=self.name)


def open_branch(
    branch: AnyBranch,
    documents: pl.DataFrame,
    vectors: Vectors | None = None,
    *,
    seed: int = 0,
    name: str = "branch",
    cache: Cache | None = None,
) -> Retriever:
    """Indexes the documents for one branch.

    Args:
        branch: the branch's parameters.
        documents: table DOCUMENTS, sorted by doc_id; masks and positions of the retriever run
            along its rows.
        vectors: for the encoder `precomputed`.
        seed: for whatever is fitted from random numbers.
        name: the branch's name, for messages.
        cache: where indexes and embeddings may be kept; None keeps nothing.

    Returns:
        The retriever: `search(query, mask, depth)`.

    Raises:
        InputError: there are no documents, or none with text where the branch reads text.
        MissingError: the model, engine or vectors are not there.
        ParameterError: a recorded branch, which has no engine to open; an unknown language.
    """
    if not documents.height:
        raise InputError("no documents", where=f"branch {name}", expected="at least one document")
    if not documents["doc_id"].is_sorted():
        raise InputError("documents not in id order", where=f"branch {name}")
    _refuse_too_large(branch, documents, f"candidates.{name}")
    with key(f"candidates.{name}"):
        return _KINDS[branch.kind](branch, _Sources(documents, vectors, seed, name, cache))


def _refuse_too_large(branch: AnyBranch, documents: pl.DataFrame, where: str) -> None:
    engine = branch.encoder if isinstance(branch, DenseBranch) else branch.kind
    letters = sum(int(documents[name].str.len_bytes().sum()) for name in ("title", "text"))
    refuse_beyond(
        _AT_LEAST + letters * _BYTES_PER_LETTER.get(engine, 0),
        f"indexing {documents.height} documents",
        where=where,
        next_command="a machine with more memory, or fewer documents in the collection",
    )


def texts_of(documents: pl.DataFrame, *, branch: str) -> list[str | None]:
    """Title and text of each document, on two lines; None where there is neither.

    Raises:
        InputError: no document has either.
    """
    texts = documents.select(
        pl.when(pl.col("title").is_not_null() | pl.col("text").is_not_null()).then(
            pl.concat_str("title", "text", separator="\n", ignore_nulls=True)
        )
    ).to_series()
    if texts.null_count() == len(texts):
        raise InputError(
            "the branch searches text, and no document has any",
            where=f"branch {branch}",
            found="neither title nor text in the collection",
            expected="text in documents.jsonl, or kind: recorded, or precomputed vectors",
        )
    return texts.to_list()


def _open_bm25(branch: AnyBranch, given: _Sources) -> Retriever:
    return open_bm25(_as(branch, Bm25Branch), given.texts, given.cache)


def _open_dense(branch: AnyBranch, given: _Sources) -> Retriever:
    dense = _as(branch, DenseBranch)
    return DenseRetriever(_ENCODERS[dense.encoder](dense, given), dense.similarity)


def _static(_: DenseBranch, given: _Sources) -> Encoder:
    return StaticEncoder(given.texts, given.cache)


def _lsa(branch: DenseBranch, given: _Sources) -> Encoder:
    # Imported here: it brings scipy, which no other encoder needs.
    from pipeline.statistics.seeds import named_seed

    solver = named_seed(given.seed, "lsa", given.name) % 2**32
    return LsaEncoder(given.texts, dimensions=branch.dimensions, seed=solver, cache=given.cache)


def _precomputed(branch: DenseBranch, given: _Sources) -> Encoder:
    if given.vectors is None:
        raise MissingError(
            "the branch's vectors are not there",
            where=f"branch {given.name}",
            found=f"no vectors/{branch.vectors}.documents and .queries",
            expected="both files, .npy or .parquet, in the collection",
        )
    ids = given.documents["doc_id"].to_list()
    return PrecomputedEncoder(ids, given.vectors, where=str(branch.vectors))


def _no_engine(_: AnyBranch, given: _Sources) -> Retriever:
    raise ParameterError(
        "a recorded branch has no engine to open",
        where=f"branch {given.name}",
        expected="kind: bm25 or dense",
    )


def _as(branch: AnyBranch, kind: type[_Branch]) -> _Branch:
    if not isinstance(branch, kind):
        raise ParameterError("wrong kind of branch", found=branch.kind, expected=kind.__name__)
    return branch


_Open = Callable[[AnyBranch, _Sources], Retriever]
_KINDS: Mapping[str, _Open] = {"bm25": _open_bm25, "dense": _open_dense, "recorded": _no_engine}
_Encode = Callable[[DenseBranch, _Sources], Encoder]
_ENCODERS: Mapping[str, _Encode] = {
    "static": _static,
    "lsa": _lsa,
    "precomputed": _precomputed,
}
