"""Which evidence and source a document carries, and what content is the same content."""

import hashlib
import json
import unicodedata
from collections.abc import Iterable, Iterator

import polars as pl

from pipeline.errors import ContractError, first_three
from pipeline.params import AnyBranch

UNSEEN = ("Cc", "Cf")  # control signs, and those that only say how others are to be shown


def carried(documents: pl.DataFrame) -> pl.DataFrame:
    """What each document carries.

    Args:
        documents: table DOCUMENTS.

    Returns:
        doc_id, evidence_id, source_id; key doc_id, sorted by it.
    """
    return documents.select("doc_id", "evidence_id", "source_id").sort("doc_id")


def attach(listed: pl.DataFrame, documents: pl.DataFrame, *, where: object = None) -> pl.DataFrame:
    """Adds evidence_id and source_id to rows that name documents.

    Args:
        listed: any frame with doc_id.
        documents: table DOCUMENTS.
        where: file or name of the list, for messages.

    Returns:
        The same rows in the same order, with evidence_id and source_id.

    Raises:
        ContractError: a document is not in the collection.
    """
    joined = listed.drop("evidence_id", "source_id", strict=False).join(
        carried(documents), on="doc_id", how="left", validate="m:1", maintain_order="left"
    )
    strangers = joined.filter(pl.col("evidence_id").is_null())
    if strangers.height:
        raise ContractError(
            "documents that are not in the collection",
            where=where,
            found=first_three(strangers["doc_id"].unique().sort().to_list()),
            expected="ids of documents.jsonl",
        )
    return joined


def digest(frame: pl.DataFrame) -> str:
    """SHA-256 of a table's content.

    The same for any order of rows and columns; a column of nothing but nulls counts as absent,
    so that a column added to a table's form later changes nothing.

    Args:
        frame: a table without nested columns in its key.
    """
    named = frame.select(
        sorted(name for name in frame.columns if frame[name].null_count() < len(frame))
    )
    plain = [name for name, kind in named.schema.items() if not kind.is_nested()]
    ordered = named.sort(plain, nulls_last=True, maintain_order=True) if plain else named
    hashed = hashlib.sha256(f"{len(frame)} rows".encode())
    for piece in _pieces(ordered):
        hashed.update(piece)
    return hashed.hexdigest()


def digest_json(content: object) -> str:
    """SHA-256 of JSON content; the same for any order of keys.

    Raises:
        ContractError: NaN or infinity, which JSON cannot hold.
    """
    return hashlib.sha256(_canonical(content)).hexdigest()


def contract_digest(branch: AnyBranch, documents_digest: str) -> str:
    """Digest of all that a branch is: its parameters and the documents it searches."""
    return digest_json({"branch": branch.model_dump(mode="json"), "documents": documents_digest})


def alike(names: Iterable[str]) -> list[list[str]]:
    """Ids that differ only by what a reader cannot see: to them one, and never joined.

    Blanks around an id, signs without a look of their own, and Unicode normal form.

    Returns:
        Pairs of an id and the one it looks like: the plain one in NFC, else the smallest; sorted.
    """
    known = set(names)
    looks: dict[str, set[str]] = {}
    for name in known:
        look = _look(name)
        if look != name:
            looks.setdefault(look, set()).add(name)
    pairs = []
    for look, odd in looks.items():
        shown = look if look in known else min(odd)
        pairs += [[name, shown] for name in odd - {shown}]
    return sorted(pairs)


def _look(name: str) -> str:
    """What a reader sees of an id."""
    if name.isascii() and name.isprintable():
        return name.strip(" ")
    composed = unicodedata.normalize("NFC", name)
    return "".join(sign for sign in composed if unicodedata.category(sign) not in UNSEEN).strip()


def same_text(text: str) -> str:
    """A text's form for telling whether two texts are the same to a reader.

    Compatibility forms united (NFKC), case folded, blanks collapsed.
    """
    united = text if text.isascii() else unicodedata.normalize("NFKC", text)
    return " ".join(united.casefold().split())


def _pieces(frame: pl.DataFrame) -> Iterator[bytes]:
    for column in frame:
        kind = column.dtype
        values = column.cast(pl.Int64) if kind.is_temporal() else column
        yield _canonical([column.name, str(kind.base_type())])
        yield _canonical(values.to_list())


def _canonical(content: object) -> bytes:
    try:
        text = json.dumps(
            content, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
        )
    except ValueError as problem:
        raise ContractError(
            "content with NaN or infinity has no digest", found=problem, expected="finite numbers"
        ) from problem
    return text.encode("utf-8")
