"""The stage `decision`: what a reader of decision.json finds."""

from dataclasses import fields, replace

import pytest

from pipeline.decision import compute
from pipeline.storage import to_json
from pipeline.tables import COVERAGE, SYSTEMS
from tests.findings import GAIN, LOSS, MEASURE, UNSURE, comparison, deciding, findings
from tests.rows import splits, table

EVERYTHING = {"has_text": True, "has_acl": True, "has_dates": True, "has_slices": True}
JUDGED = table(
    COVERAGE, [{"system": "bm25", "split": "test", "cutoff": 5, "judged": 9, "returned": 9}]
)
LEAKING = {
    "applies": True,
    "checked": {"candidates": {"rows": 5, "forbidden": 1}},
    "forbidden": 1,
    "where": [
        {
            "list": "candidates",
            "system": "bm25",
            "query_id": "q01",
            "doc_id": "d",
            "reason": "another tenant's",
        }
    ],
}


def decided(first=GAIN, second=GAIN, *, manifest=EVERYTHING, **more):
    rows = [comparison("bm25", first), comparison("dense", second)]
    made = findings(rows, **{"coverage": JUDGED, **more})
    inputs = {field.name: getattr(made, field.name) for field in fields(made)}
    return compute(manifest=manifest, **inputs)


@pytest.mark.parametrize(
    ("second", "word"), [(GAIN, "ship"), (UNSURE, "inconclusive"), (LOSS, "hold")]
)
def test_says_one_word_and_how_to_get_another(second, word):
    decision = decided(GAIN, second).decision
    assert decision["word"] == word
    assert bool(decision["next"]) == (word != "ship")


def test_nothing_outweighs_a_leak():
    decision = decided(authorization=LEAKING).decision
    assert decision["word"] == "hold"
    assert decision["gates"][0]["status"] == "pass"


def test_a_leak_shows_before_the_test_is_opened():
    decision = decided(authorization=LEAKING, sealed=True).decision
    assert decision["word"] == "sealed"
    assert {gate["gate"]: gate["status"] for gate in decision["gates"]}["authorization"] == "fail"
    assert "`rankgate open`" in decision["next"][-1]


def test_a_required_gate_without_a_measurement_is_inconclusive_and_named():
    of = deciding({"latency": {"milliseconds": 10.0}})
    decision = decided(of=of).decision
    assert decision["word"] == "inconclusive"
    assert "took_ms" in decision["next"][0]  # what recorded runs lack


def test_an_advisory_failure_is_shown_and_changes_nothing():
    made = findings()
    decision = decided(selection={**made.selection, "stability": "fail"}).decision
    assert decision["word"] == "ship"
    assert ("stability", False, "fail") in [
        (gate["gate"], gate["required"], gate["status"]) for gate in decision["gates"]
    ]


def test_names_selection_baselines_hashes_and_opening():
    systems = [
        {
            "system": system,
            "role": "x",
            "split": "test",
            "measure": MEASURE,
            "value": value,
            "queries": 40,
            "groups": 40,
        }
        for system, value in (("selected", 0.6), ("bm25", 0.5))
    ]
    decision = decided(systems=table(SYSTEMS, systems)).decision
    assert decision["selected"]["values"] == {"test": 0.6}
    assert [(one["baseline"], one["delta"], one["value"]) for one in decision["baselines"]] == [
        ("bm25", 0.1, 0.5),
        ("dense", 0.1, None),
    ]
    assert decision["hashes"] == {"selection": "s", "test_set": "t"}
    assert decision["openings"] == {"opening": 1, "alpha": 0.05}


def test_known_items_only_is_said_beside_the_word():
    decision = decided(of=deciding({}, regime="sparse")).decision
    assert "ranking of known items only" in decision["notes"]


def test_what_a_collection_of_ids_switches_off_is_listed():
    absent = dict.fromkeys(EVERYTHING, False)
    notes = " ".join(decided(manifest=absent).decision["notes"])
    assert all(word in notes for word in ("no text", "no tenants", "no dates", "no slices"))


def test_lists_of_another_corpus_are_told_beside_the_word():
    stale = [{"branches": ["bm25"], "text": "bm25: 9 queries were answered from monday"}]
    notes = decided(operations_summary={"stale": stale}).decision["notes"]
    assert any(one.startswith("stale index: bm25: 9 queries were answered") for one in notes)


def test_ids_that_do_not_join_though_they_look_alike_are_noted_without_names():
    noticed = {"ids_alike": {"count": 2, "first": [["e\u0301", "\u00e9"]]}}
    notes = decided(manifest={**EVERYTHING, "noticed": noticed}).decision["notes"]
    assert any(
        note.startswith("ids: 2 differ from another only by blanks or Unicode") for note in notes
    )
    assert not any("\u00e9" in note for note in notes)
    none = {"ids_alike": {"count": 0, "first": []}}
    quiet = decided(manifest={**EVERYTHING, "noticed": none}).decision["notes"]
    assert not any(note.startswith("ids:") for note in quiet)


def test_without_a_selection_nothing_is_claimed():
    made = findings()
    nothing = {**made.selection, "configuration": None, "stability": "not_applicable"}
    result = decided(selection=nothing, sealed=True, coverage=COVERAGE.empty())
    assert result.decision["selected"] is None
    assert result.decision["word"] == "sealed"
    assert "rankgate judge export" in result.decision["next"][0]


def test_a_study_without_a_test_side_is_told_so():
    dev = splits({f"q{number:02d}": "dev" for number in range(40)})
    assert "splits.shares.test" in decided(sealed=True, splits=dev).decision["next"][-1]


def test_is_json_whatever_happens_and_the_same_for_any_order_of_rows():
    one = decided(GAIN, LOSS)
    assert to_json(one.decision)
    assert to_json(one.summary)
    made = findings([comparison("dense", LOSS), comparison("bm25", GAIN)], coverage=JUDGED)
    turned = replace(made, per_query=made.per_query.reverse(), splits=made.splits.reverse())
    inputs = {field.name: getattr(turned, field.name) for field in fields(turned)}
    assert to_json(compute(manifest=EVERYTHING, **inputs).decision) == to_json(one.decision)


def test_the_summary_shows_every_gate():
    result = decided()
    assert result.summary["word"] == "ship"
    assert len(result.summary["table"]["rows"]) == len(result.decision["gates"])
