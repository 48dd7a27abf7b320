"""`rankgate check`: every problem at once, and whether the study can answer."""

import math
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest

from assets.artifacts import ARTIFACTS
from assets.checking import check_study, environment
from assets.checking.spread import ASSUMED
from assets.folder import StudyFolder
from pipeline.collection import read_collection
from pipeline.decision.limits import declared_limits
from pipeline.ledger import opening_line, test_set_hash
from pipeline.statistics.power import smallest_detectable
from tests.assets.five_queries import Run, change_params, read_lines, run_all, run_text, write_lines
from tests.rows import splits


def found(root: Path, kind: str) -> list[str]:
    """The findings of one kind."""
    return [finding.text for finding in check_study(StudyFolder(root)) if finding.kind == kind]


def test_a_sound_study_has_no_problem(rankgate: Run, founded: Path) -> None:
    done = rankgate("check", study=founded)
    assert done.exit_code == 0, done.output
    assert done.output.rstrip().endswith("no problems. Next: dvc repro")


@pytest.mark.slow
def test_it_ends_with_what_is_really_next(rankgate: Run, study: Path) -> None:
    said = rankgate("check", study=study).output.splitlines()[-1]
    (step,) = [
        line.removeprefix("next").strip()
        for line in rankgate("status", study=study).output.splitlines()
        if line.startswith("next")
    ]
    assert "rankgate open" in step
    assert said == f"no problems. Next: {step}"
    change_params(study, sweep={"rank_constants": [10]})
    assert rankgate("check", study=study).output.endswith("no problems. Next: dvc repro\n")


def test_it_changes_nothing(rankgate: Run, new_study: Path) -> None:
    def bytes_of() -> dict[Path, bytes]:
        # DVC, asked what is stale, leaves the number of its process there.
        own = (".git/", ".dvc/tmp/")
        files = (path for path in new_study.rglob("*") if not any(o in f"{path}" for o in own))
        return {path: path.read_bytes() for path in files if path.is_file()}

    before = bytes_of()
    rankgate("check", study=new_study)
    assert bytes_of() == before


def test_a_lock_that_git_could_not_merge_is_a_problem(new_study: Path) -> None:
    (new_study / "dvc.lock").write_text("<<<<<<< HEAD\nschema: '2.0'\n")
    (said,) = found(new_study, "problem")
    assert "dvc.lock:1" in said


def test_ids_that_differ_by_normal_form_are_warned_of(new_study: Path) -> None:
    collection = new_study / "data" / "collections" / "five"
    documents = read_lines(collection / "documents.jsonl")
    twins = [{"doc_id": name, "text": "pump"} for name in ("cafe\u0301", "caf\u00e9")]
    write_lines(collection / "documents.jsonl", [*documents, *twins])
    assert (
        "1 ids differ from another only by blanks or Unicode normal form:"
        " 'cafe\\u0301' = 'caf\\xe9'" in found(new_study, "warning")
    )


def test_principals_that_no_document_knows_are_warned_of(new_study: Path) -> None:
    def given(file: str, key: str, fields: dict[str, dict[str, object]]) -> None:
        path = new_study / "data" / "collections" / "five" / file
        write_lines(path, [line | fields.get(line[key], {}) for line in read_lines(path)])

    given("documents.jsonl", "doc_id", {"a": {"tenant": "Z\u00fcrich"}, "b": {"groups": ["law"]}})
    given("queries.jsonl", "query_id", {"q1": {"tenant": "Z\u00fcrich", "groups": ["law", "vpn"]}})
    assert not [text for text in found(new_study, "warning") if "no document has" in text]
    unknown = {"tenant": "Zu\u0308rich", "groups": ["LAW", "vpn"]}
    given("queries.jsonl", "query_id", {"q2": unknown, "q3": unknown, "q4": {"groups": []}})
    assert [text for text in found(new_study, "warning") if "no document has" in text] == [
        "queries name tenant that no document has: 'Zu\\u0308rich' (2 queries)",
        "queries name groups that no document has: 'LAW, vpn' (2 queries)",
    ]


