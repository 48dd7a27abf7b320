"""`rankgate init`: a study, whole or not at all, beside whatever the repository holds."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from assets.dvc_yaml import render
from assets.folder import StudyFolder
from assets.stages import STAGES
from assets.versions import VERSION
from pipeline.params import read_params
from tests.assets.five_queries import (
    Run,
    git_repository,
    read_lines,
    run_text,
    write_collection,
    write_lines,
)


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A git repository with the five-query collection; neither a study nor DVC."""
    root = git_repository(tmp_path / "repository")
    write_collection(root / "data" / "collections" / "five")
    return root


@pytest.fixture
def repository(bare: Path, founded: Path) -> Path:
    """The same with DVC at home in it, as `init` made it for another study."""
    shutil.copytree(founded / ".dvc", bare / ".dvc")
    return bare


def init(rankgate: Run, root: Path, repository: Path, *more: str) -> str:
    """Makes a study of the five-query collection; what was said."""
    done = rankgate("init", root, "--collection", repository / "data/collections/five", *more)
    assert done.exit_code == 0, done.output
    return done.output


def all_files(root: Path) -> dict[str, bytes]:
    """Every file but git's and DVC's own."""
    files = (path for path in root.rglob("*") if path.is_file())
    own = {".git", ".dvc"}
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in files
        if not own & set(path.relative_to(root).parts)
    }


def git(root: Path, *arguments: str) -> str:
    """What git prints."""
    done = subprocess.run(
        ["git", *arguments], cwd=root, capture_output=True, text=True, check=False
    )
    return done.stdout.strip()


def test_the_study_has_its_records_empty_where_nothing_happened(founded: Path) -> None:
    for record in ("ledger.jsonl", "times.jsonl"):
        assert read_lines(founded / "data" / record) == []
        # At every stage DVC warns of a file without a byte.
        assert (founded / "data" / record).stat().st_size == 1
    sides = {line["query_id"]: line["side"] for line in read_lines(founded / "data/sides.jsonl")}
    assert sides == {"q1": "dev", "q2": "dev", "q3": "dev", "q4": "test", "q5": "test"}


def test_its_dvc_yaml_calls_the_installed_program_and_depends_on_its_version(
    founded: Path,
) -> None:
    assert (founded / "dvc.yaml").read_text() == render(code=None)
    stages = yaml.safe_load((founded / "dvc.yaml").read_text())["stages"]
    assert stages["pool"]["cmd"] == "rankgate run pool"
    assert all("rankgate" in stage.get("do", stage)["params"] for stage in stages.values())
    assert StudyFolder(founded).params.rankgate == VERSION


def test_its_parameters_are_read_back_as_they_were_meant(repository: Path, rankgate: Run) -> None:
    runs = repository / "data" / "collections" / "five" / "runs"
    for name in ("no.run", "007.run", "-x.run"):
        (runs / name).write_text(run_text({"q1": "a"}))
    init(rankgate, repository / "studies" / "2024", repository, "--scale", "0", "4", "--rel", "2")
    params = read_params(repository / "studies" / "2024" / "params.yaml")
    assert params.study == "2024"
    assert params.collection.path == "../../data/collections/five"
    assert params.collection.scale == (0, 4)
    assert params.collection.rel == 2
    named = {name: branch.run for name, branch in params.candidates.items()}
    assert named["no"] == "no"
    assert named["007"] == "007"
    assert named["_x"] == "-x"


def test_grades_that_look_binary_bring_a_hint(repository: Path, rankgate: Run) -> None:
    collection = repository / "data/collections/five"
    assert "hint" not in rankgate("init", repository, "--collection", collection).output
    path = collection / "judgments" / "first.jsonl"
    write_lines(path, [line | {"grade": min(line["grade"], 1)} for line in read_lines(path)])
    done = rankgate("init", repository / "two", "--collection", collection)
    assert "hint: collection.scale: the grades are 0, 1, and the scale goes up to 3" in done.output
    done = rankgate("init", repository / "three", "--collection", collection, "--scale", 0, 1)
    assert "hint" not in done.output


def test_the_workflow_says_where_it_would_be_installed_from(
    repository: Path, rankgate: Run
) -> None:
    init(rankgate, repository, repository)
    text = (repository / ".github/workflows/rankgate.yml").read_text()
    workflow = yaml.safe_load(text)
    assert workflow["env"] == {"RANKGATE": "${{ vars.RANKGATE }}"}
    assert "rankgate==" not in text


