"""`rankgate fuse`: a fused run file that every tool reads in the same order."""

from itertools import pairwise
from pathlib import Path

import pytest

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
