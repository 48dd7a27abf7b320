"""What `rankgate time` measures; no test asserts how long anything takes."""

from concurrent.futures import ThreadPoolExecutor
from itertools import count

import polars as pl
import pytest

from pipeline.candidates import compute
from pipeline.errors import ContractError, InputError, ParameterError
from pipeline.stopwatch import Amount, measure
from pipeline.stopwatch.bench import Bench, Sources, askable, open_bench
from pipeline.stopwatch.call import call
from pipeline.stopwatch.measurement import steps
from pipeline.stopwatch.plans import cold_plans, served_plans
from pipeline.stopwatch.warm import warm_calls
from pipeline.systems import SELECTED, rank_system
from pipeline.times import END_TO_END, parse_times
from pipeline.times.current import branch_contracts
from tests.rows import documents, params, queries

BRANCHES = {
    "bm25": {"kind": "bm25", "depth": 3},
    "lsa": {"kind": "dense", "encoder": "lsa", "dimensions": 2, "depth": 3},
}
DOCUMENTS = documents(
    {"d1": "red pump", "d2": "blue valve", "d3": "red valve", "d4": "green hose"},
    tenant={"d4": "acme"},
)
QUERIES = queries({"q1": "red pump", "q2": "blue valve", "q3": "hose"}, tenant={"q3": "acme"})
FEW = Amount(calls=7, loaded=5, callers=(1, 4), cold=0, moments=1)
PARTS = ["eligibility", "search:bm25", "search:lsa", "collapse", "fusion", "fetch", END_TO_END]


def selected(*names, method="rrf"):
    return {
        "configuration": {
            "id": "ignored",
            "method": method,
            "rank_constant": 60,
            "weights": dict.fromkeys(names, 1.0),
            "depths": dict.fromkeys(names, 3),
        }
    }


def measured(**more):
    inputs = {
        "documents": DOCUMENTS,
        "queries": QUERIES,
        "vectors": {},
        "selection": selected("bm25", "lsa"),
        "params": params(BRANCHES),
        "measured_at": "2026-01-01T00:00:00+00:00",
        "amount": FEW,
    }
    return measure(**{**inputs, **more})


@pytest.fixture(scope="module")
def timings():
    return measured()


def opened(**sections):
    return open_bench(Sources(DOCUMENTS, {}, params(BRANCHES, **sections)), list(BRANCHES))


def plan(system, **sections):
    plans = served_plans(selected("bm25", "lsa"), params(BRANCHES, **sections), list(BRANCHES))
    return next(one for one in plans if one.system == system)


def test_every_component_of_the_selected_fusion_is_timed(timings):
    ours = [one for one in timings if (one.system, one.callers) == (SELECTED, 1)]
    assert [one.component for one in ours] == PARTS
    assert parse_times([one.line() for one in timings]) == timings


def test_every_branch_is_served_alone_and_every_depth_is_tried(timings):
    assert {one.system for one in timings} == {"bm25", "lsa", SELECTED, "selected@3"}
    deep = {**BRANCHES, "bm25": {"kind": "bm25", "depth": 20}}
    systems = {one.system for one in measured(params=params(deep))}
    assert {"selected@5", "selected@10", "selected@20"} <= systems


def test_calls_are_counted_by_callers_in_whole_rounds(timings):
    calls = {
        one.callers: len(one.calls_ms)
        for one in timings
        if (one.system, one.component) == (SELECTED, END_TO_END)
    }
    assert calls == {1: 7, 4: 8}


def test_several_callers_ask_at_enough_moments_to_compare_them():
    many = Amount(calls=1, loaded=5, callers=(1, 4), cold=0)
    whole = [one for one in measured(amount=many) if one.component == END_TO_END]
    assert {one.callers: len(one.calls_ms) for one in whole if one.system == SELECTED} == {
        1: 1,
        4: many.moments * 4,
    }


def test_the_whole_takes_as_long_as_any_of_its_parts(timings):
    ours = {one.component: one for one in timings if (one.system, one.callers) == (SELECTED, 1)}
    whole = ours.pop(END_TO_END).calls_ms
    for part in ours.values():
        assert all(all_ >= one for all_, one in zip(whole, part.calls_ms, strict=True))


def test_times_belong_to_the_branches_as_they_are(timings):
    known = branch_contracts(DOCUMENTS, params(BRANCHES))
    ours = [one for one in timings if one.system == SELECTED]
    assert all(one.contracts == known and one.depths == {"bm25": 3, "lsa": 3} for one in ours)
    assert len({one.configuration for one in ours}) == 1
    alone = [one for one in timings if one.system == "bm25"]
    assert all((set(one.contracts), one.configuration) == ({"bm25"}, None) for one in alone)
    assert len({one.session for one in timings}) == 1


def test_what_a_query_asks_for_is_counted(timings):
    work = {one.system: one.work for one in timings if one.work is not None and one.callers == 1}
    assert work[SELECTED].requests == {"bm25": 7, "lsa": 7}
    assert work["bm25"].requests == {"bm25": 7}
    # q1 matches d1 and d3, q2 d2 and d3, q3 (which may see d4) d4: five rows in three calls.
    assert work["bm25"].candidates == 2 * 5 + 2
    assert work["bm25"].documents == work["bm25"].candidates
    assert work["bm25"].context_tokens == 2 * work["bm25"].documents - 2 + 2
    assert (work[SELECTED].partial, work[SELECTED].timeouts) == (0, {})


