"""The page of full studies: its cheapest study is made again, and says what stands there."""

import re
from pathlib import Path

import pytest

from benchmarks.full_studies import STUDIES, studied
from pipeline.storage import read_json

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "studies.md").read_text(encoding="utf-8")


def test_the_page_has_a_row_for_every_study() -> None:
    rows = re.findall(r"^\| .* \| (?:\*\*)?(?:ship|hold|inconclusive)", PAGE, re.MULTILINE)
    assert len(rows) == len(STUDIES)


@pytest.mark.slow
def test_dl19_says_what_the_page_says(collections: Path, tmp_path: Path) -> None:
    source = collections / "dl19-passage-runs"
    data = studied(source.name, source, tmp_path / source.name)
    decision = read_json(data / "decision" / "decision.json")
    reason = decision["gates"][0]["reason"]
    found = re.search(r"against tasb: nDCG@5 (\S+), between (\S+) and (\S+);", reason)
    assert found is not None, reason
    delta, low, high = (figure.replace("-", "−") for figure in found.groups())
    row = next(line for line in PAGE.splitlines() if line.startswith("| DL 2019"))
    assert f"tasb {delta} | {low} to {high} | {decision['word']} |" in row
