"""Records are appended whole, by one process at a time, and never to a torn line."""

import fcntl
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline import locking
from pipeline.appending import append_lines, held, refuse_torn
from pipeline.errors import InputError, StorageError
from pipeline.storage import read_lines


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
    assert [each.name for each in tmp_path.iterdir()] == ["ledger.jsonl"]


def test_a_block_that_appends_nothing_or_breaks_off_leaves_the_record(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(b'{"a": 1}\n')
    with held(path):
        pass

    def break_off() -> None:
        with held(path):
            raise RuntimeError

    with pytest.raises(RuntimeError):
        break_off()
    assert path.read_bytes() == b'{"a": 1}\n'
    assert [each.name for each in tmp_path.iterdir()] == ["ledger.jsonl"]


def test_a_line_that_is_no_json_leaves_the_record(tmp_path: Path) -> None:
    path = tmp_path / "times.jsonl"
    path.write_bytes(b'{"a": 1}\n')
    with pytest.raises(ValueError, match="not JSON compliant"):
        append_lines(path, [{"a": 2}, {"a": float("nan")}])
    assert path.read_bytes() == b'{"a": 1}\n'


def test_who_comes_second_waits_and_then_says_who_is_in_the_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(locking, "PATIENCE_SECONDS", 0.1)
    path = tmp_path / "ledger.jsonl"
    with held(path) as append:
        with pytest.raises(StorageError, match=r"ledger\.jsonl: another process is writing"):
            append_lines(path, [{"a": 2}])
        append([{"a": 1}])
        append_lines(path, [{"a": 3}])  # the copy has become the record: nobody holds it now
    assert read_lines(path) == [{"a": 1}, {"a": 3}]


def test_what_a_killed_process_left_of_the_copy_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    (tmp_path / ".unfinished.ledger.jsonl").write_bytes(b'{"half": ' * 1000)
    append_lines(path, [{"a": 1}])
    assert path.read_bytes() == b'{"a": 1}\n'
    assert [each.name for each in tmp_path.iterdir()] == ["ledger.jsonl"]


def test_a_lock_taken_on_a_copy_that_was_replaced_meanwhile_is_not_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opened before the other process renamed its copy, locked after: a lock of the record."""
    path, copy = tmp_path / "ledger.jsonl", tmp_path / ".unfinished.ledger.jsonl"
    truly, calls = fcntl.flock, []

    def late(handle: int, how: int) -> None:
        if not calls:
            copy.write_bytes(b'{"theirs": 1}\n')
            copy.replace(path)
        calls.append(handle)
        truly(handle, how)

    monkeypatch.setattr(fcntl, "flock", late)
    append_lines(path, [{"ours": 2}])
    assert read_lines(path) == [{"theirs": 1}, {"ours": 2}]
    assert len(calls) == 2


APPENDING = """
import sys
from pathlib import Path
from pipeline import locking
from pipeline.appending import append_lines
locking.PATIENCE_SECONDS = 300  # a slow disk is no matter here
for number in range(25):
    append_lines(Path(sys.argv[1]), [{"by": int(sys.argv[2]), "number": number}])
"""


@pytest.mark.slow
def test_of_four_processes_at_once_no_line_is_lost(tmp_path: Path) -> None:
    path = tmp_path / "times.jsonl"
    started = [
        subprocess.Popen([sys.executable, "-c", APPENDING, str(path), str(number)])
        for number in range(4)
    ]
    assert [process.wait(timeout=300) for process in started] == [0, 0, 0, 0]
    lines = [(line["by"], line["number"]) for line in read_lines(path)]
    assert sorted(lines) == [(by, number) for by in range(4) for number in range(25)]


@pytest.mark.parametrize("torn", [b'{"a": 2, "b', b'{"a": "\xc3', b"{"])
def test_a_torn_last_line_is_told_with_its_number_and_never_appended_to(
    tmp_path: Path, torn: bytes
) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(b'{"a": 1}\n' + torn)
    said = r"ledger\.jsonl:2: the last line is torn.*Next: delete line 2 of .*git diff"
    for look in (read_lines, refuse_torn, lambda record: append_lines(record, [{"a": 3}])):
        with pytest.raises(InputError, match=said):
            look(path)
    assert path.read_bytes() == b'{"a": 1}\n' + torn
    path.write_bytes(b'{"a": 1}\n')  # as the message says
    append_lines(path, [{"a": 3}])
    assert read_lines(path) == [{"a": 1}, {"a": 3}]


def test_a_record_that_is_not_there_is_not_torn(tmp_path: Path) -> None:
    refuse_torn(tmp_path / "none.jsonl")


LIMITED = """
import resource, sys
from pathlib import Path
from pipeline.appending import append_lines
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    append_lines(Path(sys.argv[1]), [{"a": "x" * 2000}])
except OSError as problem:
    print(problem.filename, problem.strerror)
"""


def test_a_full_disk_leaves_the_record_and_names_it(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(b'{"a": 1}\n')
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{path} {os.strerror(27)}\n"
    assert json.loads(path.read_bytes()) == {"a": 1}
    assert [each.name for each in tmp_path.iterdir()] == ["ledger.jsonl"]


@pytest.mark.parametrize("there", [True, False])
def test_a_linked_record_is_appended_to_where_it_lies(tmp_path: Path, there: bool) -> None:
    """A copy in the link's place would part from the record that others share."""
    (tmp_path / "shared").mkdir()
    shared, link = tmp_path / "shared/ledger.jsonl", tmp_path / "ledger.jsonl"
    if there:
        shared.write_bytes(b'{"a": 1}\n')
    link.symlink_to(shared)
    append_lines(link, [{"b": 1}])
    assert read_lines(shared) == [*([{"a": 1}] if there else []), {"b": 1}]
    assert link.is_symlink()
    assert [each.name for each in shared.parent.iterdir()] == ["ledger.jsonl"]


def test_a_link_into_a_protected_cache_becomes_a_copy(tmp_path: Path) -> None:
    """As DVC links its workspace with `cache.type symlink`; what its cache holds never changes."""
    cached, link = tmp_path / "c4ca42", tmp_path / "second.jsonl"
    cached.write_bytes(b'{"a": 1}\n')
    cached.chmod(0o444)
    link.symlink_to(cached)
    append_lines(link, [{"b": 1}])
    assert cached.read_bytes() == b'{"a": 1}\n'
    assert read_lines(link) == [{"a": 1}, {"b": 1}]
    assert not link.is_symlink()


def test_what_stands_in_the_unfinished_copys_place_is_named(tmp_path: Path) -> None:
    (tmp_path / ".unfinished.ledger.jsonl").mkdir()
    with pytest.raises(IsADirectoryError, match=r"\.unfinished\.ledger\.jsonl"):
        append_lines(tmp_path / "ledger.jsonl", [{"a": 1}])


def test_a_record_stays_open_to_whom_it_was_open(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    for mode in (0o600, 0o664):
        path.touch()
        path.chmod(mode)
        append_lines(path, [{"a": 1}])
        assert path.stat().st_mode & 0o777 == mode
