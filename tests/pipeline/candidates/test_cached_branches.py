"""A branch from the cache is the branch: the same lists and manifest, and nothing made again."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline import cache as cache_module
from pipeline.cache import Cache, Entry
from pipeline.candidates import BranchResult, compute
from pipeline.storage import to_json
from tests.rows import documents, params, queries

BRANCHES: dict[str, dict[str, Any]] = {
    "bm25": {"kind": "bm25"},
    "static": {"kind": "dense"},
    "lsa": {"kind": "dense", "encoder": "lsa", "dimensions": 10},
}
_RANDOM = np.random.default_rng(7)
_WORDS = [f"word{i}" for i in range(60)]
TEXTS: dict[str, str | None] = {f"d{i:02}": " ".join(_RANDOM.choice(_WORDS, 12)) for i in range(40)}
TEXTS |= {"empty": "", "none": None}
ASKED: dict[str, str | None] = {f"q{i}": " ".join(_RANDOM.choice(_WORDS, 3)) for i in range(9)}


@dataclass(frozen=True)
class Watched(Cache):
    """A cache that remembers what had to be made."""

    made: list[str] = field(default_factory=list)

    def get(self, key: Any, make: Any) -> Entry:
        def told() -> Entry:
            self.made.append(key["kind"])
            return make()

        return super().get(key, told)


@pytest.fixture
def cache(tmp_path: Path) -> Watched:
    return Watched(tmp_path / "cache")


def run(
    name: str,
    cache: Cache | None,
    *,
    texts: dict[str, str | None] = TEXTS,
    asked: dict[str, str | None] = ASKED,
    **changed: object,
) -> BranchResult:
    declared = params({"one": {**BRANCHES[name], **changed}})
    docs = documents(texts)
    return compute(
        documents=docs, queries=queries(asked), branch="one", params=declared, cache=cache
    )


def said(result: BranchResult) -> list[object]:
    return [result.candidates.rows(), result.queries.rows(), to_json(result.manifest)]


@pytest.mark.parametrize("name", BRANCHES)
def test_lists_and_manifest_are_the_same_without_with_and_from_the_cache(
    name: str, cache: Watched
) -> None:
    without, made, read = run(name, None), run(name, cache), run(name, cache)
    assert cache.made == [name]
    assert said(without) == said(made) == said(read)


@pytest.mark.parametrize("name", BRANCHES)
def test_other_queries_and_another_depth_index_nothing_anew(name: str, cache: Watched) -> None:
    run(name, cache)
    run(name, cache, asked={"other": "word1 word2"}, depth=3)
    assert cache.made == [name]


@pytest.mark.parametrize("name", BRANCHES)
def test_a_changed_document_is_indexed_anew(name: str, cache: Watched) -> None:
    run(name, cache)
    texts = {**TEXTS, "d00": "word1 word1 word1"}
    changed = run(name, cache, texts=texts)
    assert cache.made == [name, name]
    assert said(changed) == said(run(name, None, texts=texts))


CHANGES = [("bm25", {"k1": 1.2}), ("bm25", {"b": 0.7}), ("bm25", {"language": "german"})]


@pytest.mark.parametrize(("name", "option"), [*CHANGES, ("lsa", {"dimensions": 5})])
def test_a_changed_option_is_another_entry(
    name: str, option: dict[str, Any], cache: Watched
) -> None:
    run(name, cache)
    assert said(run(name, cache, **option)) == said(run(name, None, **option))
    assert cache.made == [name, name]


def test_changed_code_makes_everything_anew(
    cache: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("bm25", cache)
    monkeypatch.setattr(cache_module, "_code", lambda: "another commit")
    run("bm25", cache)
    assert cache.made == ["bm25", "bm25"]


def test_a_collection_without_a_term_is_kept_too(cache: Watched) -> None:
    texts: dict[str, str | None] = {"a": "", "b": "."}
    for name in ("bm25", "lsa"):
        both = [run(name, cache, texts=texts) for _ in range(2)]
        assert said(both[0]) == said(both[1])