def test_an_official_split_is_kept_and_its_shares_declared(founded: Path) -> None:
    params = StudyFolder(founded).params
    assert params.splits.protocol == "holdout"
    assert params.splits.shares == {"dev": 0.6, "test": 0.4}


def test_few_groups_without_a_split_get_crossfit(repository: Path, rankgate: Run) -> None:
    queries = repository / "data/collections/five/queries.jsonl"
    lines = [json.loads(line) for line in queries.read_text().splitlines()]
    write_lines(queries, [{k: v for k, v in line.items() if k != "split"} for line in lines])
    init(rankgate, repository, repository, "--independent")
    assert read_params(repository / "params.yaml").splits.protocol == "crossfit"
    folds = {line["fold"] for line in read_lines(repository / "data" / "sides.jsonl")}
    assert folds == {0, 1, 2, 3, 4}


def test_a_foreign_scale_is_mapped_from_the_beginning(repository: Path, rankgate: Run) -> None:
    judgments = repository / "data/collections/five/judgments/2026-01.jsonl"
    judgments.parent.mkdir(exist_ok=True)
    write_lines(judgments, [{"query_id": "q1", "evidence_id": "c", "grade": -2}])
    refused = rankgate("init", repository, "--collection", repository / "data/collections/five")
    assert refused.exit_code == 1
    assert "rankgate init --scale, --grade" in refused.stderr
    wrong = rankgate(
        "init", repository, "--collection", repository / "data/collections/five", "--grade", "x=0"
    )
    assert "--grade: not FOREIGN=OURS; found x=0" in wrong.stderr
    init(rankgate, repository, repository, "--grade", "-2=0", "--grade", "9=3")
    assert read_params(repository / "params.yaml").collection.grades == {-2: 0, 9: 3}


def test_two_queries_make_two_folds(repository: Path, rankgate: Run) -> None:
    write_lines(
        repository / "data/collections/five/queries.jsonl",
        [{"query_id": "q1", "text": "one"}, {"query_id": "q2", "text": "two"}],
    )
    init(rankgate, repository, repository)
    assert read_params(repository / "params.yaml").splits.folds == 2
    assert {line["fold"] for line in read_lines(repository / "data" / "sides.jsonl")} == {0, 1}


def test_one_query_cannot_be_split_and_nothing_is_written(repository: Path, rankgate: Run) -> None:
    queries = repository / "data/collections/five/queries.jsonl"
    write_lines(queries, [{"query_id": "q1", "text": "one"}])
    before = all_files(repository)
    done = rankgate("init", repository, "--collection", repository / "data/collections/five")
    assert done.exit_code == 1
    assert "1 query group(s)" in done.stderr
    assert "rankgate init --independent" in done.stderr
    assert all_files(repository) == before


def test_every_run_is_a_branch_of_its_own_whatever_it_is_called(
    rankgate: Run, repository: Path
) -> None:
    runs = repository / "data" / "collections" / "five" / "runs"
    (runs / "lexical.run").rename(runs / "size.run")  # a name that DVC leaves out of its hash
    (runs / "semantic.run").rename(runs / "_b.run")
    (runs / "-b.run").write_bytes((runs / "_b.run").read_bytes())
    init(rankgate, repository, repository)
    branches = read_params(repository / "params.yaml").candidates
    named = {name: branch.run for name, branch in branches.items() if branch.kind == "recorded"}
    assert named == {"_b": "_b", "_b_": "-b", "size_": "size"}


def test_without_recorded_runs_the_branches_are_words_and_vectors(
    repository: Path, rankgate: Run
) -> None:
    for run in (repository / "data/collections/five/runs").iterdir():
        run.unlink()
    init(rankgate, repository, repository)
    branches = read_params(repository / "params.yaml").candidates
    assert {name: branch.kind for name, branch in branches.items()} == {
        "bm25": "bm25",
        "dense": "dense",
    }


def test_a_second_time_is_refused_and_changes_nothing(repository: Path, rankgate: Run) -> None:
    init(rankgate, repository, repository)
    before = all_files(repository)
    again = rankgate("init", repository, "--collection", repository / "data/collections/five")
    assert again.exit_code == 1
    assert "there is a study already" in again.stderr
    assert all_files(repository) == before


def test_a_pipeline_of_the_users_own_is_not_overwritten(repository: Path, rankgate: Run) -> None:
    (repository / "dvc.yaml").write_text("stages: {}\n")
    before = all_files(repository)
    done = rankgate("init", repository, "--collection", repository / "data/collections/five")
    assert done.exit_code == 1
    assert "another dvc.yaml is there already" in done.stderr
    assert all_files(repository) == before


