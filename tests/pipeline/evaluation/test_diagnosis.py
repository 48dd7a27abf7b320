"""Each miss and each loss gets the stage that lost it."""

from typing import Any

import polars as pl
import pytest
from five_queries_study import LISTS, OPENED, filled, five_queries, judged, parameters, retrieved

from pipeline.errors import ParameterError
from pipeline.evaluation import compute
from pipeline.fusion import Configuration
from pipeline.params import to_params
from pipeline.recorded import RecordedRun
from pipeline.tables import (
    DEV_JUDGMENTS,
    DOCUMENTS,
    QUERIES,
    RECORDED_QUERIES,
    RECORDED_RUN,
)

WANTED = "wanted"


def one_query(
    lists: dict[str, list[str]],
    *,
    fused: dict[str, int],
    grades: dict[str, int] | None = None,
    level: str = "evidence",
    rerank: dict[str, Any] | None = None,
    **changes: Any,
) -> Any:
    """The evaluation of query q1, whose only relevant evidence is `wanted`, context of 5.

    Args:
        lists: each branch's list as retrieved.
        fused: how deep the selected RRF reads each branch.
        grades: what else is judged.
        level: the fusion level.
        rerank: `evaluation.rerank`.
        changes: further inputs of the stage.
    """
    configuration = Configuration.of(
        "rrf", rank_constant=60, weights=dict.fromkeys(fused, 1), depths=fused
    )
    params = to_params(
        {
            "study": "one",
            "collection": {"path": "one", "scale": [0, 3]},
            "candidates": {
                name: {"kind": "recorded", "run": name, "depth": max(len(found), 1)}
                for name, found in lists.items()
            },
            "fusion": {"level": level, "branches": sorted(fused)},
            "context": {"depth": 5},
            "selection": {"measure": "nDCG@5"},
            "evaluation": {"measures": ["nDCG@5"], "resamples": 100, "rerank": rerank},
        }
    )
    names = {WANTED, *(name for found in lists.values() for name in found)}
    inputs = five_queries(
        candidates=retrieved({branch: {"q1": " ".join(found)} for branch, found in lists.items()}),
        dev_judgments=judged(DEV_JUDGMENTS, {"q1": {WANTED: 2, **(grades or {})}}),
        documents=filled(
            DOCUMENTS, [{"doc_id": n, "evidence_id": n, "source_id": n} for n in names]
        ),
        queries=filled(QUERIES, [{"query_id": "q1"}]),
        params=params,
    )
    inputs["selection"] = {
        "configuration": {
            "method": "rrf",
            "rank_constant": 60,
            "weights": dict(configuration.weights),
            "depths": dict(configuration.depths),
        },
        "best_branch": sorted(fused)[0],
        "hashes": inputs["selection"]["hashes"],
    }
    return compute(**{**inputs, **changes})


def noise(count: int, prefix: str = "n") -> list[str]:
    return [f"{prefix}{number}" for number in range(count)]


def at(rank: int, length: int, prefix: str = "n") -> list[str]:
    """A list with the wanted evidence at a rank."""
    rest = noise(length - 1, prefix)
    return [*rest[: rank - 1], WANTED, *rest[rank - 1 :]]


def lost(result: Any, *, system: str = "selected", against: str = "") -> dict[str, Any] | None:
    rows = result.diagnosis.filter(
        (pl.col("system") == system)
        & (pl.col("against") == against)
        & (pl.col("evidence_id") == WANTED)
    ).to_dicts()
    return rows[0] if rows else None


def where(result: Any, **which: str) -> str | None:
    row = lost(result, **which)
    return None if row is None else row["lost_at"]


def place(result: Any, stage: str, branch: str = "") -> dict[str, Any]:
    rows = result.traces.filter(
        (pl.col("stage") == stage)
        & (pl.col("branch") == branch)
        & (pl.col("evidence_id") == WANTED)
    )
    return rows.row(0, named=True)


def recorded(names: list[str]) -> RecordedRun:
    rows = [
        {"query_id": "q1", "position": place, "doc_id": name, "score": 100.0 - place}
        for place, name in enumerate(names, start=1)
    ]
    return RecordedRun(
        filled(RECORDED_RUN, rows),
        filled(RECORDED_QUERIES, [{"query_id": "q1", "status": "ok"}]),
    )


