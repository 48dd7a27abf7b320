"""The decision-critical list: few judgments that would turn the primary gate."""

import itertools
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
import pytest
from five_queries_study import filled
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.evaluation.critical import Critical, critical, search
from pipeline.evaluation.critical.lows import Plan
from pipeline.evaluation.differences import compare_queries, primary_differences
from pipeline.params import Params, to_params
from pipeline.parts import Part
from pipeline.query_states import query_states
from pipeline.slices import Slices
from pipeline.statistics.comparison import narrowest_bounds
from pipeline.statistics.groups import Grouped
from pipeline.tables import DOCUMENTS, QUERIES, RUNS

Listed = Mapping[str, Mapping[str, str]]
Grades = Mapping[tuple[str, str], int]


def params(**sections: object) -> Params:
    """Two recorded branches, nDCG@3, few resamples."""
    content: dict[str, object] = {
        "study": "critical",
        "collection": {"path": ".", "scale": [0, 2]},
        "candidates": {name: {"kind": "recorded", "run": name, "depth": 3} for name in "ab"},
        "selection": {"measure": "nDCG@3"},
        "evaluation": {"measures": ["nDCG@3"], "resamples": 200},
    }
    return to_params({**content, **sections})


def part(queries: Sequence[str], grades: Grades, **columns: object) -> Part:
    """The test part of these queries, each a group of its own."""
    asked = filled(QUERIES, [{"query_id": query, **columns} for query in queries])
    judged = pl.DataFrame(
        [(query, evidence, grade, "judged") for (query, evidence), grade in grades.items()],
        schema={
            "query_id": pl.String,
            "evidence_id": pl.String,
            "grade": pl.Int64,
            "status": pl.String,
        },
        orient="row",
    ).sort("query_id", "evidence_id")
    states = query_states(asked, judged)
    return Part(
        split="test",
        queries=asked,
        judgments=judged,
        states=states,
        ranked=tuple(states.filter(pl.col("state") == "ranked")["query_id"]),
        groups={query: query for query in queries},
        slices=Slices({}, {}),
        alpha=0.05,
    )


def runs(lists: Listed) -> pl.DataFrame:
    """RUNS from lists of evidence as text."""
    rows = [
        {"system": system, "query_id": query, "rank": rank, "doc_id": item, "evidence_id": item}
        for system, by_query in lists.items()
        for query, listed in by_query.items()
        for rank, item in enumerate(listed.split(), start=1)
    ]
    return filled(RUNS, rows)


def documents(*names: str, **columns: object) -> pl.DataFrame:
    """DOCUMENTS that carry an evidence of their own."""
    rows = [{"doc_id": one, "evidence_id": one, "source_id": one, **columns} for one in names]
    return filled(DOCUMENTS, rows)


def lows(lists: Listed, grades: Grades, of: Params) -> list[float]:
    """Each branch's L with these judgments, by the road that the comparisons take."""
    whole, held = runs(lists), part(sorted(lists["selected"]), grades)
    found = []
    for rival in sorted(set(lists) - {"selected"}):
        differences = primary_differences(
            whole.filter(pl.col("system") == "selected"),
            whole.filter(pl.col("system") == rival),
            held,
            of,
        )
        one = compare_queries(differences, "", part=held, params=of)
        found.append(-np.inf if one.low is None else one.low)
    return found


def listed(lists: Listed, grades: Grades, of: Params) -> Critical:
    """The list of a study on these lists."""
    held = part(sorted(lists["selected"]), grades)
    rivals = sorted(set(lists) - {"selected"})
    return critical(runs(lists), rivals, held, DOCUMENTS.empty(), of)


def judged_too(found: Critical, grades: Grades) -> dict[tuple[str, str], int]:
    """The judgments with those of the list."""
    rows = found.table.select("query_id", "evidence_id", "grade").iter_rows()
    return {**grades, **{(query, evidence): grade for query, evidence, grade in rows}}


