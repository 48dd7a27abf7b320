"""Each check on lists small enough to see: where its premise holds, who violates it, by name."""

from datetime import UTC, datetime

import polars as pl
import pytest

from pipeline.fusion import Configuration
from pipeline.operations.checked import Checked
from pipeline.operations.metamorphic import CHECKS, metamorphic
from pipeline.operations.probed import ELSEWHERE, NOT_ASKED, RECORDED, probed
from pipeline.params.decision import Check
from pipeline.parts import visible_parts
from pipeline.probes import plan_probes
from pipeline.seal import Seal
from pipeline.tables import BRANCH_PROBES, DEV_JUDGMENTS, RUNS
from tests.rows import candidates, documents, params, queries, splits, table

EARLY, LATE = datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)
LIBRARY = documents({"a": "pump XR-17", "b": "valve", "c": "seal", "old": "x", "new": "y"})
ASKED = queries({"q1": "xr-17", "q2": "valve"})
GOOD = {"q1": ["a"], "q2": ["b", "c"]}


def study(branch=None, probes=2):
    declared = {"bm25": branch or {"kind": "bm25", "depth": 5}}
    return params(declared, operations={"probes": probes}, context={"depth": 2})


def parts(of, good, asked):
    rows = [
        {"query_id": q, "evidence_id": e, "grade": 1, "status": "judged"}
        for q, found in good.items()
        for e in found
    ]
    labels = table(DEV_JUDGMENTS, rows)
    state = Seal(opening=None, dev_alpha=0.05, test_alpha=0.05)
    sides = splits(dict.fromkeys(asked["query_id"], "dev"))
    return visible_parts(asked, sides, {"dev": labels, "test": labels.clear()}, state, of)


def checked(lists, again=(), *, of=None, library=LIBRARY, asked=ASKED, runs=None, chosen=None):
    """Lists by query, and lists by (probe, query) or (probe, query, asked_as); all of bm25."""
    return checked_branches({"bm25": lists}, {"bm25": again}, of, library, asked, runs, chosen)


def probe_rows(branch, again):
    return [
        {
            "branch": branch,
            "probe": place[0],
            "query_id": place[1],
            "asked_as": place[-1],
            "rank": rank,
            "doc_id": name,
            "score": 1 / rank,
        }
        for place, found in dict(again).items()
        for rank, name in enumerate(found, start=1)
    ]


def checked_branches(lists, again, of=None, library=LIBRARY, asked=ASKED, runs=None, chosen=None):
    of = of or study()
    rows = [row for branch, found in again.items() for row in probe_rows(branch, found)]
    held = {(branch, query): found for branch, own in lists.items() for query, found in own.items()}
    these = probed(table(BRANCH_PROBES, rows), library, asked, of)
    runs = RUNS.empty() if runs is None else runs
    return Checked(these, parts(of, GOOD, asked), library, asked, candidates(held), runs, chosen)


def outcome(check, made, system="bm25"):
    return next(
        row for row in metamorphic(made) if (row["check"], row["system"]) == (check, system)
    )


def fusing(method="rrf", **weights):
    depths = dict.fromkeys(weights, 5)
    constant = 60 if method == "rrf" else None
    return Configuration.of(method, rank_constant=constant, weights=weights, depths=depths)


ALONE = fusing(bm25=1.0)
BOTH = {"bm25": {"kind": "bm25", "depth": 5}, "dense": {"kind": "dense", "depth": 5}}
OF_BOTH = params(BOTH, operations={"probes": 2}, context={"depth": 2})


def fused(lists, again, *, weights=(0.5, 0.5), **more):
    """What the checks say of the selected fusion of two branches."""
    chosen = fusing(bm25=weights[0], dense=weights[1])
    return checked_branches(lists, again, **{"of": OF_BOTH, "chosen": chosen, **more})


NOISE = plan_probes(LIBRARY, ASKED, 2, 7).noise["doc_id"][0]


def test_noise_that_pushes_the_only_relevant_one_out_is_a_violation():
    again = {("noise", "q1"): [NOISE, "b", "a"], ("noise", "q2"): [NOISE, "a"]}
    row = outcome("irrelevant_document", checked({"q1": ["a"], "q2": ["b"]}, again))
    # q2 has two relevant ones, so it is not tried.
    assert (row["tried"], row["violations"], row["queries"]) == (1, 1, ["q1"])


