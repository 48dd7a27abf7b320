"""What was edited while a stage ran is noticed, and only where the stage looks at it."""

from collections.abc import Callable
from pathlib import Path

import pytest

from assets import runner
from assets.folder import StudyFolder
from assets.runner import load, run_stage
from pipeline.errors import RankgateError
from tests.assets.five_queries import change_params

Edit = Callable[[Path], object]


@pytest.fixture
def during(monkeypatch: pytest.MonkeyPatch, study: Path) -> Callable[..., None]:
    """Runs a stage, and an edit while it computes."""

    def run(edit: Edit, stage: str, branch: str | None = None) -> None:
        def loaded(dotted: str) -> Callable[..., object]:
            def compute(*given: object, **named: object) -> object:
                edit(study)
                return load(dotted)(*given, **named)

            return compute

        monkeypatch.setattr(runner, "load", loaded)
        run_stage(StudyFolder(study), stage, branch)

    return run


@pytest.mark.parametrize(
    ("sections", "stage", "named"),
    [
        ({"evaluation": {"alpha": 0.01}}, "evaluation", "found evaluation;"),
        ({"evaluation": {"alpha": 0.01}}, "pool", r"found evaluation\.alpha;"),
        ({"seed": 8, "question": "not_worse"}, "evaluation", "found question, seed;"),
        ({"rankgate": "0.0.1"}, "sweep", "found rankgate;"),
    ],
)
def test_parameters_that_a_stage_looks_at(
    during: Callable[..., None], sections: dict[str, object], stage: str, named: str
) -> None:
    with pytest.raises(RankgateError, match=rf"params\.yaml: changed while.*{named}.*dvc repro"):
        during(lambda root: change_params(root, **sections), stage)


@pytest.mark.parametrize(
    ("sections", "stage"),
    [({"report": {"text": True}}, "evaluation"), ({"evaluation": {"alpha": 0.01}}, "sweep")],
)
def test_parameters_that_it_does_not_look_at_are_harmless(
    during: Callable[..., None], sections: dict[str, object], stage: str
) -> None:
    during(lambda root: change_params(root, **sections), stage)


def test_a_branchs_own_options_alone_matter_to_it(during: Callable[..., None]) -> None:
    other = {"semantic": {"kind": "recorded", "run": "semantic", "depth": 2}}
    during(lambda root: change_params(root, candidates=other), "candidates", "lexical")
    with pytest.raises(RankgateError, match="found candidates;"):
        during(
            lambda root: change_params(root, candidates={**other, "lexical": other["semantic"]}),
            "candidates",
            "lexical",
        )


@pytest.mark.parametrize(
    ("path", "stage"),
    [
        ("data/ledger.jsonl", "evaluation"),
        ("data/times.jsonl", "operations"),
        ("data/sides.jsonl", "splits"),
        ("data/collections/five/judgments/first.jsonl", "snapshot"),
        ("data/collections/five/judgments/second.jsonl", "snapshot"),
    ],
)
def test_a_record_or_collection_that_it_reads(
    during: Callable[..., None], path: str, stage: str
) -> None:
    def add(root: Path) -> None:
        with (root / path).open("a", encoding="utf-8") as file:
            file.write("\n")

    with pytest.raises(RankgateError, match=rf"changed while.*found \S*{Path(path).name}"):
        during(add, stage)


def test_a_linked_folder_of_the_collection_is_looked_into(
    during: Callable[..., None], study: Path
) -> None:
    collection, real = study / "data/collections/five", study / "real"
    (collection / "runs").rename(real)
    (collection / "runs").symlink_to(real)
    (real / ".around").symlink_to(collection)  # a circle: every folder is looked into once
    with pytest.raises(RankgateError, match=r"changed while.*found \S*runs/lexical\.run;"):
        during(lambda _: (real / "lexical.run").write_text(""), "snapshot")


def test_hidden_files_and_other_records_are_harmless(during: Callable[..., None]) -> None:
    during(lambda root: (root / "data/times.jsonl").write_text(""), "splits")
    hidden = "data/collections/five/judgments/.first.jsonl.swp"
    during(lambda root: (root / hidden).write_text("x"), "snapshot")


@pytest.mark.parametrize("stage", ["pool", "evaluation"])
def test_refused_results_do_not_replace_the_earlier_ones(
    during: Callable[..., None], study: Path, stage: str
) -> None:
    def edit(root: Path) -> None:
        change_params(root, evaluation={"alpha": 0.01}, rankgate="0.0.1")

    left = study / "data" / stage / "left_by_the_earlier_run"
    left.touch()
    with pytest.raises(RankgateError, match="changed while"):
        during(edit, stage)
    assert left.exists()
    assert not list((study / "data").glob(".*.*"))


def test_half_saved_parameters_are_told_with_their_line(during: Callable[..., None]) -> None:
    with pytest.raises(RankgateError, match=r"params\.yaml"):
        during(lambda root: (root / "params.yaml").write_text("study: [\n"), "pool")
