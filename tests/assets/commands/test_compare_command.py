"""`rankgate compare`: what differs between two studies, what came of it, and replay."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from assets.comparing.reading import code_of
from assets.comparing.text import BOUNDS, plain_lines
from assets.folder import StudyFolder
from assets.processes import dvc
from assets.runner import run_stage
from assets.stages import STAGES
from pipeline.comparing.paired import Paired
from pipeline.comparing.view import StudyView
from pipeline.params import to_params
from pipeline.storage import write_text
from tests.assets.five_queries import GRADES, Run, change_params, write_lines

ORDER = [stage.name for stage in STAGES]
GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b.c"]
DECLARED = {
    "mode": "declared",
    "configuration": {"method": "rrf", "rank_constant": 60},
}
SEMANTIC = {
    "configuration": {
        "method": "rrf",
        "rank_constant": 1,
        "weights": {"lexical": 1, "semantic": 9},
    }
}


def rerun(root: Path, **sections: Any) -> Path:
    """The study again with other parameters, up to the evaluation, without DVC's lock."""
    folder = change_params(root, **sections) if sections else StudyFolder(root)
    (root / "dvc.lock").unlink(missing_ok=True)
    for stage in STAGES[: ORDER.index("evaluation") + 1]:
        for branch in sorted(folder.params.candidates) if stage.per_branch else [None]:
            run_stage(folder, stage.name, branch)
    return root


def grade(root: Path, query: str, evidence: str, value: int) -> None:
    """Rewrites the collection's judgments with one grade changed."""
    lines = [
        {"query_id": q, "evidence_id": e, "grade": value if (q, e) == (query, evidence) else old}
        for (q, e), old in GRADES.items()
    ]
    write_lines(root / "data" / "collections" / "five" / "judgments" / "first.jsonl", lines)


def view(name: str, protocol: str) -> StudyView:
    """A study with that protocol that holds."""
    content = {
        "study": name,
        "collection": {"path": "."},
        "candidates": {run: {"kind": "recorded", "run": run} for run in ("x", "y")},
        "splits": {"protocol": protocol, **({"folds": 2} if protocol == "crossfit" else {})},
    }
    return StudyView(name, to_params(content), {}, lambda _: {"word": "hold"})


def compared(rankgate: Run, *arguments: object) -> dict[str, Any]:
    """The JSON of a comparison that is done."""
    done = rankgate("compare", *arguments, "--json")
    assert done.exit_code == 0, done.output
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def a(tmp_path_factory: pytest.TempPathFactory, founded: Path) -> Path:
    """Equal RRF, k = 60, declared; not to be changed."""
    root = tmp_path_factory.mktemp("compare") / "a"
    rerun(Path(shutil.copytree(founded, root)), selection=DECLARED)
    for name in ("operations", "decision"):
        run_stage(StudyFolder(root), name)
    return root


@pytest.fixture
def b(a: Path, tmp_path: Path) -> Path:
    """A copy of the same."""
    return Path(shutil.copytree(a, tmp_path / "b"))


def test_a_study_and_itself(rankgate: Run, a: Path) -> None:
    found = compared(rankgate, a, a)
    assert found["differs"] == {}
    assert found["attribution"] == "nothing differs that could change a value"
    assert all(pair["delta"] == 0 for pair in found["pairs"])


def test_one_change_is_named_and_paired_as_worked_by_hand(rankgate: Run, a: Path, b: Path) -> None:
    """B: weights .1 and .9, k = 1. A: equal weights, k = 60.

    B ranks q1 b d (.48, .30), q2 f e, q3 h g (.45, .35): nDCG@2 = 1 each. A ranks q1 b a before
    d: 3 of the ideal's 3 + 1 / log2(3) = 3.631, .8262. In q2 e and f tie, and the smaller id is
    first; in q3 g, which both list, is before h: 1 / log2(3) = .6309 each.
    """
    rerun(b, selection=SEMANTIC)
    found = compared(rankgate, a, b)
    assert list(found["differs"]) == ["fusion"]
    assert found["attribution"] == "a change is due to one thing: fusion"
    first = found["pairs"][0]
    assert (first["system"], first["measure"], found["side"]) == ("selected", "nDCG@2", "dev")
    assert first["a"] == pytest.approx((0.8262 + 0.6309 + 0.6309) / 3, abs=1e-4)
    assert first["b"] == pytest.approx(1)
    assert (first["wins"], first["losses"], first["ties"]) == (3, 0, 0)
    branch = next(one for one in found["pairs"] if one["system"] == "lexical")
    assert branch["delta"] == 0


def test_two_changes_cannot_be_attributed(rankgate: Run, a: Path, b: Path) -> None:
    rerun(b, context={"depth": 1}, selection={"configuration": {"method": "isr"}})
    done = rankgate("compare", a, b)
    assert done.exit_code == 0, done.output
    assert "context.depth: 2 → 1" in done.output
    assert "cannot be attributed: depths, fusion differ together" in done.output