def test_one_that_keeps_its_place_among_noise_is_none():
    row = outcome("irrelevant_document", checked({"q1": ["a"]}, {("noise", "q1"): [NOISE, "a"]}))
    assert (row["tried"], row["rate"]) == (1, 0.0)


def test_a_miss_before_is_not_tried():
    row = outcome("punctuation", checked({"q1": ["b", "c", "a"]}, {}))
    assert (row["tried"], row["rate"], row["reason"]) == (0, None, "no query to try it on")


def test_punctuation_that_turns_a_hit_into_a_miss_is_a_violation():
    again = {("punctuation", "q1"): ["b", "c", "a"], ("punctuation", "q2"): ["c"]}
    row = outcome("punctuation", checked({"q1": ["a"], "q2": ["b"]}, again))
    assert (row["tried"], row["queries"], row["rate"]) == (2, ["q1"], 0.5)


@pytest.mark.parametrize(
    ("after", "violations"), [(["a", "b"], 0), (["b", "a"], 0), (["b", "c", "a"], 1), ([], 1)]
)
def test_a_page_that_repeats_its_identifier_must_not_fall(after, violations):
    made = checked({"q1": ["b", "a"]}, {("repeated_identifier", "q1"): after})
    row = outcome("repeated_identifier", made)
    assert (row["tried"], row["violations"]) == (1, violations)


def dated(listed, *, as_of=LATE, system=None):
    library = LIBRARY.with_columns(
        superseded_by=pl.when(pl.col("doc_id") == "old").then(pl.lit("new")),
        valid_from=pl.when(pl.col("doc_id") == "new").then(pl.lit(LATE)),
    )
    asked = queries({"q1": "xr-17"}, as_of={"q1": as_of} if as_of else {})
    runs = None
    if system:
        rows = [
            {"system": system, "query_id": "q1", "rank": rank, "doc_id": d, "evidence_id": d}
            for rank, d in enumerate(listed, start=1)
        ]
        runs = table(RUNS, rows)
    return checked({"q1": listed}, library=library, asked=asked, runs=runs, chosen=ALONE)


def test_a_superseded_document_above_its_replacement_is_a_violation():
    assert outcome("superseded", dated(["old", "a", "new"]))["queries"] == ["q1"]
    assert outcome("superseded", dated(["new", "a", "old"]))["violations"] == 0


def test_the_selected_system_is_held_to_it_too():
    made = dated(["old", "new"], system="selected")
    assert outcome("superseded", made, "selected")["violations"] == 1


@pytest.mark.parametrize("as_of", [EARLY, None])
def test_before_the_replacement_is_in_force_there_is_nothing_to_keep(as_of):
    assert outcome("superseded", dated(["old", "new"], as_of=as_of))["tried"] == 0


def test_another_tenants_document_is_a_violation_of_who_asked():
    library = documents({"a": "pump", "t": "theirs"}, tenant={"t": "acme"})
    asked = queries({"q1": "pump", "q2": "theirs"}, tenant={"q1": "rival", "q2": "acme"})
    again = {("as_others", "q2", "q1"): ["t"]}  # q2's words on behalf of rival
    made = checked({"q2": ["t"]}, again, library=library, asked=asked)
    assert outcome("other_tenant", made)["queries"] == ["q1"]


def test_a_recorded_branch_is_not_asked_again_and_says_so():
    made = checked({"q1": ["a"]}, of=study({"kind": "recorded", "run": "x"}))
    for check in ("irrelevant_document", "punctuation", "repeated_identifier"):
        assert outcome(check, made)["reason"] == RECORDED
    assert outcome("superseded", made)["reason"] != RECORDED


def test_where_nothing_was_asked_it_says_so():
    assert outcome("punctuation", checked({"q1": ["a"]}, of=study(probes=0)))["reason"] == NOT_ASKED


def test_every_check_can_be_given_a_limit():
    assert set(Check.__args__) == set(CHECKS)


