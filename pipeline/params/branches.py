"""The `candidates` section: what a branch of each kind may be told."""

from typing import Annotated, Literal

from pydantic import Field, model_validator

from pipeline.params.section import Positive, Section, Share


class Branch(Section):
    """What every branch has: its kind and its depth."""

    depth: Positive = 100

    @property
    def least_score(self) -> float | None:
        """The lowest score the branch could ever give, where its kind tells."""
        return None


class Bm25Branch(Branch):
    """BM25 over title and text (Lucene's variant)."""

    kind: Literal["bm25"]
    k1: Annotated[float, Field(gt=0)] = 0.9
    b: Share = 0.4
    language: str = "english"  # Snowball stemmer and stop words; "none" switches both off

    @property
    def least_score(self) -> float | None:
        """0, the score of a document that matches nothing."""
        return 0.0


class DenseBranch(Branch):
    """Exact search over vectors.

    `static`: word vectors shipped with wordllama; `lsa`: fitted on the documents;
    `precomputed`: `vectors: NAME`, the collection's `vectors/NAME.documents` and
    `vectors/NAME.queries` (.npy or .parquet).
    """

    kind: Literal["dense"]
    encoder: Literal["static", "lsa", "precomputed"] = "static"
    dimensions: Positive = 200
    vectors: str | None = None
    similarity: Literal["cosine", "dot"] = "cosine"

    @model_validator(mode="after")
    def _files(self) -> "DenseBranch":
        if (self.encoder == "precomputed") != (self.vectors is not None):
            raise ValueError("vectors goes with encoder: precomputed, and only with it")
        return self

    @property
    def least_score(self) -> float | None:
        """-1 for cosine; dot products have none."""
        return -1.0 if self.similarity == "cosine" else None


class RecordedBranch(Branch):
    """A recorded run, taken as it is."""

    kind: Literal["recorded"]
    run: str
    order: Literal["score", "rank", "file"] = "score"
    higher_is_better: bool = True


AnyBranch = Annotated[Bm25Branch | DenseBranch | RecordedBranch, Field(discriminator="kind")]