def test_another_seed_is_a_difference(rankgate: Run, a: Path, b: Path) -> None:
    params = b / "params.yaml"
    content = yaml.safe_load(params.read_text())
    params.write_text(yaml.safe_dump(content | {"seed": StudyFolder(a).params.seed + 1}))
    rerun(b)
    assert compared(rankgate, a, b)["differs"] == {
        "seed": [f"seed: {StudyFolder(a).params.seed} → {StudyFolder(b).params.seed}"]
    }


def test_a_measure_without_any_value_is_named_and_not_shown() -> None:
    figures = dict.fromkeys(("delta", "low", "high"), 0.5)
    figures |= dict.fromkeys(("wins", "losses", "ties", "groups"), 2)
    shown = Paired("selected", "nDCG@2", 0.5, 1.0, figures)
    none = Paired("selected", "RR", None, None, dict.fromkeys(figures) | {"groups": 0})
    b = view("b", "holdout")
    lines = plain_lines(view("a", "holdout"), b, [shown, none], "test")
    assert lines[-2:] == [
        "note: without a value in both on any query, so left out: RR of selected",
        BOUNDS.format(alpha=b.params.evaluation.alpha),
    ]
    assert "RR  " not in "\n".join(lines)
    assert "left out" not in "\n".join(plain_lines(b, b, [shown], "test"))


def paired(system: str, wins: int, losses: int) -> Paired:
    """A row of five queries whose means are equal."""
    figures = {"delta": 0.0, "low": -0.1, "high": 0.1, "groups": 5}
    figures |= {"wins": wins, "losses": losses, "ties": 5 - wins - losses}
    return Paired(system, "nDCG@2", 0.5, 0.5, figures)


def test_rows_that_differ_on_no_query_are_counted_in_one_line() -> None:
    rows = [paired("selected", 0, 0), paired("alike", 0, 0), paired("turned", 1, 1)]
    a, b = view("a", "holdout"), view("b", "holdout")
    lines = plain_lines(a, b, [*rows, paired("same", 0, 0)], "test")
    assert [line.split()[0] for line in lines] == [
        "word:",
        "system",
        "selected",
        "turned",
        "2",
        "L",
    ]
    assert lines[4] == "2 of 4 rows differ on no query and are left out: see --all"
    every = plain_lines(a, b, [*rows, paired("same", 0, 0)], "test", every=True)
    assert [line.split()[0] for line in every][2:-1] == ["selected", "alike", "turned", "same"]
    assert not [line for line in plain_lines(a, b, rows[::2], "test") if "--all" in line]


def test_all_rows_are_shown_where_asked_for(rankgate: Run, a: Path) -> None:
    rows = compared(rankgate, a, a)["pairs"]
    done = rankgate("compare", a, a)
    assert f"{len(rows) - 1} of {len(rows)} rows differ on no query" in done.stdout
    every = rankgate("compare", a, a, "--all")
    assert every.stdout.count("+0.0000") == 3 * len(rows)
    assert "--all" not in every.stdout
    assert rankgate("compare", a, a, "--trend", "--all").exit_code == 2


@pytest.mark.parametrize(
    ("protocols", "side", "named"),
    [
        (("crossfit", "crossfit"), "test", "note: a, b: cross-fitted"),
        (("holdout", "crossfit"), "test", "note: b: cross-fitted"),
        (("crossfit", "crossfit"), "dev", None),
        (("holdout", "holdout"), "test", None),
    ],
)
def test_cross_fitted_values_are_said_to_be_of_each_folds_choice(
    protocols: tuple[str, str], side: str, named: str | None
) -> None:
    text = "\n".join(plain_lines(view("a", protocols[0]), view("b", protocols[1]), [], side))
    assert ("cross-fitted" in text) == (named is not None)
    assert (named or "") in text


def test_other_judgments_refuse_plain_comparison_and_offer_replay(
    rankgate: Run, a: Path, b: Path
) -> None:
    grade(b, "q1", "d", 0)
    rerun(b)
    done = rankgate("compare", a, b)
    assert done.exit_code == 1
    assert "judgments: 9 → 9, other content" in done.output
    assert "not comparable" in done.output
    assert f"Next: rankgate compare {a} {b} --replay" in done.output


def test_replay_of_the_same_configuration_changes_nothing(rankgate: Run, a: Path, b: Path) -> None:
    """A's configuration, measured anew on B's lists, has the very values B's evaluation stored."""
    grade(b, "q1", "d", 0)
    rerun(b)
    replayed = compared(rankgate, a, b, "--replay")["replay"]
    assert replayed["a"] == replayed["b"]
    assert [one["delta"] for one in replayed["pairs"]] == [0] * len(replayed["pairs"])
    assert (replayed["seen_by_a"], replayed["seen_by_b"]) == (3, 3)


