"""What DVC runs when something changed, and what it leaves; in a five-query study of its own."""

import json
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from assets import processes
from assets.artifacts import ARTIFACTS
from assets.folder import StudyFolder
from assets.freshness import stale_stages
from assets.processes import BUSY, dvc, environment, reproduce
from assets.stages import STAGES
from pipeline.errors import RankgateError
from pipeline.storage import read_json, write_text
from tests.assets.five_queries import GRADES, change_params, commit, write_lines

pytestmark = pytest.mark.slow

ORDER = [stage.name for stage in STAGES]


@pytest.fixture
def mine(tmp_path: Path, reproduced: Path) -> Path:
    """A copy of the reproduced study."""
    return Path(shutil.copytree(reproduced, tmp_path / "five"))


def stages_run(root: Path, *targets: str) -> list[str]:
    """The stages that a `dvc repro` ran, without their branches."""
    said = dvc(root, "repro", *targets)
    return list(dict.fromkeys(re.findall(r"Running stage '(\w+)", said)))


def grade(root: Path, query: str, evidence: str, value: int) -> None:
    """Rewrites the collection's judgments with one grade changed."""
    lines = [
        {"query_id": q, "evidence_id": e, "grade": value if (q, e) == (query, evidence) else old}
        for (q, e), old in GRADES.items()
    ]
    write_lines(root / "data" / "collections" / "five" / "judgments" / "first.jsonl", lines)


def drop_branch(root: Path, name: str) -> None:
    """Takes a branch out of params.yaml."""
    content = yaml.safe_load((root / "params.yaml").read_text("utf-8"))
    del content["candidates"][name]
    write_text(root / "params.yaml", yaml.safe_dump(content, sort_keys=False))


def test_a_second_run_runs_nothing_and_leaves_git_clean(mine: Path) -> None:
    assert stages_run(mine) == []
    said = subprocess.run(
        ["git", "status", "--porcelain"], cwd=mine, capture_output=True, text=True, check=True
    )
    assert said.stdout == ""


def test_one_parameter_runs_only_the_stages_that_look_at_it(mine: Path) -> None:
    change_params(mine, decision={"primary": {"margin": 0.01, "tolerance": 0.0}})
    sections = {"decision", "decision.primary"}
    looking = {stage.name for stage in STAGES if sections & set(stage.sections)}
    ran = stages_run(mine, "report")
    assert set(ran) == looking
    assert ran == [name for name in ORDER if name in looking]


def test_an_option_of_one_branch_runs_that_branch_alone_at_retrieval(mine: Path) -> None:
    change_params(mine, candidates={"lexical": {"kind": "recorded", "run": "lexical", "depth": 2}})
    said = dvc(mine, "repro", "candidates@lexical", "candidates@semantic")
    assert "Running stage 'candidates@lexical'" in said
    assert "Running stage 'candidates@semantic'" not in said


def test_one_document_runs_everything_that_reads_documents(mine: Path) -> None:
    path = mine / "data" / "collections" / "five" / "documents.jsonl"
    write_text(path, path.read_text("utf-8").replace("worda", "other"))
    reading = {stage.name for stage in STAGES if "documents" in stage.reads}
    assert {"snapshot", *reading} <= set(stages_run(mine, "report"))


def test_a_test_grade_runs_neither_sweep_nor_selection(mine: Path) -> None:
    grade(mine, "q4", "e", 1)
    ran = stages_run(mine, "evaluation")
    assert "evaluation" in ran
    assert not {"candidates", "sweep", "selection"} & set(ran)


def test_a_dev_grade_runs_the_sweep_and_no_retrieval(mine: Path) -> None:
    grade(mine, "q2", "e", 1)
    ran = stages_run(mine, "sweep")
    assert "sweep" in ran
    assert "candidates" not in ran


def test_a_removed_branch_is_gone_and_a_fresh_clone_comes_to_the_same_lock(
    mine: Path, tmp_path: Path
) -> None:
    change_params(mine, candidates={"third": {"kind": "recorded", "run": "lexical", "depth": 1}})
    dvc(mine, "repro", "sweep")
    drop_branch(mine, "third")
    dvc(mine, "repro", "sweep")
    folder = StudyFolder(mine)
    assert set(ARTIFACTS["candidates"].read(folder, None)["branch"]) == {"lexical", "semantic"}
    # That later outputs name it no more is tried in test_removed_branch.py.
    assert not [
        name for name in ARTIFACTS["configurations"].read(folder, None).columns if "third" in name
    ]
    commit(mine, "without the third")
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", str(mine), str(clone)], check=True)
    dvc(clone, "repro", "sweep")
    assert _locked(clone) == _locked(mine)


def _locked(root: Path) -> dict[str, object]:
    """The entries of the stages that ran in both."""
    stages = yaml.safe_load((root / "dvc.lock").read_text("utf-8"))["stages"]
    after = ORDER[ORDER.index("sweep") + 1 :]
    skipped = {*after, "tracking", "candidates@third"}
    return {name: entry for name, entry in stages.items() if name not in skipped}


def test_a_branch_with_a_dot_in_its_name_runs(mine: Path) -> None:
    change_params(
        mine, candidates={"smith.bm25": {"kind": "recorded", "run": "semantic", "depth": 3}}
    )
    dvc(mine, "repro", "sweep")
    assert (mine / "data" / "candidates" / "smith.bm25" / "candidates.parquet").exists()
    columns = ARTIFACTS["configurations"].read(StudyFolder(mine), None).columns
    assert "weight_smith.bm25" in columns
    assert not (mine / "data" / "candidates" / ".gitignore").exists()