def test_an_answer_is_what_the_study_ranks_offline():
    bench, ours = opened(), plan(SELECTED)
    of = params(BRANCHES)
    lists = [
        compute(
            documents=DOCUMENTS, queries=QUERIES, run=None, vectors=None, branch=name, params=of
        ).candidates.select(pl.lit(name).alias("branch"), pl.all())
        for name in BRANCHES
    ]
    offline = rank_system(ours.configuration, pl.concat(lists), of.fusion)
    with ThreadPoolExecutor(2) as pool:
        for query in askable(bench, QUERIES):
            expected = offline.filter(query_id=query["query_id"])["doc_id"].to_list()
            assert list(call(bench, ours, query, pool).answer) == expected[:5]


def test_many_callers_at_once_get_the_same_answers_as_one():
    bench = opened()
    plans = [plan("bm25"), plan(SELECTED)]
    asked = askable(bench, QUERIES)

    def answers(callers):
        made = warm_calls(bench, plans, asked, calls=48, callers=callers, progress=lambda _: None)
        # Both warmings end with the same query: the counted calls begin at the same one.
        return [[one.answer for one in calls] for calls in made]

    alone, crowded = answers(1), answers(16)
    assert [set(one) for one in alone] == [set(one) for one in crowded]


def test_the_calls_of_two_systems_at_one_place_are_of_one_query():
    bench = opened()
    ours, theirs = warm_calls(
        bench,
        [plan("bm25"), plan("bm25")],
        askable(bench, QUERIES),
        calls=9,
        callers=4,
        progress=lambda _: None,
    )
    assert [one.answer for one in ours] == [one.answer for one in theirs]
    assert len({one.answer for one in ours}) == 3


def test_a_branch_past_its_budget_is_given_up_and_counted():
    impatient = {"operations": {"timeout_ms": {"lsa": 1e-6}}}
    bench, ours = opened(**impatient), plan(SELECTED, **impatient)
    with ThreadPoolExecutor(2) as pool:
        called = call(bench, ours, askable(bench, QUERIES)[0], pool)
    assert called.work.timeouts == {"lsa": 1}
    assert called.work.partial == 1
    assert called.answer == ("d1", "d3")  # what bm25 has by itself


@pytest.mark.parametrize("callers", [1, 4])
def test_a_branch_that_fails_now_and_then_is_not_timed(callers, monkeypatch):
    right, asked = Bench.search, count(1)  # counted in one step, whoever else is asking

    def failing(self, branch, query, mask, depth):
        if branch == "lsa" and next(asked) % 7 == 0:
            raise MemoryError("d2: blue valve")
        return right(self, branch, query, mask, depth)

    monkeypatch.setattr(Bench, "search", failing)
    with pytest.raises(ContractError, match="failed while it was timed") as refused:
        measured(amount=Amount(calls=8, loaded=8, callers=(callers,), cold=0, moments=1))
    assert f"candidates.lsa, {callers} caller(s)" in str(refused.value)
    assert "MemoryError" in str(refused.value)
    assert "valve" not in str(refused.value)


def test_progress_comes_to_the_steps_that_were_announced():
    seen = []
    measured(progress=seen.append)
    assert sum(seen) == steps(selected("bm25", "lsa"), params(BRANCHES), FEW)


@pytest.mark.slow
def test_cold_calls_are_the_first_of_fresh_processes():
    timings = measured(amount=Amount(calls=1, loaded=1, callers=(1,), cold=1))
    cold = [one for one in timings if one.mode == "cold" and one.system == SELECTED]
    assert [one.component for one in cold] == ["start", *PARTS]
    assert {len(one.calls_ms) for one in cold} == {1}


def test_first_calls_are_compared_with_what_the_gates_compare_with():
    plans = served_plans(selected("bm25", "lsa"), params(BRANCHES), list(BRANCHES))

    def cold(best, production=None):
        of = params(BRANCHES, production=production)
        return [one.system for one in cold_plans(plans, {"best_branch": best}, of)]

    assert cold("lsa") == ["lsa", SELECTED]
    assert cold("lsa", production="bm25") == ["bm25", SELECTED]
    assert cold(None) == ["bm25", "lsa", SELECTED]


def test_no_name_of_host_or_user_is_recorded(timings):
    assert set(timings[0].machine) == {"processor", "cores", "system", "python"}


def test_a_recorded_branch_is_not_timed_nor_a_whole_that_needs_it():
    with_recorded = params({**BRANCHES, "live": {"kind": "recorded", "run": "live"}})
    timings = measured(params=with_recorded, selection=selected("bm25", "live"))
    assert {one.system for one in timings} == {"bm25", "lsa"}


def test_before_a_selection_the_branches_are_timed():
    assert {one.system for one in measured(selection={"configuration": None})} == {"bm25", "lsa"}


def test_recorded_branches_alone_cannot_be_timed():
    with pytest.raises(ParameterError, match="every branch is recorded"):
        measured(params=params({"live": {"kind": "recorded", "run": "live"}}))


def test_queries_without_text_cannot_be_asked():
    with pytest.raises(InputError, match="no query can be asked"):
        measured(queries=queries({"q1": None}))


def test_no_calls_are_no_measurement():
    with pytest.raises(ParameterError, match="calls: too few calls; found 0"):
        Amount(calls=0)
