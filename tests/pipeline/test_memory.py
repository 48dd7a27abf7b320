"""A memory limit is a refusal with the figure."""

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline import memory
from pipeline.candidates import open_branch
from pipeline.errors import MemoryLimitError
from pipeline.memory import memory_limit, refuse_beyond
from pipeline.params import Bm25Branch
from tests.rows import documents

LIMITED = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (3_000_000_000, resource.RLIM_INFINITY))
from pipeline.memory import memory_limit
print(memory_limit())
"""


def test_the_processes_own_limit_is_seen() -> None:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) <= 3_000_000_000


def test_a_containers_limit_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "memory.max").write_text("123456789\n")
    (tmp_path / "unlimited").write_text("max\n")
    monkeypatch.setattr(memory, "_GROUPS", (tmp_path / "unlimited", tmp_path / "memory.max"))
    assert memory_limit() == 123_456_789


def test_the_machines_own_memory_is_a_limit() -> None:
    pages = resource.getpagesize()
    limit = memory_limit()
    assert limit is not None
    assert limit > 1000 * pages


def test_a_branch_that_cannot_fit_is_refused_with_both_figures(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    docs = documents({"a": "word " * 200_000})
    monkeypatch.setattr(memory, "memory_limit", lambda: 305_000_000)
    found = (
        r"candidates\.one: indexing 1 documents .* found about 0\.3 GB; expected at most 0\.3 GB"
    )
    with pytest.raises(MemoryLimitError, match=found):
        open_branch(Bm25Branch(kind="bm25"), docs, name="one")


def test_work_that_fits_is_let_through(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "memory_limit", lambda: 1000)
    refuse_beyond(1000, "work", where="here", next_command="less")
    monkeypatch.setattr(memory, "memory_limit", lambda: None)
    refuse_beyond(1e18, "work", where="here", next_command="less")
