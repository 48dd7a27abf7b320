"""`rankgate fuse`: a fused run file that every tool reads in the same order."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from assets.commands.fuse_ import FUSIONS
from pipeline.collection import read_run
from tests.assets.five_queries import LISTS, Run, run_text


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    """The two branches as TREC runs."""
    paths = [tmp_path / f"{name}.run" for name in LISTS]
    for path, lists in zip(paths, LISTS.values(), strict=True):
        path.write_text(run_text(lists))
    return paths


def fused(path: Path, query: str) -> list[str]:
    """The documents of a query, in the order of the file."""
    lines = (line.split() for line in path.read_text().splitlines())
    return [line[2] for line in lines if line[0] == query]


def test_equal_weights_as_worked_by_hand(runs: list[Path], rankgate: Run, tmp_path: Path) -> None:
    out = tmp_path / "fused.run"
    done = rankgate("fuse", *runs, "-o", out)
    assert done.exit_code == 0, done.output
    assert done.output == f"{out}: rrf of lexical.run, semantic.run\n"
    assert fused(out, "q1") == ["b", "a", "d", "c"]


def test_the_first_run_named_begins_a_round_robin(
    runs: list[Path], rankgate: Run, tmp_path: Path
) -> None:
    out = tmp_path / "fused.run"
    # For q1 lexical has a, b, c and semantic b, d.
    for named, expected in ((runs, "abdc"), (runs[::-1], "badc")):
        done = rankgate("fuse", *named, "--method", "round_robin", "-o", out)
        assert done.exit_code == 0, done.output
        assert fused(out, "q1") == list(expected)


def test_every_method_offered_fuses_plain_run_files(
    runs: list[Path], rankgate: Run, tmp_path: Path
) -> None:
    for method in FUSIONS:
        done = rankgate("fuse", *runs, "--method", method, "-o", tmp_path / f"{method}.run")
        assert done.exit_code == 0, done.output


def test_weights_change_the_order(runs: list[Path], rankgate: Run, tmp_path: Path) -> None:
    out = tmp_path / "fused.run"
    rankgate("fuse", *runs, "--weights", "0,1", "-o", out)
    assert fused(out, "q1") == ["b", "d"]  # a weight of 0 takes no part


def test_scores_fall_strictly_so_that_any_order_rule_reads_the_same(
    runs: list[Path], rankgate: Run, tmp_path: Path
) -> None:
    out = tmp_path / "fused.run"
    rankgate("fuse", *runs, "-o", out)
    by_score, by_rank = read_run(out, order="score"), read_run(out, order="rank")
    assert by_score["doc_id"].to_list() == by_rank["doc_id"].to_list()
    scores = by_score.filter(by_score["query_id"] == "q1")["score"].to_list()
    assert all(one > other for one, other in pairwise(scores))


def test_the_same_run_twice_is_numbered(runs: list[Path], rankgate: Run, tmp_path: Path) -> None:
    done = rankgate("fuse", runs[0], runs[0], "-o", tmp_path / "f.run")
    assert done.exit_code == 0
    assert "0:lexical.run, 1:lexical.run" in done.output
    assert fused(tmp_path / "f.run", "q1") == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--weights", "1"), "wrong number of weights; found 1; expected 2"),
        (("--weights", "1,x"), "not numbers; found 1,x"),
        (("--weights", "-1,1"), "-1"),
        (("--weights", "0,0"), "weights"),
        (("--weights", "nan,1"), "nan"),
        (("--rank-constant", "0.5"), "0.5"),
        (("--rank-constant", "inf"), "inf"),
        (("--output-depth", "0"), "0"),
        (("--depth", "0"), "0"),
        (("--depth", str(10**20)), "expected a whole number from 1 to 1,000,000,000"),
        (("--output-depth", str(10**20)), "a depth is refused"),
        (("--weights", "1_0,1"), "not numbers; found 1_0,1"),
        (("--weights", "١,1"), "not numbers"),
    ],
)
def test_what_the_contract_refuses_names_the_value_and_writes_nothing(
    options: tuple[str, str], said: str, runs: list[Path], rankgate: Run, tmp_path: Path
) -> None:
    done = rankgate("fuse", *runs, *options, "-o", tmp_path / "f.run")
    assert done.exit_code == 1, done.output
    assert said in done.stderr
    assert not (tmp_path / "f.run").exists()


def test_a_method_on_scores_uses_them(runs: list[Path], rankgate: Run, tmp_path: Path) -> None:
    done = rankgate("fuse", *runs, "--method", "combsum", "-o", tmp_path / "f.run")
    assert done.exit_code == 0, done.output
    # min-max: lexical a 1, b .5, c 0; semantic b 1, d 0
    assert fused(tmp_path / "f.run", "q1") == ["b", "a", "d", "c"]


def test_no_run_is_replaced_by_what_is_made_of_it(runs: list[Path], rankgate: Run) -> None:
    before = runs[0].read_bytes()
    done = rankgate("fuse", *runs, "-o", runs[0])
    assert done.exit_code == 1
    assert "would replace a run" in done.stderr
    assert runs[0].read_bytes() == before


def test_a_query_that_one_run_lacks_is_fused_from_the_others_and_told(
    runs: list[Path], rankgate: Run, tmp_path: Path
) -> None:
    lines = runs[1].read_text().splitlines(keepends=True)
    runs[1].write_text("".join(line for line in lines if not line.startswith("q2 ")))
    done = rankgate("fuse", *runs, "-o", tmp_path / "f.run")
    assert done.exit_code == 0, done.output
    assert done.stderr == "semantic.run: no list for 1 of 5 queries: q2\n"
    assert fused(tmp_path / "f.run", "q2") == ["e", "f"]


def test_where_no_run_holds_anything_nothing_is_written(rankgate: Run, tmp_path: Path) -> None:
    """Two failed downloads made an empty file, which measures 0."""
    empty = tmp_path / "a.run"
    empty.write_text("\n")
    done = rankgate("fuse", empty, empty, "-o", tmp_path / "f.run")
    assert done.exit_code == 1
    assert "no results in any of the runs" in done.stderr
    assert not (tmp_path / "f.run").exists()


def test_ids_that_differ_by_normal_form_stay_two_and_are_told(
    rankgate: Run, tmp_path: Path
) -> None:
    runs = [tmp_path / "a.run", tmp_path / "b.run"]
    for path, name in zip(runs, ("cafe\u0301", "caf\u00e9"), strict=True):
        path.write_text(f"q Q0 {name} 1 2 t\n", encoding="utf-8")
    done = rankgate("fuse", *runs, "-o", tmp_path / "f.run")
    assert fused(tmp_path / "f.run", "q") == ["cafe\u0301", "caf\u00e9"]
    assert "1 ids differ from another only by blanks or Unicode normal form" in done.stderr


def test_a_run_of_distances_is_declared_and_turned_round(rankgate: Run, tmp_path: Path) -> None:
    far, near = tmp_path / "far.run", tmp_path / "near.run"
    far.write_text("q Q0 p 1 0.2 t\nq Q0 q 2 0.9 t\nq Q0 r 3 1.4 t\n")
    near.write_text("q Q0 z 1 3.0 t\n")
    out = tmp_path / "f.jsonl"
    options = ("--method", "convex_minmax", "--distances", far, "-o", out)
    done = rankgate("fuse", far, near, *options)
    assert done.exit_code == 0, done.output
    (line,) = map(json.loads, out.read_text().splitlines())
    scores = {item["doc_id"]: item["score"] for item in line["results"]}
    assert list(scores) == ["p", "z", "q", "r"]  # a missing item gains nothing
    # (1.4 - 0.9) / (1.4 - 0.2) = 0.416667, half of it by the weight
    assert scores == pytest.approx({"p": 0.5, "z": 0.5, "q": 0.416667 / 2, "r": 0.0}, abs=1e-6)


def test_only_a_given_run_can_hold_distances(
    runs: list[Path], rankgate: Run, tmp_path: Path
) -> None:
    done = rankgate("fuse", *runs, "--distances", "other.run", "-o", tmp_path / "f.run")
    assert done.exit_code == 1
    assert "--distances: not one of the runs; found other.run" in done.stderr
