"""A branch taken out of params.yaml is gone from every later output; its old folder may stay."""

from pathlib import Path

import polars as pl
import pytest

from assets.folder import StudyFolder
from assets.lock import targets
from tests.assets.five_queries import change_params, run_all, run_text


@pytest.fixture
def with_a_third(new_study: Path) -> Path:
    """The study with a third branch, run."""
    run = new_study / "data" / "collections" / "five" / "runs" / "graphical.run"
    run.write_text(run_text({"q1": "dc", "q2": "f", "q4": "b"}))
    folder = change_params(
        new_study,
        candidates={"kinship": {"kind": "recorded", "run": "graphical", "depth": 3}},
    )
    run_all(folder)
    return new_study


def later_files(study: Path) -> list[Path]:
    """Every output of the stages after the branches' own; the snapshot keeps recorded runs."""
    own = {"snapshot", "candidates", "collections"}
    return [
        path
        for path in sorted((study / "data").rglob("*"))
        if path.is_file() and path.relative_to(study / "data").parts[0] not in own
    ]


def naming(study: Path, branch: str) -> list[str]:
    """The outputs that name a branch."""
    return [path.name for path in later_files(study) if branch in content(path)]


def content(path: Path) -> str:
    """A file's columns and values as text."""
    if path.suffix == ".parquet":
        frame = pl.read_parquet(path)
        return " ".join(frame.columns) + frame.write_json()
    return path.read_text(encoding="utf-8")


def test_it_is_there_before_and_gone_after(with_a_third: Path) -> None:
    named = naming(with_a_third, "kinship")
    assert {"index.html", "decision.json", "runs.parquet", "coverage.parquet"} <= set(named)
    params = (with_a_third / "params.yaml").read_text().splitlines(keepends=True)
    place = next(number for number, line in enumerate(params) if "kinship:" in line)
    (with_a_third / "params.yaml").write_text("".join(params[:place] + params[place + 4 :]))
    folder = StudyFolder(with_a_third)
    assert sorted(folder.params.candidates) == ["lexical", "semantic"]
    run_all(folder)
    assert naming(with_a_third, "kinship") == []
    assert not any("kinship" in key for key in targets(folder))