def test_evidence_at_rank_18_of_a_branch_fused_to_depth_10_is_lost_by_candidate_depth() -> None:
    result = one_query(
        {"dense": at(18, 30, "d"), "words": noise(30, "w")}, fused={"dense": 10, "words": 10}
    )
    row = lost(result)
    assert row is not None
    assert (row["lost_at"], row["branch"]) == ("candidates", "dense")
    assert (row["depth"], row["depth_needed"]) == (10, 18)
    assert row["fused_rank"] is None
    # No weight promotes what was never fetched: each branch's own place is on record.
    found = place(result, "candidates", "dense")
    assert (found["rank"], found["depth"], found["kept"]) == (18, 10, False)
    assert place(result, "candidates", "words")["rank"] is None


def test_a_recorded_run_tells_the_depth_missing_where_the_branch_itself_was_read_to_10() -> None:
    whole = at(18, 30, "d")
    result = one_query(
        {"dense": whole[:10], "words": noise(10, "w")},
        fused={"dense": 10, "words": 10},
        recorded={"dense": recorded(whole)},
    )
    row = lost(result)
    assert row is not None
    assert (row["lost_at"], row["branch"], row["depth_needed"]) == ("candidates", "dense", 18)
    blind = lost(one_query({"dense": whole[:10]}, fused={"dense": 10}))
    assert blind is not None
    assert (blind["lost_at"], blind["branch"], blind["depth_needed"]) == ("candidates", None, None)


def test_deep_enough_it_is_fusion_or_the_cut_and_no_longer_the_depth() -> None:
    result = one_query(
        {"dense": at(18, 30, "d"), "words": noise(30, "w")}, fused={"dense": 20, "words": 20}
    )
    assert where(result) == "judgment"  # nothing in the context is judged


def test_evidence_fused_at_rank_8_and_reranked_to_22_is_lost_by_the_reranker() -> None:
    same = at(8, 40)
    result = one_query(
        {"dense": same, "words": same, "reranker": at(22, 40)},
        fused={"dense": 40, "words": 40},
        grades={f"n{number}": 0 for number in range(40)},
        rerank={"branch": "reranker", "depth": 40},
    )
    assert lost(result, system="reranked") == {
        "system": "reranked",
        "against": "",
        "split": "dev",
        "query_id": "q1",
        "evidence_id": WANTED,
        "grade": 2,
        "lost_at": "rerank",
        "branch": "dense",
        "depth": 40,
        "depth_needed": 8,
        "fused_rank": 8,
        "final_rank": 22,
        "against_rank": None,
    }
    # Without the reranker it lies outside the context, too, and no branch had it there.
    assert where(result) == "context"
    assert place(result, "rerank")["rank"] == 22


def test_evidence_in_the_context_that_a_reranker_throws_out_is_a_loss_against_selected() -> None:
    same = at(3, 40)
    result = one_query(
        {"dense": same, "words": same, "reranker": at(22, 40)},
        fused={"dense": 40, "words": 40},
        grades={f"n{number}": 0 for number in range(40)},
        rerank={"branch": "reranker", "depth": 40},
    )
    assert where(result) is None
    row = lost(result, system="reranked", against="selected")
    assert row is not None
    assert (row["lost_at"], row["final_rank"], row["against_rank"]) == ("rerank", 22, 3)


def test_a_reranker_reorders_only_its_depth_and_what_it_does_not_know_follows() -> None:
    result = one_query(
        {"dense": ["a", "b", "c", "d"], "words": ["a", "b", "c", "d"], "reranker": ["d", "c", "a"]},
        fused={"dense": 4, "words": 4},
        rerank={"branch": "reranker", "depth": 3},
    )
    order = result.runs.filter(pl.col("system") == "reranked").sort("rank")["doc_id"].to_list()
    assert order == ["c", "a", "b", "d"]
    roles = dict(result.systems.select("system", "role").iter_rows())
    assert roles["reranked"] == "ablation"


