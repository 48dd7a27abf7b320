"""Lines come from files and from pipes alike."""

import bz2
import gzip
import lzma
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from pipeline.collection import read_qrels, read_run
from pipeline.collection.lines import numbered_lines
from pipeline.errors import InputError

QRELS = b"".join(b"q%d 0 d%d 1\n" % (n, n) for n in range(20_000))  # more than a pipe holds
RUN = b"".join(b"q%d Q0 d%d 1 0.5 tag\n" % (n, n) for n in range(20_000))


def piped(pipe: Path, content: bytes) -> Path:
    """A pipe with somebody who pours this into it, once."""
    os.mkfifo(pipe)
    ThreadPoolExecutor(1).submit(pipe.write_bytes, content)
    return pipe


@pytest.mark.parametrize("packed", [False, True])
def test_a_pipe_gives_all_its_lines_and_gives_them_again(tmp_path: Path, packed: bool) -> None:
    """As shells make of `<(zcat FILE)`; readers look at the first bytes, then begin anew."""
    pipe = piped(tmp_path / "63", gzip.compress(QRELS) if packed else QRELS)
    expected = list(enumerate(QRELS.splitlines(), start=1))
    assert list(numbered_lines(pipe)) == expected
    assert list(numbered_lines(pipe)) == expected


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (bz2.compress(b"q1 0 d1 1\n"), "a bzip2 file.*Next: bunzip2 "),
        (lzma.compress(b"q1 0 d1 1\n"), "an xz file.*Next: unxz "),
        (gzip.compress(gzip.compress(b"q1 0 d1 1\n")), "a gzip file within a gzip file"),
        ("q1 0 d1 1\n".encode("utf-16"), "text in UTF-16.*Next: iconv -f UTF-16 -t UTF-8 "),
        (b"PK\x03\x04 and so on", "a zip archive.*Next: unzip "),
    ],
)
def test_what_is_not_read_as_it_is_names_what_makes_text_of_it(
    tmp_path: Path, content: bytes, said: str
) -> None:
    """Column counts of compressed bytes would only send a reader to `--trailing`."""
    (tmp_path / "given").write_bytes(content)
    with pytest.raises(InputError, match=said):
        read_qrels(tmp_path / "given")


def test_judgments_and_runs_come_through_pipes(tmp_path: Path) -> None:
    assert read_qrels(piped(tmp_path / "63", QRELS)).height == 20_000
    assert read_run(piped(tmp_path / "62", RUN)).height == 20_000
