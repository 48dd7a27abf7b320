"""A/A: the same system twice shows nothing, and shuffled ties no more than their noise."""

import polars as pl
import pytest

from pipeline.parts import DEV, TEST, Part, visible_parts
from pipeline.same_system import SameSystem, same_systems
from pipeline.seal import Seal
from pipeline.systems import branch_systems, default_systems
from pipeline.tables import CANDIDATES
from tests.rows import params, queries, splits, table

NAMES = [f"q{number:02d}" for number in range(40)]
BRANCHES = {"bm25": {"kind": "bm25"}, "tied": {"kind": "recorded", "run": "tied"}}
LABELS = pl.DataFrame(
    [
        {"query_id": name, "evidence_id": f"d{1 + place % 4}", "grade": 1, "status": "judged"}
        for place, name in enumerate(NAMES)
    ],
    schema={
        "query_id": pl.String,
        "evidence_id": pl.String,
        "grade": pl.Int64,
        "status": pl.String,
    },
)


def study(**branch: str) -> object:
    tied = {**BRANCHES["tied"], **branch}
    return params({**BRANCHES, "tied": tied}, selection={"measure": "nDCG@2"})


def dev(of: object) -> Part:
    labels = {DEV: LABELS, TEST: LABELS.clear()}
    sides = splits(dict.fromkeys(NAMES, "dev"))
    asked = queries(dict.fromkeys(NAMES, "?"))
    return visible_parts(asked, sides, labels, Seal(None, 0.05, 0.05), of)[0]  # type: ignore[arg-type]


def lists(best_first: bool = False) -> pl.DataFrame:
    """bm25 without ties; in the other branch four items of one score, perhaps the best first."""
    rows = []
    for place, name in enumerate(NAMES):
        relevant = f"d{1 + place % 4}"
        items = [f"d{number}" for number in range(1, 5)]
        if best_first:
            items.sort(key=lambda item: (item != relevant, item))
        for branch, scores in (("bm25", (4.0, 3.0, 2.0, 1.0)), ("tied", (1.0, 1.0, 1.0, 1.0))):
            order = items if branch == "tied" else ["d1", "d2", "d3", "d4"]
            rows += [
                {
                    "branch": branch,
                    "query_id": name,
                    "rank": rank,
                    "doc_id": item,
                    "evidence_id": item,
                    "source_id": item,
                    "score": score,
                }
                for rank, (item, score) in enumerate(zip(order, scores, strict=True), start=1)
            ]
    return table(CANDIDATES, rows)


def tried(candidates: pl.DataFrame, of: object = None) -> dict[tuple[str, str], SameSystem]:
    given = of or study()
    systems = [
        one for one in default_systems(given) if one.role == "branch" or one.name == "rrf_60"
    ]  # type: ignore[arg-type]
    found = same_systems(systems, candidates, dev(given), given)  # type: ignore[arg-type]
    return {(one.system, one.again): one for one in found}


@pytest.mark.parametrize("system", ["bm25", "tied", "rrf_60"])
def test_the_same_system_twice_is_no_difference_at_all(system: str) -> None:
    found = tried(lists())[system, "computed twice"]
    assert (found.largest, found.delta, found.low, found.high) == (0.0, 0.0, 0.0, 0.0)
    assert not found.beyond


def test_a_branch_without_ties_cannot_be_shuffled() -> None:
    found = tried(lists())["bm25", "ties shuffled"]
    assert (found.largest, found.allowed, found.beyond) == (0.0, (0.0, 0.0), False)


def test_shuffled_ties_are_noise_where_their_order_knows_nothing() -> None:
    found = tried(lists())
    tied = found["tied", "ties shuffled"]
    assert tied.largest > 0.0
    assert tied.allowed is not None
    assert tied.allowed[0] < 0.0 < tied.allowed[1]
    assert not tied.beyond
    assert not found["rrf_60", "ties shuffled"].beyond


def test_an_order_of_ties_that_knows_the_answer_is_more_than_noise() -> None:
    # Every relevant item stands first among its equals: shuffling must lose, and that is told.
    found = tried(lists(best_first=True))
    assert found["tied", "ties shuffled"].beyond
    assert found["tied", "ties shuffled"].delta < -0.3
    assert found["rrf_60", "ties shuffled"].beyond
    assert not found["bm25", "ties shuffled"].beyond


def test_lists_ordered_by_their_rank_column_have_no_ties() -> None:
    found = tried(lists(best_first=True), study(order="rank"))
    assert found["rrf_60", "ties shuffled"].largest == 0.0


def test_without_labels_nothing_is_measured() -> None:
    given = study()
    empty = visible_parts(
        queries(dict.fromkeys(NAMES, "?")),
        splits(dict.fromkeys(NAMES, "dev")),
        {DEV: LABELS.clear(), TEST: LABELS.clear()},
        Seal(None, 0.05, 0.05),
        given,  # type: ignore[arg-type]
    )[0]
    assert same_systems(branch_systems(given), lists(), empty, given) == []  # type: ignore[arg-type]