def test_what_both_branches_found_early_and_fusion_pushed_out_is_lost_by_fusion() -> None:
    middle = noise(6, "m")
    result = one_query(
        {"dense": [*noise(1, "d"), WANTED, *middle], "words": [*noise(1, "w"), *middle]},
        fused={"dense": 8, "words": 7},
        grades=dict.fromkeys([*middle, "d0", "w0"], 0),
    )
    row = lost(result)
    assert row is not None
    assert (row["lost_at"], row["depth_needed"]) == ("fusion", 2)
    assert row["fused_rank"] > 5
    loss = lost(result, against="dense")
    assert loss is not None
    assert (loss["lost_at"], loss["against_rank"]) == ("fusion", 2)


def test_a_loss_by_unjudged_evidence_alone_is_one_of_judgment() -> None:
    middle = noise(6, "m")
    result = one_query(
        {"dense": [*noise(1, "d"), WANTED, *middle], "words": [*noise(1, "w"), *middle]},
        fused={"dense": 8, "words": 7},
        grades={"d0": 0},
    )
    assert where(result, against="dense") == "judgment"


def test_evidence_that_no_document_carries_is_lost_by_the_corpus() -> None:
    others = filled(DOCUMENTS, [{"doc_id": "n0", "evidence_id": "n0", "source_id": "n0"}])
    result = one_query({"dense": noise(1)}, fused={"dense": 1}, documents=others)
    assert where(result) == "corpus"


def test_required_evidence_that_the_principal_may_not_see_is_lost_by_the_filter_unnamed() -> None:
    rows = [
        {"doc_id": "n0", "evidence_id": "n0", "source_id": "n0"},
        {"doc_id": "secret", "evidence_id": "secret", "source_id": "secret", "tenant": "other"},
    ]
    asked = filled(QUERIES, [{"query_id": "q1", "required_evidence": ["secret"]}])
    result = one_query(
        {"dense": ["n0"]},
        fused={"dense": 1},
        documents=filled(DOCUMENTS, rows),
        queries=asked,
        dev_judgments=judged(DEV_JUDGMENTS, {"q1": {"n0": 1}}),
    )
    found = result.diagnosis.filter(pl.col("against") == "")
    assert found.select("evidence_id", "lost_at").rows() == [("withheld-1", "filter")]
    assert "secret" not in result.traces["evidence_id"].to_list()


def test_evidence_behind_another_of_its_source_is_lost_by_collapse() -> None:
    rows = [{"doc_id": name, "evidence_id": name, "source_id": "one"} for name in ("other", WANTED)]
    lists = retrieved({"dense": {"q1": f"other {WANTED}"}}).with_columns(source_id=pl.lit("one"))
    result = one_query(
        {"dense": ["other", WANTED]},
        fused={"dense": 2},
        level="source",
        candidates=lists,
        documents=filled(DOCUMENTS, rows),
    )
    assert where(result) == "collapse"


def test_every_lost_evidence_is_diagnosed_once_on_each_open_side() -> None:
    result = compute(**five_queries(ledger=[OPENED]))
    missed = result.diagnosis.filter(pl.col("against") == "").select("query_id", "lost_at")
    # q1: of b and d, d is third; q2: f is third, of words it was second. Context of 2.
    assert missed.rows() == [("q1", "fusion"), ("q2", "fusion")]
    assert result.summary["dev"]["missed"] == {"fusion": 2}  # type: ignore[index]
    assert result.traces["split"].unique().sort().to_list() == ["dev", "test"]


def test_while_sealed_no_test_query_is_diagnosed() -> None:
    result = compute(**five_queries())
    assert set(result.traces["query_id"]) == {"q1", "q2"}


@pytest.mark.parametrize(
    ("rerank", "told"),
    [
        ({"branch": "nobody"}, "evaluation.rerank.branch names no branch: ['nobody']"),
        ({"branch": "words"}, "'words' is fused or production"),
    ],
)
def test_a_reranker_that_does_not_exist_or_is_fused_is_refused_in_words(
    rerank: dict[str, str], told: str
) -> None:
    with pytest.raises(ParameterError, match=r"evaluation\.rerank") as refused:
        parameters(evaluation={"rerank": rerank})
    assert told in str(refused.value)


def test_a_baseline_that_does_not_exist_is_refused_in_words() -> None:
    with pytest.raises(ParameterError, match="production names no branch") as refused:
        parameters(production="yesterday")
    assert "known: ['vectors', 'words']" in str(refused.value)
    assert set(LISTS) == {"words", "vectors"}