def test_the_fused_list_is_tried_too_and_may_break_what_no_branch_breaks():
    # bm25 keeps a second, dense keeps a second: fused, noise and b stand above it.
    lists = {"bm25": {"q1": ["a"]}, "dense": {"q1": ["a"]}}
    again = {
        "bm25": {("noise", "q1"): [NOISE, "a"]},
        "dense": {("noise", "q1"): ["a", NOISE]},
    }
    row = outcome("irrelevant_document", fused(lists, again), "selected")
    assert (row["tried"], row["violations"]) == (1, 0)
    again["bm25"] = {("noise", "q1"): [NOISE, "b", "a"]}
    again["dense"] = {("noise", "q1"): ["b", "a", NOISE]}
    made = fused(lists, again, weights=(0.5, 0.5))
    # b 1/62 + 1/61, noise 1/61 + 1/63, a 1/63 + 1/62: out of a context of two.
    assert outcome("irrelevant_document", made, "selected")["queries"] == ["q1"]
    assert outcome("irrelevant_document", made, "dense")["violations"] == 0


def test_a_fusion_may_keep_what_a_branch_loses():
    lists = {"bm25": {"q1": ["a"]}, "dense": {"q1": ["a"]}}
    again = {
        "bm25": {("punctuation", "q1"): ["b", "c", "a"]},
        "dense": {("punctuation", "q1"): ["a"]},
    }
    made = fused(lists, again)
    assert outcome("punctuation", made, "bm25")["queries"] == ["q1"]
    assert outcome("punctuation", made, "selected")["queries"] == []


def test_a_page_that_falls_in_the_fused_list_alone_is_found():
    lists = {"bm25": {"q1": ["a", "b"]}, "dense": {"q1": ["b", "a"]}}
    again = {
        "bm25": {("repeated_identifier", "q1"): ["a", "b"]},
        "dense": {("repeated_identifier", "q1"): ["b", "c", "a"]},
    }
    made = fused(lists, again, weights=(0.4, 0.6))
    # Before: b 0.4/62 + 0.6/61, a 0.4/61 + 0.6/62: second. After: 0.4/61 + 0.6/63: second still.
    assert outcome("repeated_identifier", made, "selected")["violations"] == 0
    again["bm25"] = {("repeated_identifier", "q1"): ["a", "c", "b"]}
    # c 0.4/62 + 0.6/62 = 0.016129 is now above a 0.4/61 + 0.6/63 = 0.016081.
    made = fused(lists, again, weights=(0.4, 0.6))
    assert outcome("repeated_identifier", made, "selected")["queries"] == ["q1"]
    assert outcome("repeated_identifier", made, "bm25")["violations"] == 0


def test_words_asked_for_others_are_fused_on_their_behalf():
    library = documents({"a": "pump", "t": "theirs"}, tenant={"t": "acme"})
    asked = queries({"q1": "pump", "q2": "theirs"}, tenant={"q1": "rival", "q2": "acme"})
    again = {
        "bm25": {("as_others", "q2", "q2"): ["t"], ("as_others", "q2", "q1"): ["a"]},
        "dense": {("as_others", "q2", "q2"): ["t"], ("as_others", "q2", "q1"): ["a", "t"]},
    }
    made = fused({"bm25": {}, "dense": {}}, again, library=library, asked=asked)
    assert outcome("other_tenant", made, "selected")["queries"] == ["q1"]
    assert outcome("other_tenant", made, "bm25")["violations"] == 0


@pytest.mark.parametrize(
    ("branch", "reason"),
    [
        ({"kind": "recorded", "run": "x"}, RECORDED),
        ({"kind": "dense", "encoder": "precomputed", "vectors": "v"}, ELSEWHERE),
    ],
)
def test_a_fusion_of_a_branch_that_cannot_be_asked_names_it(branch, reason):
    of = params({**BOTH, "dense": branch}, operations={"probes": 2}, context={"depth": 2})
    made = fused({"bm25": {"q1": ["a"]}, "dense": {"q1": ["a"]}}, {}, of=of)
    assert outcome("punctuation", made, "selected")["reason"] == f"dense: {reason}"
    # A branch that takes no part does not matter.
    alone = checked_branches({"bm25": {"q1": ["a"]}}, {}, of=of, chosen=ALONE)
    assert outcome("punctuation", alone, "selected")["reason"] is None


def test_without_a_selected_configuration_branches_are_tried_alone():
    systems = {row["system"] for row in metamorphic(checked({"q1": ["a"]}))}
    assert systems == {"bm25"}
