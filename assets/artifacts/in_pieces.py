"""The sweep's values query by query, which need not fit into memory."""

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from assets.folder import StudyFolder
from pipeline import tables
from pipeline.pieces import Pieces
from pipeline.storage import read_table, write_table


def write_pieces(path: Path, table: Pieces) -> None:
    """A file for each piece."""
    # One at a time: all of them together need not fit into memory.
    for number, piece in enumerate(table):
        write_table(path / f"part-{number:04d}.parquet", piece, tables.SWEEP_PER_QUERY)


def read_pieces(folder: StudyFolder, _: str | None) -> Pieces:
    """The pieces, each read when it is asked for."""
    path = folder.data / "sweep" / "per_query"

    def make() -> Iterator[pl.DataFrame]:
        # By number: the ten-thousandth part's name is longer, and would sort before the others.
        parts = sorted(path.glob("part-*.parquet"), key=lambda part: (len(part.name), part.name))
        for part in parts:
            yield read_table(part, tables.SWEEP_PER_QUERY)
        if not parts:
            yield tables.SWEEP_PER_QUERY.empty()

    return Pieces(make)
