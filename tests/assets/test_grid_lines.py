"""A bare study says what it will try before it begins, and how it would be less."""

from pathlib import Path

import pytest

from assets import grid_lines as module
from assets.bare import Files, read_files
from assets.commands import study_
from assets.grid_lines import grid_lines
from tests.assets.five_queries import GRADES, LISTS, Run, run_text, write_lines

SECONDS_OF_A_POINT = 0.01


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    """The arguments of a study of four branches on the five queries."""
    lines = [{"query_id": q, "evidence_id": e, "grade": grade} for (q, e), grade in GRADES.items()]
    write_lines(tmp_path / "judgments.jsonl", lines)
    runs = {f"b{n}": tmp_path / f"b{n}.run" for n in range(4)}
    for n, path in enumerate(runs.values()):
        path.write_text(run_text(LISTS["lexical" if n % 2 else "semantic"]))
    named = [word for name, path in runs.items() for word in ("--run", f"{name}={path}")]
    return [*named, "--judgments", str(tmp_path / "judgments.jsonl"), "--independent"]


def lines_of(
    words: list[str], monkeypatch: pytest.MonkeyPatch, *, slow: float, params: str = ""
) -> list[str]:
    """What is said where a configuration takes a hundredth of a second times `slow`."""
    folder = Path(words[1].partition("=")[2]).parent
    (folder / "params.yaml").write_text(f"study: s\n{params}")
    runs = {word[:2]: Path(word[3:]) for word in words[1:8:2]}
    files = Files(runs, Path(words[9]), params=folder / "params.yaml", independent=True)
    monkeypatch.setattr(module, "of_the_grid", lambda extent: extent.points * SECONDS_OF_A_POINT)
    monkeypatch.setattr(module, "slowness", lambda: slow)
    return list(grid_lines(*read_files(files)))


# Of four branches at steps of 0.1: 6 pairs of 9 weightings, 4 threes of 36, the four of 84 make
# 282; of RRF with 8 constants and of min-max 2,538; the comparator's as many, and 4 branches.
POINTS = 2 * 9 * 282 + 4


def test_a_quick_grid_is_counted_alone(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    small = "sweep: {weight_step: 0.5, rank_constants: [60]}\n"
    said = lines_of(words, monkeypatch, slow=1, params=small)
    assert said == ["grid: 28 configurations on 5 queries"]  # six pairs, two methods, twice, and 4


def test_a_slow_grid_names_its_time_and_the_finest_that_is_quick(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Within a minute are 3,947 at .0152 s. At steps of 1/9: 6 pairs of 8, 4 threes of 28, the four
    # of 56 make 216, so 3,892; six constants instead of eight would still make 3,952.
    assert lines_of(words, monkeypatch, slow=1) == [
        f"grid: {POINTS:,} configurations on 5 queries, which take roughly 51 s"
    ]
    assert lines_of(words, monkeypatch, slow=1.52) == [
        f"grid: {POINTS:,} configurations on 5 queries, which take roughly 77 s",
        "to try fewer set sweep.weight_step to 0.111111 in the file of --params: "
        "3,892 configurations, roughly 59 s",
    ]


def test_where_no_grid_is_quick_the_quickest_is_named(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Six pairs of halves, nine times, twice, and 4 branches.
    assert lines_of(words, monkeypatch, slow=1000) == [
        f"grid: {POINTS:,} configurations on 5 queries, which take roughly 14 hours",
        "to try fewer set sweep.weight_step to 0.5 in the file of --params: "
        "112 configurations, roughly 19 min",
    ]


def test_what_is_named_is_taken_and_is_as_large_as_told(
    words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    said = lines_of(words, monkeypatch, slow=1.5, params="sweep: {weight_step: 0.111111}\n")
    assert said == ["grid: 3,892 configurations on 5 queries, which take roughly 58 s"]


def test_the_count_is_said_before_anything_is_tried(
    rankgate: Run, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def tried(_: object, params: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(study_, "run_study", tried)
    done = rankgate("study", *words)
    assert f"grid: {POINTS:,} configurations on 5 queries" in done.stderr
    assert done.exit_code == 130


def test_a_grid_that_is_refused_is_not_counted(rankgate: Run, words: list[str]) -> None:
    done = rankgate("study", *words[:2], *words[8:])
    assert done.exit_code == 1
    assert "grid:" not in done.stderr
    assert "fusion needs at least two branches" in done.stderr