def test_lines_of_the_users_own_files_stay(repository: Path, rankgate: Run) -> None:
    (repository / ".gitignore").write_text("*.tmp")
    (repository / ".gitattributes").write_text("*.png binary\n")
    init(rankgate, repository, repository)
    assert (repository / ".gitignore").read_text().splitlines()[:2] == ["*.tmp", "/mlruns/"]
    assert (repository / ".gitattributes").read_text().startswith("*.png binary\n")


def test_a_dvc_init_that_broke_off_is_done_again(bare: Path, rankgate: Run) -> None:
    """As a full disk leaves it: without its .gitignore, git would take DVC's cache."""
    (bare / ".dvc/tmp").mkdir(parents=True)
    (bare / ".dvc/config").touch()
    (bare / ".dvc/tmp/btime").touch()
    init(rankgate, bare, bare)
    assert "/cache" in (bare / ".dvc/.gitignore").read_text("utf-8").splitlines()
    assert "analytics = false" in (bare / ".dvc/config").read_text("utf-8")
    assert ".dvc/tmp" not in git(bare, "status", "--porcelain", "--untracked-files=all")


def test_dvc_without_git_is_left_as_it_is(repository: Path, rankgate: Run) -> None:
    (repository / ".dvc/.gitignore").unlink()
    (repository / ".dvc/config").write_text("[core]\n    no_scm = true\n", "utf-8")
    before = (repository / ".dvc/config").read_bytes()
    init(rankgate, repository, repository)
    assert (repository / ".dvc/config").read_bytes() == before


@pytest.mark.parametrize("name", ["-a b'c", "stüdy $(x)"])
def test_the_next_command_is_one_that_a_shell_takes(
    name: str, repository: Path, rankgate: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository)
    done = rankgate("init", "--collection", "data/collections/five", "--", name)
    assert done.exit_code == 0, done.output
    command = done.output.splitlines()[-1].removeprefix("next: ").removesuffix("dvc repro")
    shown = subprocess.run(["sh", "-c", f"{command} pwd"], capture_output=True, check=True)
    assert Path(shown.stdout.decode().strip()) == repository / name


def test_what_an_interrupted_init_left_is_taken_up(repository: Path, rankgate: Run) -> None:
    init(rankgate, repository, repository)
    sides = (repository / "data" / "sides.jsonl").read_bytes()
    (repository / "params.yaml").unlink()
    init(rankgate, repository, repository)
    assert (repository / "data" / "sides.jsonl").read_bytes() == sides
    ignored = (repository / "data" / ".gitignore").read_text().splitlines()
    assert len(ignored) == len(set(ignored))


@pytest.mark.parametrize("place", [".", "studies/one"])
def test_records_are_merged_line_by_line_wherever_the_study_lies(
    place: str, repository: Path, rankgate: Run
) -> None:
    root = repository / place
    init(rankgate, root, repository)
    for record in ("ledger", "sides", "times"):
        assert git(root, "check-attr", "merge", f"data/{record}.jsonl").endswith(": union")
        # Line ends that git changes would change what DVC hashes.
        assert git(root, "check-attr", "text", f"data/{record}.jsonl").endswith(": unset")
    assert git(repository, "check-attr", "text", "notes.jsonl").endswith(": unspecified")


@pytest.mark.parametrize("place", [".", "studies/one"])
def test_git_ignores_every_output_and_no_record(
    place: str, repository: Path, rankgate: Run
) -> None:
    root = repository / place
    init(rankgate, root, repository)
    outputs = [f"data/{stage.name}" for stage in STAGES]
    outputs += ["data/candidates/added_later", "data/worksheets/ann.csv", "data/.unfinished.pool"]
    assert git(root, "check-ignore", *outputs).split() == outputs
    kept = ["data/sides.jsonl", "data/ledger.jsonl", "data/times.jsonl", "params.yaml", "dvc.yaml"]
    assert git(root, "check-ignore", *kept) == ""


