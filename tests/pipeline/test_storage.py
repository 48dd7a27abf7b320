"""Files are whole or not there, sorted, and the same bytes for the same content."""

import hashlib
import os
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import polars as pl
import pytest

from pipeline.errors import ContractError, InputError, MissingError
from pipeline.storage import (
    read_json,
    read_lines,
    read_table,
    replacing,
    round_significant,
    to_json,
    write_json,
    write_table,
    write_text,
)
from pipeline.tables import SPLITS


def _splits(order: list[int]) -> pl.DataFrame:
    rows = [(f"q{i}", f"g{i % 3}", "dev", None) for i in range(6)]
    return pl.DataFrame([rows[i] for i in order], schema=dict(SPLITS.columns), orient="row")


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_shuffled_rows_give_the_same_bytes(tmp_path: Path) -> None:
    write_table(tmp_path / "a.parquet", _splits([0, 1, 2, 3, 4, 5]), SPLITS)
    write_table(tmp_path / "b.parquet", _splits([5, 3, 1, 0, 2, 4]), SPLITS)
    assert _digest(tmp_path / "a.parquet") == _digest(tmp_path / "b.parquet")


def test_a_table_comes_back_as_it_was(tmp_path: Path) -> None:
    write_table(tmp_path / "s.parquet", _splits([2, 0, 1]), SPLITS)
    assert read_table(tmp_path / "s.parquet", SPLITS).equals(_splits([0, 1, 2]))


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "f.txt"
    write_text(path, "old")

    def break_off() -> None:
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["f.txt"]


def test_a_linked_file_is_replaced_and_never_changed_in_place(tmp_path: Path) -> None:
    cached = tmp_path / "cache"
    cached.write_text("shared between studies")
    link = tmp_path / "out.txt"
    link.symlink_to(cached)
    write_text(link, "new")
    assert cached.read_text() == "shared between studies"
    assert not link.is_symlink()


def test_json_is_sorted_and_ends_with_a_newline(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"b": 1, "a": "é"})
    assert (tmp_path / "a.json").read_bytes() == '{\n  "a": "é",\n  "b": 1\n}\n'.encode()
    assert read_json(tmp_path / "a.json") == {"a": "é", "b": 1}


def test_nan_is_no_json() -> None:
    with pytest.raises(ContractError, match="NaN"):
        to_json({"value": float("nan")})


def test_lines_end_at_newlines_only(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"note": "one\u2028two"}\n{"note": "x"}\n', encoding="utf-8")
    assert [line["note"] for line in read_lines(path)] == ["one\u2028two", "x"]


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"a": 1}\n{"a": NaN}\n')
    with pytest.raises(InputError, match=r"r\.jsonl:2: not JSON"):
        read_lines(path)


@pytest.mark.parametrize("mark", ["<<<<<<< HEAD", "=======", "=======\r", ">>>>>>> b"])
def test_a_mark_of_a_conflict_in_git_is_told_as_one(tmp_path: Path, mark: str) -> None:
    """On the last line too, where it is nothing torn."""
    path = tmp_path / "sides.jsonl"
    for end in ("\n", ""):
        path.write_text(f'{{"a": 1}}\n{mark}{end}', newline="")
        with pytest.raises(InputError, match=r"jsonl:2: not JSON; found a mark that git left"):
            read_lines(path)


def test_a_line_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": "\xe9"}\n')
    with pytest.raises(InputError, match=r"r\.jsonl:2: not UTF-8"):
        read_lines(path)


def test_what_is_missing_says_what_to_run(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="Next: dvc repro"):
        read_table(tmp_path / "none.parquet", SPLITS)
    with pytest.raises(MissingError, match="Next: rankgate init"):
        read_lines(tmp_path / "none.jsonl")


def test_a_file_that_is_no_table_is_named(tmp_path: Path) -> None:
    (tmp_path / "s.parquet").write_text("not a table")
    with pytest.raises(InputError, match=r"s\.parquet: not a Parquet file"):
        read_table(tmp_path / "s.parquet", SPLITS)


@pytest.mark.parametrize(
    ("value", "rounded"),
    [(0.0, 0.0), (1.23456789, 1.23457), (123456.789, 123457.0), (-2e-9, -2e-9)],
)
def test_six_significant_digits(value: float, rounded: float) -> None:
    assert round_significant(value) == rounded


FULL = """
import resource, sys
from pathlib import Path
import polars as pl
from pipeline.storage import write_table, write_text
from pipeline.tables import SPLITS
from pipeline.errors import StorageError
rows = [(f"q{i}", f"g{i}", "dev", None) for i in range(5000)]
table = pl.DataFrame(rows, schema=dict(SPLITS.columns), orient="row")
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_text(Path(sys.argv[1]) / "a.txt", "x" * 2000)
except OSError as problem:
    print(Path(problem.filename).name, problem.strerror)
try:
    write_table(Path(sys.argv[1]) / "splits.parquet", table, SPLITS)
except StorageError as problem:
    print(Path(problem.where).name, problem.what, problem.next_command)
"""


def test_a_full_disk_leaves_the_old_files_and_is_told_by_their_names(tmp_path: Path) -> None:
    for name in ("a.txt", "splits.parquet"):
        (tmp_path / name).write_text("old")
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path)], capture_output=True, text=True, check=True
    )
    text, table = done.stdout.splitlines()
    assert text == "a.txt File too large"
    assert table.startswith("splits.parquet the table cannot be written make room on the disk")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "a.txt": "old",
        "splits.parquet": "old",
    }


def poured(pipe: Path) -> "Future[bytes]":
    """What comes out of a pipe, as somebody who waits at its end gets it."""
    return ThreadPoolExecutor(1).submit(pipe.read_bytes)


def test_a_pipe_is_given_the_content_and_stays(tmp_path: Path) -> None:
    """So does a device: `/dev/null` in a file's place would break the machine."""
    os.mkfifo(pipe := tmp_path / "out.run")
    reading = poured(pipe)
    write_text(pipe, "a\n")
    assert reading.result(60) == b"a\n"
    assert pipe.is_fifo()
    assert [each.name for each in tmp_path.iterdir()] == ["out.run"]


def test_a_write_that_fails_gives_a_pipe_nothing(tmp_path: Path) -> None:
    os.mkfifo(pipe := tmp_path / "out.run")

    def break_off() -> None:
        with replacing(pipe) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()  # it would wait for a reader
    assert pipe.is_fifo()


def test_standard_output_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    """Redirected to a file it is a link to that file."""
    program = (
        "from pathlib import Path; from pipeline.storage import write_text; "
        "write_text(Path('/dev/stdout'), 'a')"
    )
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", program], stdout=out, check=True)
    assert (tmp_path / "out").read_bytes() == b"a"
    assert Path("/dev/stdout").is_symlink()


@pytest.mark.parametrize(("umask", "mode"), [(0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_is_open_to_whom_the_umask_says(umask: int, mode: int, tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from pipeline.storage import write_text; "
        "write_text(Path(sys.argv[1]), 'a')"
    )
    subprocess.run([sys.executable, "-c", program, tmp_path / "new"], umask=umask, check=True)
    assert (tmp_path / "new").stat().st_mode & 0o777 == mode


def test_a_replaced_file_stays_open_to_whom_it_was_and_its_owner_may_write(tmp_path: Path) -> None:
    for mode, kept in ((0o600, 0o600), (0o664, 0o664), (0o444, 0o644)):
        (tmp_path / "old").touch()
        (tmp_path / "old").chmod(mode)
        write_text(tmp_path / "old", "a")
        assert (tmp_path / "old").stat().st_mode & 0o777 == kept
