"""Ablations that put the selected list in another order, or its branches in another's place."""

from typing import Any

import numpy as np
import polars as pl
import pytest
from five_queries_study import filled, five_queries, parameters
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import ParameterError
from pipeline.evaluation import compute
from pipeline.evaluation.ablations import rewritten
from pipeline.evaluation.diversity import greedy, mmr, source_capped
from pipeline.fusion import Configuration
from pipeline.params import Params, to_params
from pipeline.tables import CANDIDATES, RUNS, VECTORS


def params(**evaluation: Any) -> Params:
    """Two fused branches, a dense one with vectors, one that searched rewritten queries."""
    return to_params(
        {
            "study": "diverse",
            "collection": {"path": "."},
            "candidates": {
                "a": {"kind": "recorded", "run": "a", "depth": 10},
                "b": {"kind": "recorded", "run": "b", "depth": 10},
                "a_rewritten": {"kind": "recorded", "run": "r", "depth": 6},
                "vectors": {"kind": "dense", "encoder": "precomputed", "vectors": "v"},
            },
            "fusion": {"branches": ["a", "b"]},
            "selection": {"measure": "nDCG@3"},
            "evaluation": {"measures": ["nDCG@3"], **evaluation},
        }
    )


def selected(*listed: str, scores: tuple[float, ...] = ()) -> pl.DataFrame:
    """RUNS of the selected system on one query."""
    rows = [
        {
            "system": "selected",
            "query_id": "q",
            "rank": rank,
            "doc_id": one,
            "evidence_id": one,
            "score": scores[rank - 1] if scores else 1.0 / rank,
        }
        for rank, one in enumerate(listed, start=1)
    ]
    return filled(RUNS, rows)


def held(*documents: str) -> pl.DataFrame:
    """CANDIDATES: a document's source is its first letter."""
    rows = [
        {
            "branch": "a",
            "query_id": "q",
            "rank": rank,
            "doc_id": one,
            "evidence_id": one,
            "source_id": one[0],
            "score": 1.0,
        }
        for rank, one in enumerate(documents, start=1)
    ]
    return filled(CANDIDATES, rows)


def order(run: pl.DataFrame) -> list[str]:
    """The documents in the order of their ranks, which have no gap."""
    assert run["rank"].to_list() == list(range(1, run.height + 1))
    return run["doc_id"].to_list()


def test_a_third_item_of_a_source_makes_way_within_the_cutoff() -> None:
    listed = ("x1", "x2", "x3", "y1", "x4", "z1")
    capped = source_capped(selected(*listed), held(*listed), params(source_cap=2))
    # Within nDCG@3: x1, x2, then the next that is not of x. Below, the old order.
    assert order(capped) == ["x1", "x2", "y1", "x3", "x4", "z1"]


def test_where_there_is_no_other_source_the_old_order_stays() -> None:
    listed = ("x1", "x2", "x3")
    capped = source_capped(selected(*listed), held(*listed), params(source_cap=1))
    assert order(capped) == ["x1", "x2", "x3"]


@given(st.lists(st.sampled_from("xyz"), min_size=1, max_size=12), st.integers(1, 4))
def test_a_cap_moves_items_and_holds_within_the_cutoff(sources: list[str], cap: int) -> None:
    listed = [f"{source}{number:02d}" for number, source in enumerate(sources)]
    capped = order(source_capped(selected(*listed), held(*listed), params(source_cap=cap)))
    assert sorted(capped) == sorted(listed)
    room = sum(min(cap, sources.count(source)) for source in set(sources))
    top = [name[0] for name in capped[: min(3, room)]]
    assert all(top.count(source) <= cap for source in top)


def test_a_copy_of_the_first_makes_way_for_something_new() -> None:
    vectors = {"d1": [1.0, 0.0], "d2": [1.0, 0.0], "d3": [0.0, 1.0]}
    table = filled(VECTORS, [{"id": name, "vector": one} for name, one in vectors.items()])
    run = selected("d1", "d2", "d3", scores=(1.0, 0.9, 0.6))
    by_half = mmr(run, table, params(mmr={"branch": "vectors", "relevance": 0.5}))
    # Relevance 1, .75, 0. After d1: d2 .5 * .75 - .5 * 1 = -.125, d3 0 - 0 = 0.
    assert order(by_half) == ["d1", "d3", "d2"]
    alone = mmr(run, table, params(mmr={"branch": "vectors", "relevance": 1.0}))
    assert order(alone) == ["d1", "d2", "d3"]
    short = mmr(run, table, params(mmr={"branch": "vectors", "depth": 2}))
    assert order(short) == ["d1", "d2", "d3"]


def test_a_document_without_a_vector_is_like_no_other() -> None:
    table = filled(VECTORS, [{"id": name, "vector": [1.0, 0.0]} for name in ("d1", "d2")])
    run = selected("d1", "d2", "d3", scores=(1.0, 0.9, 0.6))
    assert order(mmr(run, table, params(mmr={"branch": "vectors"}))) == ["d1", "d3", "d2"]


@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.3, 0.7, 1.0]))
def test_each_place_goes_to_the_greatest_marginal_relevance(seed: int, share: float) -> None:
    """Against the definition, asked anew at each place."""
    random = np.random.default_rng(seed)
    relevance = random.random(7).round(2)
    half = random.random((7, 7)).round(2)
    similarity = (half + half.T) / 2
    taken: list[int] = []
    for _ in range(7):
        worth = {
            one: round(
                share * relevance[one]
                - (1 - share) * max((similarity[one, other] for other in taken), default=0.0),
                6,
            )
            for one in range(7)
            if one not in taken
        }
        taken.append(max(worth, key=lambda one: (worth[one], -one)))
    assert greedy(relevance, similarity, share) == taken


def test_rewritten_puts_one_branch_in_the_place_of_another() -> None:
    choice = Configuration.of(
        "rrf", rank_constant=60, weights={"a": 1, "b": 3}, depths={"a": 10, "b": 10}
    )
    (system,) = rewritten(choice, params(rewritten={"a": "a_rewritten"}))
    assert dict(system.configuration.weights) == {"a_rewritten": 0.25, "b": 0.75}
    assert dict(system.configuration.depths) == {"a_rewritten": 6, "b": 10}
    assert rewritten(choice, params()) == ()


@pytest.mark.parametrize(
    ("evaluation", "said"),
    [
        ({"mmr": {"branch": "a"}}, "dense branch with vectors"),
        ({"mmr": {"branch": "nobody"}}, "names no branch"),
        ({"rewritten": {"a": "b"}}, "is fused or production"),
        ({"rewritten": {"vectors": "a_rewritten"}}, "is not fused"),
        ({"rewritten": {"a": "a_rewritten", "b": "a_rewritten"}}, "twice"),
        ({"source_cap": 0}, "source_cap"),
    ],
)
def test_what_cannot_be_is_refused(evaluation: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        params(**evaluation)


def test_they_are_measured_as_ablations_and_only_where_declared() -> None:
    base = {"measures": ["nDCG@2"], "resamples": 100, "slices": {"minimum": 2, "derived": False}}
    plain = compute(**five_queries(params=parameters(evaluation=base))).systems
    capped = compute(**five_queries(params=parameters(evaluation={**base, "source_cap": 1})))
    assert "source_cap" not in plain["system"].to_list()
    roles = dict(capped.systems.select("system", "role").iter_rows())
    assert roles["source_cap"] == "ablation"
    assert "source_cap" not in capped.comparisons["baseline"].to_list()
    rest = capped.systems.filter(pl.col("system") != "source_cap")
    assert rest.equals(plain)
