"""A study that is pushed, cloned, pulled, branched, merged, compared, or unpacked without git."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from dagster import AssetKey

from assets.artifacts import ARTIFACTS
from assets.folder import StudyFolder
from assets.freshness import stale_stages
from assets.lock import data_versions, targets
from assets.orchestration.instance import study_instance
from assets.processes import dvc
from assets.records import LEDGER
from pipeline.appending import append_lines
from pipeline.errors import RankgateError
from pipeline.ledger import opening_line
from tests.assets.commands.test_ui_command import studies_in_mlflow
from tests.assets.five_queries import Run, change_params, commit

pytestmark = pytest.mark.slow

WHO = ["-c", "user.name=a", "-c", "user.email=a@b.c"]


def git(root: Path, *arguments: str) -> str:
    """Runs git in a folder as a user of the test's own."""
    done = subprocess.run(
        ["git", *WHO, *arguments], cwd=root, capture_output=True, text=True, check=True
    )
    return done.stdout


def open_test(root: Path, moment: str) -> None:
    """What `rankgate open` appends, at a moment of the test's own."""
    selection = ARTIFACTS["selection"].read(StudyFolder(root), None)
    append_lines(root / LEDGER, [opening_line(selection, opened_at=moment)])


@pytest.fixture
def mine(tmp_path: Path, reproduced: Path) -> Path:
    """A copy of the reproduced study."""
    return Path(shutil.copytree(reproduced, tmp_path / "five"))


def test_a_clone_pulls_the_study_without_computing_and_tracking_makes_its_pages(
    mine: Path, tmp_path: Path, rankgate: Run
) -> None:
    dvc(mine, "remote", "add", "--default", "store", str(tmp_path / "store"))
    commit(mine, "a remote")
    dvc(mine, "push")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", str(mine), str(clone))
    assert not (clone / "data" / "decision").exists()
    assert "dvc pull, then dvc repro" in rankgate("status", study=clone).output
    assert "Next: dvc pull, then dvc repro" in rankgate("decide", study=clone).stderr
    dvc(clone, "pull")
    assert stale_stages(StudyFolder(clone)) == []
    files = [path for path in (mine / "data").rglob("*") if path.is_file()]
    for path in files:
        assert (clone / path.relative_to(mine)).read_bytes() == path.read_bytes()
    assert "didn't change" in dvc(clone, "repro")
    assert not (clone / "mlruns").exists()

    done = rankgate("run", "tracking", study=clone)
    assert done.exit_code == 0, done.output
    assert studies_in_mlflow(clone) == ["five"]
    with study_instance(clone) as instance:
        told = [AssetKey(["five", *key]) for key in targets(StudyFolder(clone))]
        assert all(instance.get_latest_materialization_event(key) for key in told)
    assert git(clone, "status", "--porcelain") == ""


def test_two_branches_that_each_opened_the_test_merge_and_count_both(mine: Path) -> None:
    main = git(mine, "branch", "--show-current").strip()
    git(mine, "checkout", "-qb", "early")
    open_test(mine, "2026-01-02T03:04:05+00:00")
    commit(mine, "opened early")
    git(mine, "checkout", "-qb", "late", main)
    change_params(mine, fusion={"missing": "past_depth"})
    dvc(mine, "repro", "selection")
    open_test(mine, "2026-01-03T03:04:05+00:00")
    commit(mine, "opened late")
    numbers = {}
    for here, there in (("late", "early"), ("early", "late")):
        git(mine, "checkout", "-qB", "merged", here)
        git(mine, "merge", "-q", "--no-edit", there)
        openings = ARTIFACTS["ledger"].read(StudyFolder(mine), None)
        numbers[here] = [opening.opened_at[:10] for opening in openings]
    assert numbers["late"] == numbers["early"] == ["2026-01-02", "2026-01-03"]
    dvc(mine, "repro", "evaluation")
    summary = ARTIFACTS["evaluation_summary"].read(StudyFolder(mine), None)
    assert summary["opening"] == 2
    assert summary["alpha"] < StudyFolder(mine).params.evaluation.alpha


def test_a_change_is_compared_with_the_last_commit(mine: Path) -> None:
    change_params(mine, fusion={"missing": "past_depth"})
    dvc(mine, "repro", "evaluation")
    params = json.loads(dvc(mine, "params", "diff", "--json"))["params.yaml"]
    assert params == {"fusion.missing": {"old": "skip", "new": "past_depth"}}
    metrics = json.loads(dvc(mine, "metrics", "diff", "--all", "--json"))
    changed = {name.partition(".")[0] for name in metrics["data/evaluation/summary.json"]}
    assert {"dev", "measure"} <= changed
    plots = json.loads(dvc(mine, "plots", "diff", "HEAD", "--json"))
    (drawn,) = plots["data"]["data/sweep/sensitivity.csv"]
    assert set(drawn["revisions"]) == {"HEAD", "workspace"}


def test_an_experiment_on_an_opened_study_is_sealed_again_and_leaves_the_ledger(
    mine: Path,
) -> None:
    open_test(mine, "2026-01-02T03:04:05+00:00")
    commit(mine, "opened")
    before = (mine / LEDGER).read_bytes()
    dvc(mine, "exp", "run", "-S", "fusion.missing=past_depth", "--name", "other", "decision")
    assert (mine / LEDGER).read_bytes() == before
    assert ARTIFACTS["decision"].read(StudyFolder(mine), None)["word"] == "sealed"


def test_a_copy_without_git_is_told_how_it_works_and_then_does(mine: Path) -> None:
    shutil.rmtree(mine / ".git")
    with pytest.raises(RankgateError, match=r"git init.*core\.no_scm true"):
        stale_stages(StudyFolder(mine))
    dvc(mine, "config", "core.no_scm", "true")
    assert stale_stages(StudyFolder(mine)) == []
    change_params(mine, question="not_worse")
    dvc(mine, "repro", "decision")
    versions = data_versions(StudyFolder(mine))
    assert ("decision",) in versions
    assert ARTIFACTS["decision"].read(StudyFolder(mine), None)["question"] == "not_worse"