def test_what_is_pinned_must_be_something_its_query_may_see(new_study: Path) -> None:
    path = new_study / "data" / "collections" / "five" / "documents.jsonl"
    lines = read_lines(path)
    write_lines(path, [line | ({"tenant": "t"} if line["doc_id"] == "b" else {}) for line in lines])
    pinned = [{"query": "q1", "evidence": name, "cutoff": 2} for name in "ab"]
    change_params(new_study, decision={"pinned": pinned})
    assert found(new_study, "problem") == ["decision.pinned.1: query q1 may not see this evidence"]


def test_all_problems_are_listed_not_only_the_first(rankgate: Run, new_study: Path) -> None:
    change_params(
        new_study,
        candidates={
            "lexical": {"kind": "recorded", "run": "lost"},
            "rrf": {"kind": "recorded", "run": "semantic"},
        },
        evaluation={"measures": ["nDG@2", "P"]},
        decision={
            "slices": {"rare": {"tolerance": 0.1}},
            "pinned": [{"query": "q9", "evidence": "z", "cutoff": 1}],
        },
        rankgate="0.0.1",
    )
    (new_study / "data" / "times.jsonl").write_text("{}\n")
    done = rankgate("check", study=new_study)
    assert done.exit_code == 1
    said = [line for line in done.stdout.splitlines() if line.startswith("problem")]
    for expected in (
        "candidates.lexical.run: not among the collection's runs; found lost",
        "candidates.rrf: a branch has the name of a system",
        "unknown measure 'nDG@2'; the nearest known is 'nDCG'",
        "measure 'P' has no usable cutoff",
        "decision.slices.rare: no query is in this slice",
        "decision.pinned.0.query: not in the collection; found q9",
        "decision.pinned.0.evidence: not in the collection; found z",
        "the study was made for another version",
        "times.jsonl:1: not a timing",
    ):
        assert any(expected in line for line in said), (expected, said)
    assert done.stderr == f"{len(said)} problem(s)\n"


def test_every_ambiguous_spelling_is_named(new_study: Path) -> None:
    path = new_study / "params.yaml"
    text = path.read_text().replace("seed: 7", "seed: 0012").replace("alpha: 0.05", "alpha: 5e-2")
    path.write_text(text)
    (problem,) = found(new_study, "problem")
    assert "0012" in problem
    assert "5e-2 (line " in problem


def test_a_section_that_dvc_needs_is_missed(new_study: Path) -> None:
    path = new_study / "params.yaml"
    path.write_text(path.read_text().replace("question: improve\n", ""))
    (problem,) = found(new_study, "problem")
    assert "question is missing (default: improve)" in problem


def test_every_problem_of_the_collection_is_named(new_study: Path) -> None:
    with (new_study / "data/collections/five/documents.jsonl").open("a") as file:
        file.write('{"doc_id": 7}\nnot json\n')
    problems = found(new_study, "problem")
    assert [problem.split(":")[1] for problem in problems] == ["9", "10"]


def test_new_queries_ask_for_assign(new_study: Path) -> None:
    write_lines(new_study / "data" / "sides.jsonl", [])
    (problem,) = found(new_study, "problem")
    assert "5 queries without a side. Next: rankgate assign" in problem


def test_a_branch_that_reads_text_is_refused_where_there_is_none(new_study: Path) -> None:
    collection = new_study / "data" / "collections" / "five"
    write_lines(collection / "documents.jsonl", [{"doc_id": name} for name in "abcdefgh"])
    change_params(
        new_study,
        candidates={
            "lexical": {"kind": "bm25"},
            "semantic": {"kind": "dense", "encoder": "precomputed", "vectors": "lost"},
        },
    )
    problems = found(new_study, "problem")
    assert any("candidates.lexical: the collection has no text to search" in p for p in problems)
    assert any("candidates.semantic.vectors: not among" in p for p in problems)


def test_a_measure_that_looks_past_the_context_is_warned_of(new_study: Path) -> None:
    change_params(new_study, context={"depth": 5})
    assert any(
        "nDCG@2 looks at 2 items, but the reader gets 5" in text
        for text in found(new_study, "warning")
    )


def test_the_repository_is_looked_at(new_study: Path) -> None:
    (new_study / ".gitignore").write_text("*.jsonl\n")
    (new_study / ".gitattributes").unlink()
    (new_study / "data" / "times.jsonl").unlink()
    (new_study / "dvc.yaml").write_text("stages: {}\n")
    problems, warnings = found(new_study, "problem"), found(new_study, "warning")
    assert any("ledger.jsonl: git ignores this record" in text for text in problems)
    assert any("times.jsonl: the record is not there" in text for text in problems)
    assert any("Next: rankgate render" in text for text in problems)
    assert any("no merge=union" in text for text in warnings)