def test_replay_measures_on_the_judgments_of_b(rankgate: Run, a: Path, b: Path) -> None:
    """Without d, q1's ideal is b alone: equal RRF has b first there, 1 as well as semantic's."""
    grade(b, "q1", "d", 0)
    rerun(b, selection=SEMANTIC)
    first = compared(rankgate, a, b, "--replay")["replay"]["pairs"][0]
    assert first["a"] == pytest.approx((1 + 0.6309 + 0.6309) / 3, abs=1e-4)
    assert (first["b"], first["wins"], first["ties"]) == (pytest.approx(1), 2, 1)


def test_a_trend_is_over_the_queries_that_nothing_changed(rankgate: Run, a: Path, b: Path) -> None:
    """A judgment of q1 is another one in B: q2 and q3 are left, .6309 each before and 1 after."""
    grade(b, "q1", "d", 0)
    rerun(b, selection=SEMANTIC)
    found = compared(rankgate, a, b, a, "--trend")
    assert (found["side"], found["core"], found["queries"]) == ("dev", 2, 3)
    steps = [(one["a"], one["b"], one["wins"], one["losses"]) for one in found["steps"]]
    assert steps[0] == (pytest.approx(0.6309, abs=1e-4), pytest.approx(1), 2, 0)
    assert steps[1] == (pytest.approx(1), pytest.approx(0.6309, abs=1e-4), 0, 2)
    assert found["whole"]["delta"] == 0
    shown = rankgate("compare", a, b, "--trend").output
    assert "over 2 unchanged queries (of 3 in the last version)" in shown
    assert "judgments, fusion" in shown


def test_more_than_two_go_with_a_trend(rankgate: Run, a: Path) -> None:
    done = rankgate("compare", a, a, a)
    assert done.exit_code == 2
    assert "more than two go with --trend" in done.output


def test_a_configuration_that_b_cannot_serve_is_refused(rankgate: Run, a: Path, b: Path) -> None:
    shallow = {"semantic": {"kind": "recorded", "run": "semantic", "depth": 1}}
    rerun(b, candidates=shallow)
    done = rankgate("compare", a, b, "--replay")
    assert done.exit_code == 1
    assert "candidates.semantic: A's configuration cannot be replayed here" in done.output
    assert "found depth 1; expected depth 100 or more" in done.output


def test_stale_results_are_refused(rankgate: Run, a: Path, study: Path) -> None:
    change_params(study, selection=DECLARED)
    done = rankgate("compare", a, study)
    assert done.exit_code == 1
    assert "not for the present inputs" in done.output


def test_what_is_no_study_is_refused(rankgate: Run, a: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = rankgate("compare", a, tmp_path / "empty")
    assert done.exit_code == 1
    assert "no study here" in done.output


def test_code_is_that_of_the_stages_that_make_values(tmp_path: Path) -> None:
    lock = """
    stages:
      candidates@dense: {deps: [{path: ../pipeline/candidates, md5: a.dir}, {path: data/x, md5: b}]}
      report: {deps: [{path: pipeline/report, md5: c.dir}]}
    """
    write_text(tmp_path / "dvc.lock", lock)
    assert code_of(tmp_path / "dvc.lock") == {"pipeline/candidates": "a.dir"}
    assert code_of(tmp_path / "nothing") == {}


def commit(root: Path) -> None:
    """The study's outputs into DVC's cache, and the study into git."""
    dvc(root, "commit", "--with-deps", "--force", "decision")
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)
    subprocess.run([*GIT, "commit", "-qm", "a study"], cwd=root, check=True)


@pytest.fixture(scope="module")
def committed(tmp_path_factory: pytest.TempPathFactory, a: Path) -> Path:
    """Two commits: equal RRF, then semantic nearly alone."""
    root = Path(shutil.copytree(a, tmp_path_factory.mktemp("committed") / "five"))
    commit(root)
    rerun(root, selection=SEMANTIC)
    commit(root)
    return root


@pytest.mark.slow
def test_two_revisions_as_two_folders(rankgate: Run, committed: Path) -> None:
    done = rankgate("compare", "HEAD~1", "HEAD", "--json", study=committed)
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert list(found["differs"]) == ["fusion"]
    assert found["pairs"][0]["wins"] == 3


@pytest.mark.slow
def test_outputs_that_are_nowhere_name_the_way_to_them(
    rankgate: Run, committed: Path, tmp_path: Path
) -> None:
    bare = Path(shutil.copytree(committed, tmp_path / "bare"))
    shutil.rmtree(bare / ".dvc" / "cache")
    done = rankgate("compare", "HEAD~1", "HEAD", study=bare)
    assert done.exit_code == 1
    assert "not in the cache" in done.output
    assert "dvc fetch --all-commits" in done.output


@pytest.mark.slow
def test_no_such_revision(rankgate: Run, committed: Path) -> None:
    done = rankgate("compare", "HEAD", "elsewhere", study=committed)
    assert done.exit_code == 1
    assert "neither a study's folder nor a git revision" in done.output
