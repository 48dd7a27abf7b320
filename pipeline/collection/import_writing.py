"""Writes what an import found, whole or not at all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.collection.native_lines import native_line
from pipeline.collection.rows import Row
from pipeline.collection.sources import Found


@contextmanager
def whole_folder(place: Path) -> Iterator[Path]:
    """A folder that becomes `place` when the block ends well, and vanishes otherwise."""
    place.parent.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    ignored = folder / ".gitignore"
    try:
        ignored.write_text("*\n", encoding="utf-8")  # what a killed import leaves, git passes over
        yield folder
        ignored.unlink()
        folder.chmod(0o755)
        folder.rename(place)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def write_found(found: Found, folder: Path, place: Path, *, link: bool) -> None:
    """Writes everything into `folder`, which will stand at `place`; `link` instead of copies."""
    _put(found.documents, folder, place, "documents.jsonl", link=link)
    _put(found.queries, folder, place, "queries.jsonl", link=link)
    (folder / "judgments").mkdir()
    for name, judgments in found.rounds.items():
        _put(judgments, folder, place, f"judgments/{name}.jsonl", link=False)
    for name, file in found.runs.items():
        _put(file, folder, place, f"runs/{name}", link=link)
    for file in found.vectors:
        _put(file, folder, place, f"vectors/{file.name}", link=link)


def _put(
    content: list[Row] | list[str] | Path, folder: Path, place: Path, name: str, *, link: bool
) -> None:
    """Writes rows, or takes a file over; a gzipped one keeps its ending."""
    if isinstance(content, list):
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        with file.open("w", encoding="utf-8", newline="\n") as handle:
            handle.writelines(
                line if isinstance(line, str) else native_line(line) for line in content
            )
        return
    ending = ".gz" if content.name.endswith(".gz") and not name.endswith(".gz") else ""
    file = folder / f"{name}{ending}"
    file.parent.mkdir(exist_ok=True)
    if link:
        # Relative to the final place: the folder is renamed once it is whole.
        final = place / file.relative_to(folder)
        file.symlink_to(os.path.relpath(content.resolve(), final.parent.resolve()))
    else:
        shutil.copyfile(content, file)
