"""No reader answers a hurt file with a traceback, a hang, or in silence with something else.

The files are the same each time. `pytest -m slow tests/fuzz --fuzz-seconds 300 --fuzz-seed 8`
tries longer, and other files. A failure names reader and number of the file, which the same seed
makes again.
"""

import gzip
from pathlib import Path
from random import Random

import pytest

from pipeline.errors import RankgateError
from tests.fuzz.fuzzing import fuzz
from tests.fuzz.mutations import delete, flip, truncate
from tests.fuzz.readers import READERS, Reader

FIRST = 15  # files for each reader in the fast tests
MANY = 300  # and in the slow one, however long they take


@pytest.mark.parametrize("reader", READERS, ids=lambda reader: reader.name)
def test_a_reader_reads_its_seed_and_so_does_its_twin(reader: Reader, tmp_path: Path) -> None:
    path = tmp_path / "seed" / reader.file
    path.parent.mkdir(parents=True)
    path.write_bytes(reader.seed)
    if reader.name == "whole collection":
        (path.parent / "queries.jsonl").write_text('{"query_id": "q"}\n')
    found = reader.read(path)
    assert found
    if reader.twin is not None:
        assert found == reader.twin(reader.seed)


def test_the_first_hurt_files(tmp_path: Path) -> None:
    outcome = fuzz(READERS, tmp_path, seed=1, seconds=0, least=FIRST)
    assert not outcome.failures, "\n\n".join(outcome.failures[:5])


@pytest.mark.slow
def test_many_hurt_files(
    tmp_path: Path, pytestconfig: pytest.Config, capsys: pytest.CaptureFixture[str]
) -> None:
    seconds = pytestconfig.getoption("--fuzz-seconds")
    seed = pytestconfig.getoption("--fuzz-seed")
    outcome = fuzz(READERS, tmp_path, seed=seed, seconds=seconds, least=MANY)
    with capsys.disabled():
        print(f"\n{outcome.table()}")  # noqa: T201 - the counts are the result
    assert not outcome.failures, "\n\n".join(outcome.failures[:5])


RUN = gzip.compress(b"".join(b"q%d Q0 d%d 1 %d.5 t\n" % (i, i, i) for i in range(200)), mtime=0)
BY_NAME = {reader.name: reader for reader in READERS}


@pytest.mark.parametrize(
    ("reader", "content"),
    [(BY_NAME["TREC run"], RUN), (BY_NAME["spreadsheet"], BY_NAME["spreadsheet"].seed)],
    ids=["gzip", "spreadsheet"],
)
def test_where_bytes_are_summed_a_hurt_file_says_the_same_or_nothing(
    reader: Reader, content: bytes, tmp_path: Path
) -> None:
    path, refused = tmp_path / reader.file, 0
    path.write_bytes(content)
    expected = reader.read(path)
    for number in range(200):
        random = Random(number)
        path.write_bytes(random.choice((flip, truncate, delete))(random, content))
        try:
            assert reader.read(path) == expected
        except RankgateError:
            refused += 1
    assert refused > 100