def even(wins: int, losses: int, unjudged: int) -> tuple[dict[str, dict[str, str]], Grades]:
    """Queries won (r first against second), lost, and open: ours shows u where theirs shows x."""
    ours, theirs, grades = {}, {}, {}
    for number in range(wins + losses + unjudged):
        query = f"q{number:02}"
        good, bad = "r x", "x r"
        if number < wins:
            ours[query], theirs[query] = good, bad
        elif number < wins + losses:
            ours[query], theirs[query] = bad, good
        else:
            ours[query], theirs[query] = "u r", "x r"
        grades |= {(query, "r"): 1, (query, "x"): 0}
    return {"selected": ours, "b": theirs}, grades


def test_the_pairs_that_lift_l_over_the_margin() -> None:
    lists, grades = even(wins=8, losses=3, unjudged=10)
    of = params()
    found = listed(lists, grades, of)
    assert set(found.table["turns"]) == {"pass"}
    assert set(found.table["evidence_id"]) == {"u"}
    assert found.table["place"].to_list() == list(range(1, found.table.height + 1))
    assert lows(lists, grades, of)[0] <= 0
    assert lows(lists, judged_too(found, grades), of)[0] > 0
    assert found.figures["low_after"] == pytest.approx(
        lows(lists, judged_too(found, grades), of)[0]
    )


def test_a_win_that_one_unjudged_pair_could_undo() -> None:
    lists, grades = even(wins=10, losses=2, unjudged=0)
    # Theirs shows u before r, ours does not: judged relevant it is a win of theirs.
    for query in list(lists["selected"])[:9]:
        lists["b"][query] = "u r x"
    of = params()
    assert lows(lists, grades, of)[0] > 0
    found = listed(lists, grades, of)
    assert set(found.table["turns"]) == {"from_pass"}
    assert found.table.height == 1
    assert found.figures["proven"]
    assert lows(lists, judged_too(found, grades), of)[0] <= 0


def test_every_rival_must_be_beaten_at_once() -> None:
    lists, grades = even(wins=8, losses=3, unjudged=10)
    lists["c"] = dict.fromkeys(lists["b"], "x x2 r")
    grades = {**grades, **{(query, "x2"): 0 for query in lists["b"]}}
    found = listed(lists, grades, params())
    after = lows(lists, judged_too(found, grades), params())
    assert found.table.height
    assert min(after) > 0


def test_nothing_is_listed_where_no_grade_can_turn_the_gate() -> None:
    lists, grades = even(wins=1, losses=12, unjudged=1)
    found = listed(lists, grades, params())
    assert found.table.is_empty()
    # Both grades of the one pair were tried.
    assert found.figures == {
        "open": 1,
        "pairs": 0,
        "proven": True,
        "low": pytest.approx(lows(lists, grades, params())[0]),
        "low_after": pytest.approx(lows(lists, grades, params())[0]),
    }


def test_the_limit_is_the_declared_one() -> None:
    lists, grades = even(wins=10, losses=2, unjudged=6)
    for query in list(lists["selected"])[:10]:
        lists["b"][query] = "v r x"
    easy = listed(lists, grades, params())
    assert set(easy.table["turns"]) == {"from_pass"}
    assert set(easy.table["evidence_id"]) == {"v"}
    hard = listed(lists, grades, params(decision={"primary": {"margin": 0.15}}))
    assert set(hard.table["turns"]) == {"pass"}
    assert set(hard.table["evidence_id"]) == {"u"}


@pytest.mark.parametrize("regime", ["exhaustive", "sparse"])
def test_other_regimes_leave_nothing_open(regime: str) -> None:
    lists, grades = even(wins=8, losses=3, unjudged=10)
    of = params(collection={"path": ".", "scale": [0, 2], "regime": regime})
    found = listed(lists, grades, of)
    assert found.table.is_empty()
    assert not found.figures


def test_evidence_that_the_query_may_not_see_is_not_asked_about() -> None:
    lists, grades = even(wins=8, losses=3, unjudged=10)
    held = part(sorted(lists["selected"]), grades, tenant="ours")
    rival = documents("u", tenant="theirs")
    found = critical(runs(lists), ["b"], held, rival, params())
    assert found.figures["open"] == 0
    assert found.table.is_empty()


