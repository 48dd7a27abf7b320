"""Axes of content: what is studied, and the code that studied it.

Each yields what it was in A and what it is in B, or nothing.
"""

from collections.abc import Iterator
from typing import Any

import polars as pl

from pipeline.comparing.changed import changed, section
from pipeline.comparing.view import StudyView
from pipeline.errors import first_three
from pipeline.identity import digest

_CUT = ("doc_id", "evidence_id", "source_id", "start", "end")


def collection(a: StudyView, b: StudyView) -> Iterator[str]:
    """Other queries, other sources or evidence, or the same ones with other content."""
    if content_hash(a, "queries") != content_hash(b, "queries"):
        yield _rows("queries", "query_id", a.read("queries"), b.read("queries"))
    if content_hash(a, "documents") == content_hash(b, "documents"):
        return
    ours, theirs = a.read("documents"), b.read("documents")
    if not _recut(ours, theirs):
        yield _rows("documents", "doc_id", ours, theirs)


def passages(a: StudyView, b: StudyView) -> Iterator[str]:
    """The same sources and evidence, cut into other passages."""
    if content_hash(a, "documents") != content_hash(b, "documents"):
        ours, theirs = a.read("documents"), b.read("documents")
        if _recut(ours, theirs):
            yield _rows("passages", "doc_id", ours, theirs)


def judgments(a: StudyView, b: StudyView) -> Iterator[str]:
    """Other judgments, or the same read otherwise."""
    if content_hash(a, "judgments") != content_hash(b, "judgments"):
        yield f"judgments: {_count(a, 'judgments')} → {_count(b, 'judgments')}, other content"
    names = ("regime", "scale", "rel", "grades", "assessors")
    yield from changed(section(a.params.collection, names), section(b.params.collection, names))


def sides(a: StudyView, b: StudyView) -> Iterator[str]:
    """Queries of both that stand on another side, in another fold or another group."""
    both = a.read("splits").join(b.read("splits"), on="query_id", suffix="_b")
    moved = both.filter(
        pl.any_horizontal(
            pl.col(name).ne_missing(pl.col(f"{name}_b")) for name in ("group_id", "split", "fold")
        )
    )["query_id"].sort()
    if len(moved):
        yield f"{len(moved)} of {both.height} queries moved: {first_three(moved.to_list())}"


def code(a: StudyView, b: StudyView) -> Iterator[str]:
    """The code that made the figures."""
    yield from changed({"rankgate": a.params.rankgate}, {"rankgate": b.params.rankgate})
    if not (a.code and b.code):
        if a.code or b.code:
            name = b.name if a.code else a.name
            yield f"the code of {name} is not recorded"
        return
    other = sorted(
        file for file in {*a.code, *b.code} if a.code.get(file, "") != b.code.get(file, "")
    )
    if other:
        yield f"{len(other)} of {len({*a.code, *b.code})} files: {first_three(other)}"


def content_hash(view: StudyView, part: str) -> Any:
    """The hash of a part of the collection; of runs and vectors, one for each name."""
    return view.read("manifest")["hashes"][part]


def _count(view: StudyView, part: str) -> int:
    return int(view.read("manifest")["counts"][part])


def _recut(ours: pl.DataFrame, theirs: pl.DataFrame) -> bool:
    same = all(
        set(ours[name].unique()) == set(theirs[name].unique())
        for name in ("source_id", "evidence_id")
    )
    return same and digest(ours.select(_CUT)) != digest(theirs.select(_CUT))


def _rows(what: str, key: str, ours: pl.DataFrame, theirs: pl.DataFrame) -> str:
    old = {row[key]: row for row in ours.iter_rows(named=True)}
    new = {row[key]: row for row in theirs.iter_rows(named=True)}
    other = sum(old[name] != new[name] for name in set(old) & set(new))
    counted = f"{len(set(new) - set(old))} new, {len(set(old) - set(new))} gone, {other} changed"
    return f"{what}: {len(old)} → {len(new)}; {counted}"