def test_outside_git_and_dvc_both_are_told(new_study: Path, tmp_path: Path) -> None:
    shutil.rmtree(new_study / ".git")
    assert any("not in a git repository" in text for text in found(new_study, "problem"))


def test_text_that_git_would_keep_is_warned_of_until_dvc_has_it(new_study: Path) -> None:
    def warned() -> list[str]:
        return [text for text in found(new_study, "warning") if "its text" in text]

    documents, queries = warned()
    assert "five/documents.jsonl: its text would enter git" in documents
    assert "Next: if it is not public: dvc add" in documents
    assert "five/queries.jsonl: its text would enter git" in queries
    collection = new_study / "data/collections/five"
    subprocess.run(["git", "add", collection / "queries.jsonl"], cwd=new_study, check=True)
    # What `dvc add` writes beside the .dvc file.
    (collection / ".gitignore").write_text("/documents.jsonl\n")
    (left,) = warned()
    assert "five/queries.jsonl: its text is in git" in left


def test_ids_alone_may_enter_git_and_worksheets_may_not(new_study: Path) -> None:
    collection = new_study / "data/collections/five"
    for part, key in (("documents", "doc_id"), ("queries", "query_id")):
        lines = read_lines(collection / f"{part}.jsonl")
        write_lines(collection / f"{part}.jsonl", [{key: line[key]} for line in lines])
    ignored = new_study / "data/.gitignore"
    ignored.write_text(ignored.read_text().replace("/worksheets/\n", ""))
    warnings = found(new_study, "warning")
    assert not any("its text" in text for text in warnings)
    assert any("data/worksheets: git does not ignore worksheets" in text for text in warnings)


def test_a_limit_that_moved_after_the_opening_is_named(new_study: Path) -> None:
    folder = StudyFolder(new_study)
    queries = read_collection(new_study / "data/collections/five").queries
    sides = splits(dict(queries.select("query_id", "split").iter_rows()))
    line = {
        "test_set": test_set_hash(sides, queries),
        "selection": "s",
        "configuration": {"method": "rrf", "weights": {}},
        "opened_at": "2026-01-01T00:00:00+00:00",
        "limits": declared_limits(folder.params),
    }
    write_lines(new_study / "data" / "ledger.jsonl", [line])
    assert not any("first opened" in text for text in found(new_study, "warning"))
    change_params(new_study, decision={"primary": {"margin": 0.02, "tolerance": 0.0}})
    (moved,) = (text for text in found(new_study, "warning") if "first opened" in text)
    assert moved.startswith("decision.primary.margin is 0.02, and was 0.0 when this test set")


def test_a_scale_whose_top_never_occurs_is_warned_of(new_study: Path) -> None:
    assert not any("collection.scale" in text for text in found(new_study, "warning"))
    path = new_study / "data/collections/five/judgments/first.jsonl"
    lines = [line | {"grade": min(line["grade"], 1)} for line in read_lines(path)]
    write_lines(path, lines)
    assert any("--scale 0 1" in text for text in found(new_study, "warning"))


def test_an_engine_that_is_not_installed_is_told(
    new_study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment, "find_spec", lambda name: None if name == "bm25s" else name)
    change_params(new_study, candidates={"lexical": {"kind": "bm25"}})
    assert any("bm25s is not installed" in text for text in found(new_study, "problem"))


def test_queries_and_groups_by_side_and_state(new_study: Path) -> None:
    path = new_study / "data/collections/five/judgments/first.jsonl"
    kept = [line for line in path.read_text().splitlines(keepends=True) if '"q3"' not in line]
    path.write_text("".join(kept))
    facts = found(new_study, "fact")
    assert "dev: 3 queries in 3 groups; 2 ranked, 1 no judgments" in facts
    assert "test: 2 queries in 2 groups; 2 ranked" in facts