def test_fewer_zero_hits_are_a_gain() -> None:
    # Of b's twelve lists none holds anything relevant; ours hold u, unjudged.
    queries = [f"q{number:02}" for number in range(12)]
    lists = {"selected": dict.fromkeys(queries, "u"), "b": dict.fromkeys(queries, "x")}
    grades = {(query, name): int(name == "r") for query in queries for name in ("r", "x")}
    of = params(
        selection={"measure": "ZeroHit@3"}, evaluation={"measures": ["nDCG@3"], "resamples": 200}
    )
    found = listed(lists, grades, of)
    assert set(found.table["turns"]) == {"pass"}
    assert set(found.table["evidence_id"]) == {"u"}


SMALL = st.lists(st.sampled_from(["a", "b", "u", "v"]), min_size=1, max_size=3, unique=True)


@st.composite
def small_studies(draw: st.DrawFn) -> tuple[Listed, Grades]:
    """Four to six queries; of each query's evidence u and v are unjudged, at most four in all."""
    queries = [f"q{number}" for number in range(draw(st.integers(4, 6)))]
    lists = {
        system: {query: " ".join(draw(SMALL)) for query in queries} for system in ("selected", "b")
    }
    grades = {}
    budget = 4
    for query in queries:
        grades |= {(query, "a"): draw(st.integers(1, 2)), (query, "b"): 0}
        for name in "uv":
            shown = any(name in lists[system][query].split() for system in lists)
            if shown and (budget == 0 or not draw(st.booleans())):
                grades[query, name] = 0
            elif shown:
                budget -= 1
    return lists, grades


def smallest_by_trying(lists: Listed, grades: Grades, of: Params) -> int | None:
    """The least number of judgments that turn the gate, over every set and every grade."""
    pairs = sorted(
        {
            (query, item)
            for by_query in lists.values()
            for query, items in by_query.items()
            for item in items.split()
        }
        - grades.keys()
    )
    passes = min(lows(lists, grades, of)) > 0
    for number in range(1, len(pairs) + 1):
        for chosen in itertools.combinations(pairs, number):
            for given_ in itertools.product((1, 2), repeat=number):
                more = dict(zip(chosen, given_, strict=True))
                if (min(lows(lists, {**grades, **more}, of)) > 0) != passes:
                    return number
    return None


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(study=small_studies())
def test_against_exhaustive_search(study: tuple[Listed, Grades]) -> None:
    lists, grades = study
    of = params(evaluation={"measures": ["nDCG@3"], "resamples": 100})
    least = smallest_by_trying(lists, grades, of)
    found = listed(lists, grades, of)
    assert found.figures["proven"]
    assert found.table.height == (least or 0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "MOST_TRIED", 0)
        greedy = listed(lists, grades, of)
    if greedy.table.height:
        before, after = (lows(lists, some, of) for some in (grades, judged_too(greedy, grades)))
        assert (min(before) > 0) != (min(after) > 0)
        assert least is not None
        assert greedy.table.height >= least


@given(
    gains=st.lists(st.floats(-1, 1, width=16), min_size=4, max_size=12),
    moved=st.floats(-1, 1, width=16),
    place=st.integers(0, 3),
)
def test_bounds_after_one_change_are_those_of_the_comparison(
    gains: list[float], moved: float, place: int
) -> None:
    groups = np.array([number // 2 for number in range(len(gains))], dtype=np.int64)
    before = np.array([gains]).T
    after = before.copy()
    after[place] = moved
    found = Plan.of(groups, 0.05).bounds_after(before, [place], np.array([[moved]]))
    expected = narrowest_bounds(Grouped.of(after[:, 0], groups), 0.05)[0]
    assert found.means[0, 0] == pytest.approx(after.mean(), abs=1e-12)
    if expected is not None:
        assert found.lows[0, 0] == pytest.approx(expected, abs=1e-6)
