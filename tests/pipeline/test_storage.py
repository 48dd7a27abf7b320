"""Files are whole or not there, sorted, and the same bytes for the same content."""

import hashlib
from pathlib import Path

import polars as pl
import pytest

from pipeline.errors import ContractError, InputError, MissingError
from pipeline.storage import (
    append_lines,
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


def test_a_line_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b'{"a": 1}\n{"a": "\xe9"}\n')
    with pytest.raises(InputError, match=r"r\.jsonl:2: not UTF-8"):
        read_lines(path)


def test_appending_keeps_what_was_there_byte_for_byte(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(b'{"z":1,  "a":2}')  # by hand, without a final newline
    append_lines(path, [{"b": 1, "a": 2}])
    assert path.read_bytes() == b'{"z":1,  "a":2}\n{"a": 2, "b": 1}\n'


def test_a_record_of_a_blank_line_begins_anew(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(b"\n")
    append_lines(path, [{"a": 1}])
    assert path.read_bytes() == b'{"a": 1}\n'


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
