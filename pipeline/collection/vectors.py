"""vectors/NAME.documents and vectors/NAME.queries: vectors made elsewhere, .npy or .parquet."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from tokenize import TokenError

import numpy as np
import polars as pl

from pipeline.collection.problems import Problems
from pipeline.recorded import Vectors
from pipeline.tables import VECTORS

# numpy reads a header as a literal of Python, and lets through what its parser says.
UNREADABLE = (
    ValueError,
    OSError,
    EOFError,
    MemoryError,
    SyntaxError,
    RecursionError,
    TypeError,
    TokenError,
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
)


def read_vectors(
    folder: Path, ids: Mapping[str, Sequence[str]], problems: Problems
) -> dict[str, Vectors]:
    """Reads every pair of vector files.

    Args:
        folder: the collection's `vectors/`.
        ids: `documents` and `queries`: the ids in the order of the lines of their files, which
            is the order of the rows of a .npy file.
        problems: takes what cannot be read.

    Returns:
        Vectors by name.
    """
    found: dict[str, dict[str, pl.DataFrame]] = {}
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if path.suffix not in READERS:
            continue
        name, _, side = path.stem.rpartition(".")
        if not name or side not in ids:
            problems.add(path, "no such vectors", expected="NAME.documents or NAME.queries")
            continue
        frame = _read(path, ids[side], problems)
        if frame is not None:
            found.setdefault(name, {})[side] = frame
    return {name: _pair(folder / name, sides, problems) for name, sides in found.items()}


def _read(path: Path, ids: Sequence[str], problems: Problems) -> pl.DataFrame | None:
    try:
        frame = READERS[path.suffix](path, ids)
    except UNREADABLE as problem:
        found = " ".join(str(problem).split())[:200] or type(problem).__name__
        problems.add(
            path,
            "not a table of vectors",
            found=found,
            expected="a .npy array of numbers, or Parquet with the columns id and vector",
        )
        return None
    unknown = sorted(set(frame["id"]) - set(ids))
    if unknown:
        problems.add(path, "vectors of unknown ids", found=unknown[:3], expected="known ids")
    return frame


def _npy(path: Path, ids: Sequence[str]) -> pl.DataFrame:
    with path.open("rb") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of headers that Python 2 wrote
        matrix = np.lib.format.read_array(file, allow_pickle=False)
    if matrix.ndim != 2 or len(matrix) != len(ids):
        raise ValueError(f"an array of form {matrix.shape}, expected {len(ids)} rows, one a line")
    return _checked(pl.Series("id", list(ids), pl.String()), matrix)


def _parquet(path: Path, _: Sequence[str]) -> pl.DataFrame:
    frame = pl.read_parquet(path, glob=False)
    if frame.columns != ["id", "vector"] or frame.schema["id"] != pl.String():
        raise ValueError(f"columns {frame.schema}, expected id (text) and vector (numbers)")
    if frame.null_count().row(0) != (0, 0) or frame["id"].is_duplicated().any():
        raise ValueError("an id or vector is absent, or an id stands twice")
    return _checked(frame["id"], np.array(frame["vector"].to_list()))


def _checked(ids: pl.Series, matrix: np.ndarray) -> pl.DataFrame:
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiu":
        raise ValueError(f"{matrix.dtype} of form {matrix.shape}, expected one length of numbers")
    with np.errstate(over="ignore"):
        single = matrix.astype(np.float32)
    if not np.isfinite(single).all():
        raise ValueError("NaN, infinity or more than 3e38 among the numbers")
    values = pl.Series("vector", single).cast(pl.List(pl.Float32()))
    return VECTORS.check(pl.DataFrame([ids, values]))


def _pair(path: Path, sides: Mapping[str, pl.DataFrame], problems: Problems) -> Vectors:
    empty = VECTORS.empty()
    for side in ("documents", "queries"):
        if side not in sides:
            problems.add(path, f"no vectors of {side}", expected=f"{path.name}.{side}.npy")
    lengths = {side: frame["vector"].list.len().max() for side, frame in sides.items()}
    if len(set(lengths.values())) > 1:
        problems.add(path, "vectors of different lengths", found=lengths, expected="one length")
    return Vectors(sides.get("documents", empty), sides.get("queries", empty))


READERS: Mapping[str, Callable[[Path, Sequence[str]], pl.DataFrame]] = {
    ".npy": _npy,
    ".parquet": _parquet,
}