def test_two_studies_in_one_repository_each_have_a_workflow(
    repository: Path, rankgate: Run
) -> None:
    init(rankgate, repository, repository)
    init(rankgate, repository / "studies" / "one", repository)
    workflows = repository / ".github" / "workflows"
    assert sorted(path.name for path in workflows.iterdir()) == [
        "rankgate-one.yml",
        "rankgate.yml",
    ]
    steps = yaml.safe_load((workflows / "rankgate-one.yml").read_text())["jobs"]["study"]["steps"]
    commands = [step["run"] for step in steps if "run" in step]
    assert f"where pip can install Rankgate {VERSION} from" in commands[0]
    assert commands[0].endswith('pip install "$RANKGATE"\n')
    assert "dvc pull" in commands[1]
    assert commands[2] == "dvc repro"
    assert commands[4] == "rankgate decide"
    assert {
        step["working-directory"] for step in steps if "run" in step and "pip" not in step["run"]
    } == {"studies/one"}


def test_outside_git_it_says_git_init(tmp_path: Path, rankgate: Run) -> None:
    write_collection(tmp_path / "five")
    done = rankgate("init", tmp_path, "--collection", tmp_path / "five")
    assert done.exit_code == 1
    assert "Next: git init" in done.stderr
    assert not (tmp_path / "params.yaml").exists()


def test_a_collection_outside_the_repository_is_refused(
    tmp_path: Path, repository: Path, rankgate: Run
) -> None:
    write_collection(tmp_path / "elsewhere")
    done = rankgate("init", repository, "--collection", tmp_path / "elsewhere")
    assert done.exit_code == 1
    assert "the collection lies outside the repository" in done.stderr


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--scale", "0", "1"), "a grade off the declared scale"),
        (("--scale", "3", "0"), "scale must rise"),
        (("--rel", "9"), "rel must lie in the scale"),
    ],
)
def test_what_is_refused_leaves_no_half_study(
    options: tuple[str, ...], said: str, bare: Path, rankgate: Run
) -> None:
    before = all_files(bare)
    done = rankgate("init", bare, "--collection", bare / "data/collections/five", *options)
    assert done.exit_code == 1
    assert said in done.stderr
    assert all_files(bare) == before
    assert not (bare / ".dvc").exists()


def test_queries_that_cannot_be_split_leave_no_half_study(repository: Path, rankgate: Run) -> None:
    collection = repository / "data" / "collections" / "five"
    names = [f"n{i}" for i in range(60)]
    write_lines(collection / "queries.jsonl", [{"query_id": name, "text": name} for name in names])
    write_lines(
        collection / "judgments" / "first.jsonl",
        [{"query_id": name, "evidence_id": "a", "grade": 1} for name in names],
    )
    for path in (collection / "runs").iterdir():
        path.unlink()
    done = rankgate("init", repository, "--collection", collection)
    assert done.exit_code == 1
    assert "independent" in done.stderr
    assert not (repository / "params.yaml").exists()
    init(rankgate, repository, repository, "--independent")
    assert read_params(repository / "params.yaml").splits.independent


def test_where_nothing_is_left_to_group_by_the_option_of_init_is_named(
    repository: Path, rankgate: Run
) -> None:
    folder = repository / "data/collections/five"
    many = [{"query_id": f"q{n}", "text": f"question {n}"} for n in range(50)]
    write_lines(folder / "queries.jsonl", many)
    tied = [{"query_id": one["query_id"], "evidence_id": "b", "grade": 1} for one in many]
    write_lines(folder / "judgments" / "first.jsonl", tied)
    done = rankgate("init", repository, "--collection", folder)
    assert done.exit_code == 1
    assert "rankgate init --independent" in done.stderr
    init(rankgate, repository, repository, "--independent")
    assert read_params(repository / "params.yaml").splits.independent


def test_what_an_import_declared_holds_unless_said_otherwise(
    repository: Path, rankgate: Run
) -> None:
    source = repository / "data/collections/five"
    words = ("import", source, "--format", "jsonl", "--name", "declared")
    said = ("--regime", "exhaustive", "--scale", "0", "4", "--rel", "2", "--grade", "-1=0")
    done = rankgate(*words, *said, study=repository)
    assert done.exit_code == 0, done.output
    collection = repository / "data/collections/declared"
    for root, more, rel in (("one", (), 2), ("two", ("--rel", "1"), 1)):
        done = rankgate("init", repository / root, "--collection", collection, *more)
        assert done.exit_code == 0, done.output
        params = read_params(repository / root / "params.yaml").collection
        assert (params.regime, params.scale, params.rel) == ("exhaustive", (0, 4), rel)
        assert params.grades == {-1: 0}


def test_it_says_how_many_groups_there_are_and_why(repository: Path, rankgate: Run) -> None:
    done = init(rankgate, repository, repository)
    assert "groups: 5 queries in 4 groups: 2 tied by shared relevant documents" in done
    assert "rankgate init --independent, in another folder" in done
