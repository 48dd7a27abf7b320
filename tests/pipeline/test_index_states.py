"""Of which state of the index recorded runs are: told from what they name alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.collection import RecordedRun, recorded_snapshots
from pipeline.identity import digest
from pipeline.index_states import stale_states
from pipeline.tables import RECORDED_QUERIES, RECORDED_RUN, RECORDED_SNAPSHOTS
from tests.rows import documents, params, table

DOCUMENTS = documents({"a": "x", "b": "y"})
THIS, EARLIER = digest(DOCUMENTS), digest(DOCUMENTS.head(1))
BRANCHES = {name: {"kind": "recorded", "run": name} for name in ("bm25", "dense")}


def told(**named):
    rows = [
        {"branch": branch, "snapshot": name, "queries": count}
        for branch, counts in named.items()
        for name, count in counts.items()
    ]
    return RECORDED_SNAPSHOTS.check(
        table(RECORDED_SNAPSHOTS, sorted(rows, key=lambda r: (r["branch"], r["snapshot"])))
    )


def found(served=None, **named):
    of = params(BRANCHES, operations={"snapshot": served})
    return stale_states(told(**named), DOCUMENTS, of)


def test_what_runs_name_is_counted_by_branch():
    said = [
        {"query_id": f"q{number}", "status": "ok", "snapshot": name}
        for number, name in enumerate(["new", "new", "old", None])
    ]
    run = RecordedRun(table(RECORDED_RUN, []), table(RECORDED_QUERIES, said))
    assert recorded_snapshots({"bm25": run}).rows() == [("bm25", "new", 2), ("bm25", "old", 1)]
    assert recorded_snapshots({}).is_empty()


@pytest.mark.parametrize(
    "named",
    [
        {},
        {"bm25": {"monday": 9}},
        {"bm25": {"monday": 9}, "dense": {"monday": 9}},
        {"bm25": {THIS: 9}, "dense": {THIS: 9}},
    ],
)
def test_runs_of_one_state_and_runs_that_say_nothing_are_passed_over(named):
    assert found(**named) == []


def test_one_run_of_several_states():
    (one,) = found(bm25={"monday": 2, "sunday": 7})
    assert (one.sign, one.branches, one.queries) == ("several", ("bm25",), 2)
    assert one.text == (
        "bm25: its run was answered from 2 snapshots: sunday (7 queries), monday (2 queries)"
    )


def test_branches_of_different_states():
    (one,) = found(bm25={"monday": 9}, dense={"sunday": 9})
    assert (one.sign, one.branches) == ("apart", ("bm25", "dense"))
    assert "bm25 from monday, dense from sunday" in one.text


def test_another_state_than_the_one_that_is_declared():
    (one,) = found(served="monday", bm25={"sunday": 9}, dense={"monday": 9})[:1]
    assert (one.sign, one.branches, one.queries) == ("other", ("bm25",), 9)
    assert one.text == "bm25: 9 queries were answered from sunday, not from monday"
    assert found(served="monday", bm25={"monday": 9}) == []


def test_the_digest_of_other_documents_is_another_corpus():
    (one,) = found(bm25={EARLIER: 9})
    assert (one.sign, one.queries) == ("other", 9)
    # A name of an engine's own says nothing of documents that are named by their digest.
    assert [one.sign for one in found(bm25={"monday": 9}, dense={THIS: 9})] == ["apart"]


@given(st.dictionaries(st.sampled_from(["bm25", "dense"]), st.integers(1, 9), min_size=1))
def test_a_run_of_the_declared_state_is_never_stale(counts):
    named = {branch: {"now": count} for branch, count in counts.items()}
    assert found(served="now", **named) == []
