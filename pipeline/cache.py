"""What was computed once and can be computed again: indexes and embeddings, kept by content.

An entry is a folder of `.npy` arrays and one JSON file, named by the digest of all that decides
it: what it was made of, options, code, versions. It is written whole or not at all, read back
only where its digest is right, and made anew otherwise: nothing in it ever changes a result. The
folder may be removed at any time. Beyond its limit the entries used longest ago go first.
"""

import hashlib
import json
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pipeline.identity import digest_json

Array = npt.NDArray[Any]

LIMIT = 20_000_000_000  # bytes
_FACTS = "entry.json"
_CODE = ("analyzer.py", "cache.py", "languages.py", "candidates")


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing kept.

    Args:
        arrays: by name; read back they are maps of the file, not to be written to.
        facts: whatever JSON holds.
    """

    arrays: Mapping[str, Array]
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of entries.

    Args:
        folder: made when the first entry is kept.
        limit: bytes that all entries together may take.
    """

    folder: Path
    limit: int = LIMIT

    def get(self, key: Mapping[str, Any], make: Callable[[], Entry]) -> Entry:
        """The entry of this key; made, and kept, where there is none.

        Args:
            key: all that decides the entry, as JSON holds it.
            make: computes it.
        """
        place = self.folder / digest_json(key)
        found = _read(place)
        if found is None:
            found = make()
            # A full or write-protected disk is no reason to fail: the entry is at hand.
            with suppress(OSError):
                self._keep(place, key, found)
        return found

    def _keep(self, place: Path, key: Mapping[str, Any], entry: Entry) -> None:
        size = sum(array.nbytes for array in entry.arrays.values())
        if size > self.limit:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / ".gitignore").write_text("*\n", encoding="utf-8")
        _clear(place)  # what could not be read
        self._make_room(size)
        unfinished = Path(tempfile.mkdtemp(prefix=".unfinished.", dir=self.folder))
        try:
            _write(unfinished, key, entry)
            unfinished.chmod(0o755)
            unfinished.rename(place)
        finally:
            _clear(unfinished)

    def _make_room(self, size: int) -> None:
        entries = sorted(self._entries(), key=lambda each: (_used(each), each.name))
        sizes = {each: sum(file.stat().st_size for file in each.iterdir()) for each in entries}
        total = sum(sizes.values()) + size
        for each in entries:
            if total <= self.limit:
                return
            _clear(each)
            total -= sizes[each]

    def _entries(self) -> Iterator[Path]:
        for place in self.folder.iterdir():
            if (place / _FACTS).is_file():
                yield place


def kept(
    cache: Cache | None, key: Callable[[], Mapping[str, Any]], make: Callable[[], Entry]
) -> Entry:
    """`Cache.get`; only made, its key never asked for, where there is no cache."""
    return make() if cache is None else cache.get(key(), make)


def texts_digest(texts: Sequence[str | None]) -> str:
    """SHA-256 of texts in their order; an absent text is not an empty one."""
    hashed = hashlib.sha256()
    for text in texts:
        if text is None:
            hashed.update(b"-")
        else:
            raw = text.encode("utf-8", "surrogatepass")
            hashed.update(b"%d:" % len(raw))
            hashed.update(raw)
    return hashed.hexdigest()


def environment(*packages: str) -> dict[str, str]:
    """What the same inputs are computed with: our code, Python, processor kind, packages."""
    return {
        "code": _code(),
        "python": platform.python_version(),
        "machine": platform.machine(),
        **{name: _version(name) for name in packages},
    }


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "absent"


@cache
def _code() -> str:
    """Digest of the code that makes entries: a changed line makes them anew."""
    here = Path(__file__).parent
    hashed = hashlib.sha256()
    for name in _CODE:
        files = sorted((here / name).rglob("*.py")) if (here / name).is_dir() else [here / name]
        for file in files:
            hashed.update(file.relative_to(here).as_posix().encode() + b"\0" + file.read_bytes())
    return hashed.hexdigest()


def _write(folder: Path, key: Mapping[str, Any], entry: Entry) -> None:
    digests = {}
    for name, array in sorted(entry.arrays.items()):
        np.save(folder / f"{name}.npy", array, allow_pickle=False)
        digests[name] = _file_digest(folder / f"{name}.npy")
    content = {"key": key, "facts": entry.facts}
    said = {**content, "arrays": digests, "digest": digest_json([content, digests])}
    with (folder / _FACTS).open("w", encoding="utf-8") as out:
        json.dump(said, out, ensure_ascii=False)
        out.flush()
        os.fsync(out.fileno())
    _mark_used(folder)


def _read(place: Path) -> Entry | None:
    """The entry, or None where there is none or anything of it is not as it was written."""
    try:
        said = json.loads((place / _FACTS).read_text(encoding="utf-8"))
        content = {"key": said["key"], "facts": said["facts"]}
        if said["digest"] != digest_json([content, said["arrays"]]):
            return None
        arrays = {}
        for name, expected in said["arrays"].items():
            if _file_digest(place / f"{name}.npy") != expected:
                return None
            mapped = np.load(place / f"{name}.npy", mmap_mode="r", allow_pickle=False)
            arrays[name] = np.asarray(mapped)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    with suppress(OSError):
        _mark_used(place)
    return Entry(arrays, said["facts"])


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _mark_used(place: Path) -> None:
    # The file system's own clock ticks too seldom to tell two entries apart.
    now = time.time_ns()
    os.utime(place / _FACTS, ns=(now, now))


def _used(place: Path) -> int:
    return (place / _FACTS).stat().st_mtime_ns


def _clear(place: Path) -> None:
    shutil.rmtree(place, ignore_errors=True)
