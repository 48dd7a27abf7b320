"""What is kept: read back as it was made, made anew where anything of it is not right."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pipeline.cache import Cache, Entry, environment, kept, texts_digest

KEY = {"kind": "test", "texts": "abc"}


class Work:
    """Makes an entry, and counts how often it was asked to."""

    def __init__(self, length: int = 3) -> None:
        self.times = 0
        self.length = length

    def __call__(self) -> Entry:
        self.times += 1
        return Entry({"vectors": np.arange(self.length, dtype=np.float32)}, {"terms": ["ä", "b"]})


def entries(cache: Cache) -> list[Path]:
    return [place for place in cache.folder.iterdir() if place.is_dir()]


def test_what_is_kept_is_read_back_and_not_made_again(tmp_path: Path) -> None:
    work, cache = Work(), Cache(tmp_path / "cache")
    made, read = cache.get(KEY, work), cache.get(KEY, work)
    assert work.times == 1
    assert read.arrays["vectors"].tobytes() == made.arrays["vectors"].tobytes()
    assert read.arrays["vectors"].dtype == np.float32
    assert read.facts == made.facts == {"terms": ["ä", "b"]}


def test_another_key_is_another_entry(tmp_path: Path) -> None:
    work, cache = Work(), Cache(tmp_path)
    for key in (KEY, {**KEY, "texts": "abd"}, {**KEY, "k1": 0.9}):
        cache.get(key, work)
    assert work.times == 3


def test_the_order_of_a_keys_parts_does_not_matter(tmp_path: Path) -> None:
    work, cache = Work(), Cache(tmp_path)
    cache.get(KEY, work)
    cache.get(dict(reversed(KEY.items())), work)
    assert work.times == 1


def test_without_a_cache_the_key_is_not_even_asked_for() -> None:
    def key() -> dict[str, Any]:
        raise AssertionError("asked for")

    assert kept(None, key, Work()).facts == {"terms": ["ä", "b"]}


def _flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-1] ^= 1
    file.write_bytes(content)


def _other_fact(file: Path) -> None:
    said = json.loads(file.read_text())
    file.write_text(json.dumps({**said, "facts": {"terms": []}}))


DAMAGE: dict[str, tuple[str, Callable[[Path], object]]] = {
    "a flipped bit": ("vectors.npy", _flip),
    "a cut array": ("vectors.npy", lambda file: file.write_bytes(file.read_bytes()[:-2])),
    "a lost array": ("vectors.npy", lambda file: file.unlink()),
    "another fact": ("entry.json", _other_fact),
    "no JSON": ("entry.json", lambda file: file.write_text("{")),
    "a list": ("entry.json", lambda file: file.write_text("[]")),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_what_is_damaged_is_made_anew_and_kept_again(tmp_path: Path, damage: str) -> None:
    work, cache = Work(), Cache(tmp_path)
    cache.get(KEY, work)
    name, break_it = DAMAGE[damage]
    break_it(next(tmp_path.rglob(name)))
    assert cache.get(KEY, work).arrays["vectors"].tolist() == [0, 1, 2]
    cache.get(KEY, work)
    assert work.times == 2


def test_pickled_arrays_are_refused(tmp_path: Path) -> None:
    objects = Entry({"vectors": np.array([{}], dtype=object)}, {})
    with pytest.raises(ValueError, match="pickle"):
        Cache(tmp_path).get(KEY, lambda: objects)
    assert entries(Cache(tmp_path)) == []


def test_work_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def fail() -> Entry:
        raise RuntimeError("interrupted")

    with pytest.raises(RuntimeError):
        Cache(tmp_path).get(KEY, fail)
    assert list(tmp_path.iterdir()) == []


def test_beyond_the_limit_what_was_used_longest_ago_goes(tmp_path: Path) -> None:
    cache = Cache(tmp_path, limit=12_000)
    first, second, third = ({**KEY, "texts": name} for name in "abc")
    for key in (first, second):
        cache.get(key, Work(1000))
    cache.get(first, Work(1000))  # used again: now the second is the oldest
    cache.get(third, Work(1000))
    again = Work(1000)
    cache.get(first, again)
    cache.get(third, again)
    assert again.times == 0
    cache.get(second, again)
    assert again.times == 1


def test_what_is_larger_than_the_limit_is_not_kept(tmp_path: Path) -> None:
    work, cache = Work(1000), Cache(tmp_path, limit=100)
    cache.get(KEY, work)
    cache.get(KEY, work)
    assert work.times == 2


def test_a_place_that_cannot_be_written_costs_time_and_no_result(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert Cache(tmp_path / "file" / "cache").get(KEY, Work()).facts == {"terms": ["ä", "b"]}


def test_git_never_sees_it(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    Cache(tmp_path / ".rankgate" / "cache").get(KEY, Work())
    status = subprocess.run(
        ["git", "status", "--porcelain"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert status.stdout == ""


def test_texts_have_one_digest_each() -> None:
    different = [["ab", "c"], ["a", "bc"], ["abc"], [None, "abc"], ["", "abc"], ["abc", None], []]
    assert len({texts_digest(texts) for texts in different}) == len(different)
    assert texts_digest(["ä", None]) == texts_digest(["ä", None])


def test_the_code_python_and_packages_are_part_of_a_key() -> None:
    said = environment("numpy", "no-such-package")
    assert said["numpy"] == np.__version__
    assert said["no-such-package"] == "absent"
    assert said["python"] == ".".join(map(str, sys.version_info[:3]))
    assert len(said["code"]) == 64