def test_how_many_groups_there_are_and_why_is_one_line(new_study: Path) -> None:
    # q1 is dev and q5 test, as the collection says: a group that was parted is recorded as two.
    tied = "5 queries in 4 groups: 2 tied by shared relevant documents (e.g. q1 and q5 share d)"
    recorded = "data/sides.jsonl has them in 5 groups, and these stay"
    assert f"{tied}; {recorded}" in found(new_study, "fact")
    change_params(new_study, splits={"independent": True})
    facts = found(new_study, "fact")
    assert "5 queries in 5 groups: declared independent" in facts


def test_too_few_groups_for_an_interval_are_warned_of(founded: Path) -> None:
    assert "holdout: 2 groups are tested; an interval gate needs 30 to pass" in found(
        founded, "warning"
    )
    assert "crossfit: 5 groups are tested; an interval gate needs 30 to pass" in found(
        founded, "fact"
    )


@pytest.fixture
def eighty(new_study: Path) -> Path:
    """The study with 80 queries, 40 on each side, half of them won by each branch."""
    collection = new_study / "data" / "collections" / "five"
    names = [f"n{i}" for i in range(80)]
    sides = {name: "dev" if i % 2 else "test" for i, name in enumerate(names)}
    write_lines(
        collection / "queries.jsonl",
        [{"query_id": name, "text": name, "split": side} for name, side in sides.items()],
    )
    write_lines(
        collection / "judgments" / "first.jsonl",
        [{"query_id": name, "evidence_id": "a", "grade": 1} for name in names],
    )
    for branch, listed in (("lexical", "a"), ("semantic", "ba")):
        lines = (
            f"{query} Q0 {doc} {rank} {9 - rank} t\n"
            for query in names
            for rank, doc in enumerate(listed, start=1)
        )
        (collection / "runs" / f"{branch}.run").write_text("".join(lines))
    change_params(new_study, splits={"independent": True})  # all share the evidence a
    write_lines(
        new_study / "data" / "sides.jsonl",
        [{"query_id": n, "group_id": n, "side": s, "fold": None} for n, s in sides.items()],
    )
    return new_study


def test_the_detectable_effect_from_an_assumed_spread(eighty: Path) -> None:
    effect = smallest_detectable(ASSUMED / 40**0.5, 40, 0.05)
    text = next(fact for fact in found(eighty, "fact") if fact.startswith("holdout: "))
    assert f"with 40 groups at level 0.05 a true difference of {effect:.4f}" in text
    assert "assumed: a standard deviation of 0.3 per group" in text
    crossfit = next(fact for fact in found(eighty, "fact") if fact.startswith("crossfit: "))
    assert "with 80 groups" in crossfit


def test_a_slice_that_may_veto_is_told_whether_its_tolerance_can_be_resolved(eighty: Path) -> None:
    path = eighty / "data/collections/five/queries.jsonl"
    lines = read_lines(path)
    sliced = {"wide": 80, "narrow": 50, "thin": 20}
    write_lines(
        path,
        [
            line | {"slices": [name for name, most in sliced.items() if n < most]}
            for n, line in enumerate(lines)
        ],
    )
    # 40, 25 and 10 of them are test queries. With a standard deviation of .3 forty groups see
    # .3 / √40 · 2.53 = .12, so a tolerance of .2 can be resolved and one of .05 cannot.
    change_params(eighty, decision={"slices": {n: {"tolerance": 0.2} for n in sliced}})
    change_params(eighty, evaluation={"slices": {"minimum": 20}})
    facts, warnings = found(eighty, "fact"), found(eighty, "warning")
    assert any(text.startswith("decision.slices.wide: with 40 groups") for text in facts)
    assert "decision.slices.narrow: 25 groups are tested; an interval gate needs 30 to pass" in (
        warnings
    )
    assert any(
        text.startswith("decision.slices.thin: 10 test queries; below 20") for text in warnings
    )
    change_params(eighty, decision={"slices": {"wide": {"tolerance": 0.05}}})
    (told,) = (text for text in found(eighty, "warning") if "decision.slices.wide" in text)
    effect = smallest_detectable(ASSUMED / 40**0.5, 40, 0.05)
    assert effect is not None
    assert "the tolerance 0.05 will hardly be resolved" in told
    assert f"about {math.ceil(40 * (effect / 0.05) ** 2)} groups would" in told


