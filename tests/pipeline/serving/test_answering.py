"""What is answered from the replies of the branches."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.fusion import Configuration, collapse, fuse
from pipeline.params import FusionParams
from pipeline.serving import HEALTHY, PARTIAL, Reply, serve, surviving
from tests.rows import candidates

FUSION = FusionParams()
LISTS = {"bm25": ["a", "b", "c"], "dense": ["c", "d"], "graph": ["d", "a"]}


def rows(name, found=None):
    listed = candidates({(name, "q1"): LISTS[name] if found is None else found})
    return listed.drop("branch")


def configuration(method="rrf", **weights):
    constant = 60 if method == "rrf" else None
    return Configuration.of(
        method, rank_constant=constant, weights=weights, depths=dict.fromkeys(weights, 100)
    )


def answered(choice, **replies):
    given = {name: Reply("ok", rows(name)) for name in choice.branches} | replies
    return serve(given, choice, FUSION)


def test_all_branches_give_what_fusion_gives_offline():
    choice = configuration(bm25=0.5, dense=0.25, graph=0.25)
    served = answered(choice)
    offline = candidates({(name, "q1"): found for name, found in LISTS.items()})
    assert served.run.equals(fuse(offline, choice.contract(FUSION)))
    assert (served.partial, served.used) == (False, ("bm25", "dense", "graph"))


@pytest.mark.parametrize("method", ["rrf", "convex_minmax", "combmnz", "round_robin"])
@pytest.mark.parametrize("status", ["timeout", "error", "missing", "refused"])
def test_one_branch_left_keeps_its_order_and_the_answer_is_marked(method, status):
    served = answered(configuration(method, bm25=0.5, dense=0.5), dense=Reply(status))
    assert served.run["doc_id"].to_list() == LISTS["bm25"]
    assert served.partial
    assert served.states == {"bm25": "ok", "dense": status}


def test_a_branch_that_has_nothing_to_say_leaves_the_answer_whole():
    served = answered(configuration(bm25=0.5, dense=0.5), dense=Reply("empty"))
    assert (served.partial, served.used) == (False, ("bm25",))


def test_a_list_in_part_is_used_and_the_answer_is_marked():
    cut = Reply("partial", rows("dense", ["c"]))
    served = answered(configuration(bm25=0.5, dense=0.5), dense=cut)
    assert served.run["doc_id"].to_list() == ["c", "a", "b"]
    assert (served.partial, served.used) == (True, ("bm25", "dense"))


def test_a_refused_list_is_not_used_though_it_came():
    stale = Reply("refused", rows("dense"))
    served = answered(configuration(bm25=0.5, dense=0.5), dense=stale)
    assert served.run["doc_id"].to_list() == LISTS["bm25"]


def test_nothing_left_is_an_answer_of_nothing_and_is_marked():
    gone = {"bm25": Reply("timeout"), "dense": Reply("error")}
    served = answered(configuration(bm25=0.5, dense=0.5), **gone)
    assert served.run.is_empty()
    assert served.partial


def test_weights_of_those_left_are_scaled_up():
    left = surviving(configuration(bm25=0.2, dense=0.2, graph=0.6), ["dense", "bm25"])
    assert left is not None
    assert dict(left.weights) == {"bm25": 0.5, "dense": 0.5}


STATES = st.sampled_from(sorted({"ok"} | HEALTHY | PARTIAL))


@given(st.tuples(STATES, STATES, STATES))
def test_an_answer_is_marked_exactly_where_a_branch_gave_less_than_it_has(states):
    choice = configuration(bm25=0.5, dense=0.25, graph=0.25)
    replies = {
        name: Reply(state, rows(name) if state in {"ok", "partial", "refused"} else None)
        for name, state in zip(choice.branches, states, strict=True)
    }
    served = serve(replies, choice, FUSION)
    assert served.partial == any(state in PARTIAL for state in states)
    shown = {doc for name in served.used for doc in LISTS[name]}
    assert set(served.run["doc_id"]) == shown
    if len(served.used) == 1:
        own = collapse(candidates({(served.used[0], "q1"): LISTS[served.used[0]]}))
        assert served.run["doc_id"].to_list() == own["doc_id"].to_list()


def test_rows_of_one_answer_are_typed_like_any_fused_list():
    empty = serve({"bm25": Reply("error")}, configuration("branch", bm25=1.0), FUSION).run
    full = answered(configuration(bm25=0.5, dense=0.5)).run
    assert isinstance(empty, pl.DataFrame)
    assert empty.schema == full.schema
