"""`rankgate status`: where the study stands, and what to run next."""

from pathlib import Path

import pytest

from assets.processes import dvc
from assets.state import State
from tests.assets.five_queries import Run, change_params


def told(output: str) -> dict[str, str]:
    """The first line of each kind."""
    return dict(line.split(maxsplit=1) for line in reversed(output.splitlines()))


def test_a_finished_study_is_sealed(rankgate: Run, study: Path) -> None:
    done = rankgate("status", study=study)
    assert done.exit_code == 0
    shown = told(done.output)
    assert shown["stale"] == "nothing"
    assert shown["decision"] == "sealed"
    assert shown["test"] == "sealed"
    assert shown["unjudged"].startswith("dev: ")
    assert "rankgate open" in shown["next"]


def test_another_study_of_the_repository_makes_nothing_stale_here(
    rankgate: Run, study: Path
) -> None:
    other = study / "studies" / "other"
    other.mkdir(parents=True)
    (other / "dvc.yaml").write_text("stages: {sweep: {cmd: never run}}\n")
    assert "studies/other/dvc.yaml:sweep" in dvc(study, "status", "--json")
    shown = told(rankgate("status", study=study).output)
    assert shown["stale"] == "nothing"
    assert shown["decision"] == "sealed"
    assert "rankgate open" in shown["next"]


def test_a_changed_parameter_makes_its_stages_stale(rankgate: Run, study: Path) -> None:
    change_params(study, decision={"primary": {"margin": 0.1, "tolerance": 0.0}})
    shown = told(rankgate("status", study=study).output)
    assert shown["decision"] == "sealed (of earlier inputs)"
    assert "decision" in shown["stale"]
    assert "sweep" not in shown["stale"]


def test_another_rank_constant_leaves_what_was_read_and_retrieved_fresh(
    rankgate: Run, study: Path
) -> None:
    change_params(study, sweep={"rank_constants": [10]})
    shown = told(rankgate("status", study=study).output)
    # Named are the stages that read it; what follows from them is of earlier inputs.
    assert {"sweep", "selection"} <= set(shown["stale"].split(", "))
    assert not [name for name in ("snapshot", "splits", "candidates") if name in shown["stale"]]
    assert shown["decision"] == "sealed (of earlier inputs)"


def test_a_study_before_its_first_run_says_what_to_run(rankgate: Run, new_study: Path) -> None:
    shown = told(rankgate("status", study=new_study).output)
    assert shown["decision"] == "none yet"
    assert shown["next"] == "dvc repro"


@pytest.mark.parametrize(
    ("stale", "word", "steps", "following"),
    [
        (["report"], "sealed", ["rankgate open"], "dvc repro"),
        ([], None, [], "dvc repro"),
        ([], "sealed", ["rankgate open", "more"], "rankgate open"),
        ([], "ship", [], "rankgate decide"),
    ],
)
def test_the_next_command(
    stale: list[str], word: str | None, steps: list[str], following: str
) -> None:
    assert State("s", stale, word, None, {}, steps).next_command == following