def test_the_margin_is_part_of_what_must_be_shown(eighty: Path) -> None:
    change_params(eighty, decision={"primary": {"margin": 0.05, "tolerance": 0.0}})
    effect = smallest_detectable(ASSUMED / 40**0.5, 40, 0.05)
    assert effect is not None
    text = next(fact for fact in found(eighty, "fact") if fact.startswith("holdout: "))
    assert f"a true difference of {0.05 + effect:.4f} passes the limit 0.05" in text


def test_a_second_opening_has_a_lower_level(eighty: Path) -> None:
    queries = read_collection(eighty / "data" / "collections" / "five").queries
    sides = splits(dict(queries.select("query_id", "split").iter_rows()))
    line = {
        "test_set": test_set_hash(sides, queries),
        "selection": "s",
        "configuration": {"method": "rrf", "weights": {}},
        "opened_at": "2026-01-01T00:00:00+00:00",
    }
    write_lines(eighty / "data" / "ledger.jsonl", [line])
    facts = found(eighty, "fact")
    assert "this test set was opened for 1 selection(s)" in facts
    assert any("at level 0.007599" in fact for fact in facts)  # 0.05 · 6 / (π² · 4)


@pytest.mark.slow
def test_a_perfect_branch_leaves_nothing_to_show(eighty: Path) -> None:
    run_all(StudyFolder(eighty), last="evaluation")
    warnings = found(eighty, "warning")
    assert any(text.startswith("unresolvable against lexical on dev") for text in warnings)
    assert not any("against semantic" in text for text in warnings)
    text = next(fact for fact in found(eighty, "fact") if fact.startswith("holdout: "))
    assert "a true difference of" in text


@pytest.mark.slow
def test_groups_and_detectable_effect_are_what_the_opened_test_then_shows(eighty: Path) -> None:
    runs = eighty / "data/collections/five/runs"
    # On each side lexical misses the first place in a third of the queries, semantic in half.
    lists = {
        "lexical": ["ba" if n // 2 % 3 == 0 else "a" for n in range(80)],
        "semantic": ["ba" if n // 2 % 2 else "ab" for n in range(80)],
    }
    for branch, listed in lists.items():
        named = {f"n{n}": one for n, one in enumerate(listed)}
        (runs / f"{branch}.run").write_text(run_text(named))
    folder = StudyFolder(eighty)
    run_all(folder, last="evaluation")
    facts = found(eighty, "fact")
    assert "test: 40 queries in 40 groups; 40 ranked" in facts
    (told,) = (fact for fact in facts if fact.startswith("holdout: with 40 groups"))
    assert "spread of the stored dev differences" in told
    expected = float(told.split("a true difference of ")[1].split()[0])
    selection = ARTIFACTS["selection"].read(folder, None)
    opening = opening_line(selection, opened_at="2026-01-01T00:00:00+00:00")
    write_lines(eighty / "data" / "ledger.jsonl", [opening])
    run_all(folder, first="selection", last="evaluation")
    compared = (
        ARTIFACTS["comparisons"]
        .read(folder, None)
        .filter(
            (pl.col("split") == "test")
            & (pl.col("slice") == "")
            & (pl.col("measure") == "nDCG@2")
            & pl.col("baseline").is_in(["lexical", "semantic"])
        )
    )
    assert set(compared["groups"]) == {40}
    shown = max(compared["detectable"].drop_nulls().to_list())
    assert 0.5 <= shown / expected <= 2.0


def test_grid_points_and_rough_cost(founded: Path) -> None:
    facts = found(founded, "fact")
    # RRF: two rank constants at weights 1/4, 1/2, 3/4; convex: three weights.
    assert "grid: 9 points, 20 with what it is compared with and repeated on" in facts
    assert any(fact.startswith("a first run takes roughly ") for fact in facts)


def test_aa_finds_no_difference_between_a_system_and_itself(rankgate: Run, study: Path) -> None:
    done = rankgate("check", "--aa", study=study)
    assert done.exit_code == 0, done.output
    for name in ("lexical", "semantic", "rrf_60", "selected"):
        assert f"aa: {name}, computed twice: no difference" in done.output


def test_aa_without_stored_candidates_names_the_command(rankgate: Run, new_study: Path) -> None:
    done = rankgate("check", "--aa", study=new_study)
    assert done.exit_code == 1
    assert "nothing to compare with itself" in done.output
    assert "Next: dvc repro" in done.output
