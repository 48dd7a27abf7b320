"""Engines that run here and get eligibility wrong, through a complete study and while timed.

The filter of retrieval itself is spoiled: the audit has a rule of its own and must not lean on it.
"""

from datetime import UTC, datetime

import numpy as np
import polars as pl
import pytest

from pipeline import eligibility
from pipeline.candidates import opening
from pipeline.candidates.bm25 import Bm25Retriever
from pipeline.collection import Collection
from pipeline.errors import ContractError
from pipeline.stopwatch import Amount, measure
from pipeline.stopwatch.bench import Bench
from pipeline.study import run_study
from tests.rows import documents, judgments, params, queries

NOW, SOON = datetime(2026, 1, 1, tzinfo=UTC), datetime(2027, 1, 1, tzinfo=UTC)
TOPICS = ("kiln", "valve", "hose", "seal")
OPEN = {f"{topic}{n}": f"{topic} page {n}" for topic in TOPICS for n in range(3)}
SECRET = {topic: f"{topic}-secret" for topic in TOPICS}
DOCUMENTS = documents(
    OPEN | {name: f"{topic} {topic} {topic}" for topic, name in SECRET.items()},
    tenant={SECRET["kiln"]: "acme-europe"},
    groups={SECRET["valve"]: ["lawyers"]},
    valid_from={SECRET["hose"]: SOON},
    kind={SECRET["seal"]: "canary"},
)
ASKED = queries(
    {f"{topic}-{n}": topic for topic in TOPICS for n in range(2)},
    tenant={f"{topic}-{n}": "acme" for topic in TOPICS for n in range(2)},
    groups={f"{topic}-{n}": ["law"] for topic in TOPICS for n in range(2)},
    as_of={f"{topic}-{n}": NOW for topic in TOPICS for n in range(2)},
    split={f"{topic}-{n}": ("dev", "test")[n] for topic in TOPICS for n in range(2)},
)
GRADES = judgments({(f"{topic}-{n}", f"{topic}0"): 1 for topic in TOPICS for n in range(2)})
PARAMS = params(
    {
        "words": {"kind": "bm25", "depth": 5},
        "again": {"kind": "bm25", "depth": 5, "k1": 2.0},
    },
    splits={"independent": True},
    sweep={"measures": ["nDCG@5"], "methods": ["rrf"], "rank_constants": [60], "depths": [5]},
    evaluation={"measures": ["nDCG@5"], "resamples": 100},
)

RIGHT = {
    "tenant": eligibility._SAME_TENANT,
    "groups": eligibility._SHARED_GROUP,
    "dates": eligibility._IN_FORCE,
    "canaries": eligibility._NO_CANARY,
}
# Each spoils one part of the rule, and lets one secret through.
WRONG = {
    "a tenant by substring": (
        "tenant",
        pl.col("tenant").is_null()
        | pl.col("tenant").str.contains(pl.col("asked_tenant"), literal=True),
        "kiln",
    ),
    "groups by substring": (
        "groups",
        pl.col("groups").is_null()
        | pl.col("groups")
        .list.join(" ")
        .str.contains(pl.col("asked_groups").list.join(" "), literal=True),
        "valve",
    ),
    "dates that are ignored": ("dates", pl.lit(True), "hose"),
    "canaries that are served": ("canaries", pl.lit(True), "seal"),
}


def spoil(monkeypatch, part, rule):
    whole = RIGHT | {part: rule}
    monkeypatch.setattr(eligibility, "_SEEN", pl.all_horizontal(list(whole.values())))


def studied():
    return run_study(Collection(DOCUMENTS, ASKED, GRADES, {}), PARAMS)


def gate_of(study):
    return next(one for one in study.decision.decision["gates"] if one["gate"] == "authorization")


def timed(study, **amount):
    few = {"calls": 8, "loaded": 16, "callers": (1, 4), "cold": 0, "moments": 1} | amount
    return measure(
        documents=DOCUMENTS,
        queries=ASKED,
        vectors={},
        selection=study.selection.selection,
        params=PARAMS,
        measured_at="2026-01-01T00:00:00+00:00",
        amount=Amount(**few),
    )


def test_with_the_rule_as_it_is_nothing_is_forbidden_and_it_can_be_timed():
    study = studied()
    assert gate_of(study)["status"] == "pass"
    assert timed(study)


@pytest.mark.parametrize(
    "name",
    [pytest.param(one, marks=[pytest.mark.slow] if n else []) for n, one in enumerate(WRONG)],
)
def test_a_filter_that_is_wrong_in_one_part_fails_the_gate_and_is_not_timed(name, monkeypatch):
    part, rule, topic = WRONG[name]
    spoil(monkeypatch, part, rule)
    study = studied()
    assert (gate_of(study)["status"], study.decision.decision["word"]) == ("fail", "hold")
    found = study.operations.forbidden
    assert set(found["doc_id"]) == {SECRET[topic]}
    assert {"candidates", "contexts", "pool", "runs", "sweep"} <= set(found["list"])
    with pytest.raises(ContractError, match="nothing was recorded") as refused:
        timed(study)
    assert SECRET[topic] not in str(refused.value)


class Lying(Bm25Retriever):
    """A branch that ignores its filter."""

    def search(self, query, mask, depth):
        return super().search(query, None, depth)


class FallingBack(Bm25Retriever):
    """A branch that asks again without the filter where it finds too little."""

    def search(self, query, mask, depth):
        found = super().search(query, mask, depth)
        return found if len(found) > 3 else super().search(query, None, depth)


@pytest.mark.parametrize("kind", [Lying, pytest.param(FallingBack, marks=pytest.mark.slow)])
def test_an_engine_that_widens_eligibility_is_caught_both_ways(kind, monkeypatch):
    monkeypatch.setattr(opening, "open_bm25", lambda branch, texts, *_, **__: kind(branch, texts))
    study = studied()
    assert gate_of(study)["status"] == "fail"
    assert set(study.operations.forbidden["doc_id"]) == set(SECRET.values())
    with pytest.raises(ContractError, match="candidates"):
        timed(study)


def test_an_engine_that_loses_its_filter_under_load_is_caught_while_it_is_timed(monkeypatch):
    study, right = studied(), Bench.search
    assert gate_of(study)["status"] == "pass"

    def hurried(self, branch, query, mask, depth):
        spoiled = np.ones_like(mask) if branch == "again" else mask
        return right(self, branch, query, spoiled, depth)

    monkeypatch.setattr(Bench, "search", hurried)
    with pytest.raises(ContractError, match=r"candidates.again, 4 caller"):
        timed(study, callers=(4,))