def test_a_failing_stage_tells_its_reason_and_checkout_brings_its_outputs_back(
    mine: Path,
) -> None:
    sides = (mine / "data" / "sides.jsonl").read_bytes()
    write_text(mine / "data" / "sides.jsonl", "")
    done = subprocess.run(
        [sys.executable, "-m", "dvc", "repro"],
        cwd=mine,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("rankgate: ")]
    assert "rankgate assign" in line
    assert "failed to reproduce 'splits'" in done.stderr
    assert "Running stage 'evaluation'" not in done.stdout
    with pytest.raises(RankgateError, match="rankgate assign"):
        reproduce(mine)
    assert not (mine / "data" / "splits").exists()
    dvc(mine, "checkout")
    (mine / "data" / "sides.jsonl").write_bytes(sides)
    assert (mine / "data" / "splits" / "splits.parquet").exists()
    assert stages_run(mine) == []


def test_a_killed_run_is_made_good_by_the_next_one(mine: Path) -> None:
    before = (mine / "dvc.lock").read_bytes()
    dying = (
        "import os, signal\n"
        "from assets import runner\n"
        "def die(*_): os.kill(os.getpid(), signal.SIGKILL)\n"
        "runner.write_json = die\n"
        "from assets.folder import StudyFolder\n"
        "from pathlib import Path\n"
        "runner.run_stage(StudyFolder(Path()), 'pool')\n"
    )
    shutil.rmtree(mine / "data" / "pool")  # as DVC does before it starts a stage
    killed = subprocess.run([sys.executable, "-c", dying], cwd=mine, check=False)
    assert killed.returncode < 0
    assert not (mine / "data" / "pool").exists()
    dvc(mine, "repro", "--force", "--single-item", "pool")
    assert (mine / "dvc.lock").read_bytes() == before
    assert not list((mine / "data").glob(".unfinished*"))


def test_a_linked_cache_is_never_written_through(mine: Path) -> None:
    dvc(mine, "config", "cache.type", "symlink")
    dvc(mine, "checkout", "--relink")
    decision = mine / "data" / "decision" / "decision.json"
    assert decision.is_symlink()
    kept = decision.resolve()
    before = kept.read_bytes()
    change_params(mine, question="not_worse")
    dvc(mine, "repro", "decision")
    assert kept.read_bytes() == before
    assert read_json(decision)["question"] == "not_worse"


def test_a_cached_result_that_was_changed_in_place_is_noticed(mine: Path) -> None:
    dvc(mine, "config", "cache.type", "symlink")
    dvc(mine, "checkout", "--relink")
    decision = mine / "data" / "decision" / "decision.json"
    kept = decision.resolve()
    kept.chmod(0o644)
    with kept.open("a", encoding="utf-8") as file:
        file.write("tampered")
    assert stale_stages(StudyFolder(mine), "decision") == ["decision"]
    dvc(mine, "repro", "decision")
    assert "tampered" not in decision.read_text("utf-8")


def test_two_runs_at_once_finish_or_say_that_another_is_at_work(mine: Path) -> None:
    """Both may say so: DVC takes its lock again as a stage ends, and gives up after three seconds.

    The next one then ends as one alone would.
    """
    change_params(mine, question="not_worse")
    command = [sys.executable, "-m", "dvc", "repro", "decision"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    both = [subprocess.Popen(command, cwd=mine, env=environment(), **pipes) for _ in range(2)]
    said = [process.communicate(timeout=900)[1] for process in both]
    for process, errors in zip(both, said, strict=True):
        assert process.returncode == 0 or any(sign in errors for sign in BUSY), errors
    dvc(mine, "repro", "decision")
    assert stages_run(mine, "decision") == []
    assert read_json(mine / "data" / "decision" / "decision.json")["question"] == "not_worse"
    assert not list((mine / "data").glob(".unfinished*"))


ASKED = ("evaluation", "operations", "decision")  # the stages that look at `question`


def test_two_of_our_own_runs_at_once_both_finish(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(processes, "ATTEMPTS", 100)  # a busy machine may take long for a stage
    change_params(mine, question="not_worse")
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: reproduce(mine, *ASKED), range(2)))
    assert stages_run(mine, "decision") == []


def test_metrics_plots_and_parameter_changes_are_shown(mine: Path) -> None:
    (metrics,) = json.loads(dvc(mine, "metrics", "show", "--json")).values()
    shown = metrics["data"]["data/evaluation/summary.json"]["data"]
    assert shown["measure"] == "nDCG@2"
    assert {"lexical", "semantic"} <= set(shown["dev"]["baselines"])
    plots = json.loads(dvc(mine, "plots", "show", "--json"))
    (content,) = plots["data"]["data/sweep/sensitivity.csv"]
    drawn = content["content"]["data"]["values"]
    assert {"rank_constant", "value", "method", "measure"} <= set(drawn[0])
    change_params(mine, selection={"stable_share": 0.5})
    changed = json.loads(dvc(mine, "params", "diff", "--json"))["params.yaml"]
    assert changed == {"selection.stable_share": {"old": 0.8, "new": 0.5, "diff": -0.3}} | changed


def test_an_experiment_never_opens_the_test(mine: Path) -> None:
    # One in the workspace is tried on an opened study in test_dvc_sharing.py.
    ledger = (mine / "data" / "ledger.jsonl").read_bytes()
    said = dvc(mine, "exp", "run", "--temp", "-S", "question=not_worse", "--name", "other")
    assert "other" in said
    assert (mine / "data" / "ledger.jsonl").read_bytes() == ledger
    assert read_json(mine / "data/decision/decision.json")["question"] == "improve"
    dvc(mine, "exp", "apply", "other")
    decision = read_json(mine / "data/decision/decision.json")
    assert (decision["word"], decision["question"]) == ("sealed", "not_worse")
    assert set(ARTIFACTS["systems"].read(StudyFolder(mine), None)["split"]) == {"dev"}
