"""What `rankgate check` tells of recorded runs that say nothing themselves."""

from assets.checking.inputs import Inputs
from assets.checking.silence import silence_findings
from pipeline.collection import Collection
from pipeline.recorded import RecordedRun
from pipeline.tables import JUDGMENTS, RECORDED_QUERIES, RECORDED_RUN
from tests.rows import documents, params, queries, table

NAMES = [f"q{number}" for number in range(1, 61)]
PARAMS = params({name: {"kind": "recorded", "run": name} for name in ("a", "b")})


def run(*, dead=(), snapshots=("now",)):
    rows = [
        {"query_id": name, "position": 1, "doc_id": "d", "score": 1.0}
        for name in NAMES
        if name not in dead
    ]
    said = [
        {"query_id": name, "status": "ok", "snapshot": snapshots[place % len(snapshots)]}
        for place, name in enumerate(NAMES)
    ]
    return RecordedRun(table(RECORDED_RUN, rows), table(RECORDED_QUERIES, said))


def findings(**runs):
    collection = Collection(
        documents({"d": "x"}), queries(dict.fromkeys(NAMES, "?")), JUDGMENTS.empty(), runs
    )
    return [one.text for one in silence_findings(PARAMS, Inputs(collection))]


def test_healthy_runs_are_passed_over():
    assert findings(a=run(), b=run()) == []


def test_a_run_that_is_dead_for_a_part_is_told():
    (text,) = findings(a=run(dead=NAMES[20:30]), b=run())
    assert text.startswith(
        "silent degradation: a lists nothing for 10 queries in a row, q21 to q30"
    )


def test_a_run_of_several_snapshots_is_told():
    (text,) = findings(a=run(), b=run(snapshots=("new", "new", "old")))
    assert "stale index: b: its run was answered from 2 snapshots: new (40 queries)" in text


def test_without_a_collection_nothing_is_told():
    assert list(silence_findings(PARAMS, Inputs())) == []
