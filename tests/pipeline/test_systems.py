"""Which systems there are, and how each ranks."""

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from strategies import CANDIDATES

from pipeline.errors import ParameterError
from pipeline.fusion import Configuration, fuse
from pipeline.params import parse_params, to_params
from pipeline.systems import (
    System,
    baselines,
    declared_configuration,
    default_systems,
    rank_system,
    rank_systems,
)
from pipeline.tables import RUNS

LISTS = {"bm25": ["x", "y", "z"], "dense": ["y", "k"], "live": ["z", "x"]}
CANDIDATE_ROWS = pl.DataFrame(
    [
        (branch, query, rank, name, name, name, 10.0 - rank)
        for branch, names in LISTS.items()
        for query in ("q1", "q2")
        for rank, name in enumerate(names, start=1)
    ],
    schema=CANDIDATES,
    orient="row",
)


def study(**sections):
    return to_params(
        {
            "study": "s",
            "collection": {"path": "c"},
            "candidates": {
                "bm25": {"kind": "bm25", "depth": 50},
                "dense": {"kind": "dense", "depth": 20},
                "live": {"kind": "recorded", "run": "r"},
            },
            "production": "live",
            **sections,
        }
    )


def names(systems):
    return [(system.name, system.role) for system in systems]


def test_branches_production_union_and_unweighted_rrf_are_always_shown():
    shown = baselines(study())
    assert names(shown) == [
        ("bm25", "branch"),
        ("dense", "branch"),
        ("production", "baseline"),
        ("round_robin", "baseline"),
        ("rrf_60", "baseline"),
    ]
    rrf = shown[-1].configuration
    assert rrf.describe() == "RRF, k = 60, bm25 0.5 + dense 0.5, depth bm25 50 + dense 20"


def test_the_selected_and_the_tuned_comparator_join_once_they_are_known():
    point = Configuration.of("isr", weights={"bm25": 1, "dense": 1}, depths={"bm25": 5, "dense": 5})
    shown = baselines(study(), selected=point, best_convex=point)
    assert names(shown)[-2:] == [("best_convex", "comparator"), ("selected", "selected")]


def test_the_union_starts_with_the_branch_that_the_caller_names():
    union = next(s for s in baselines(study(), order=("dense", "bm25")) if s.name == "round_robin")
    ranked = rank_system(union, CANDIDATE_ROWS, study().fusion).filter(query_id="q1")
    assert ranked["doc_id"].to_list() == ["y", "x", "k", "z"]


def test_one_branch_alone_makes_no_fusion():
    only = study(candidates={"bm25": {"kind": "bm25"}}, production=None)
    assert names(baselines(only)) == [("bm25", "branch")]
    assert names(default_systems(only)) == [("bm25", "branch")]


def test_a_pool_is_drawn_from_one_default_of_every_method_each_once():
    methods = ["rrf", "convex_minmax", "borda", "round_robin"]
    assert names(default_systems(study(sweep={"methods": methods})))[5:] == [
        ("convex_minmax", "configuration"),
        ("borda", "configuration"),
    ]


def test_a_branch_may_not_be_called_as_a_system_is():
    clash = study(candidates={"rrf_60": {"kind": "bm25"}}, production=None)
    with pytest.raises(ParameterError, match=r"candidates\.rrf_60"):
        baselines(clash)


def test_a_branch_ranks_as_it_was_returned_and_a_fusion_as_fuse_does():
    params = study()
    by_name = {system.name: system for system in baselines(params)}
    alone = rank_system(by_name["bm25"], CANDIDATE_ROWS, params.fusion).filter(query_id="q1")
    assert alone["doc_id"].to_list() == ["x", "y", "z"]
    assert alone["score"].to_list() == [9.0, 8.0, 7.0]
    rrf = by_name["rrf_60"]
    assert_frame_equal(
        rank_system(rrf, CANDIDATE_ROWS, params.fusion),
        fuse(CANDIDATE_ROWS, rrf.configuration.contract(params.fusion)).drop(
            "best_rank", "members"
        ),
    )


def test_many_systems_make_the_table_of_runs():
    params = study()
    runs = rank_systems(reversed(baselines(params)), CANDIDATE_ROWS, params.fusion)
    assert RUNS.check(runs).equals(runs)
    one = runs.filter(system="production", query_id="q2")
    assert one["doc_id"].to_list() == ["z", "x"]
    assert rank_systems([], CANDIDATE_ROWS, params.fusion).equals(RUNS.empty())


def test_two_systems_of_one_name_are_refused():
    params = study()
    first, second = baselines(params)[:2]
    with pytest.raises(ParameterError, match="two systems of one name"):
        rank_systems(
            [first, System(first.name, "branch", second.configuration)],
            CANDIDATE_ROWS,
            params.fusion,
        )


def declared(**configuration):
    return study(selection={"mode": "declared", "configuration": configuration})


def test_a_declared_configuration_is_filled_from_the_branches():
    assert declared_configuration(declared(method="rrf")) == Configuration.of(
        "rrf", rank_constant=60, weights={"bm25": 1, "dense": 1}, depths={"bm25": 50, "dense": 20}
    )
    given = declared(
        method="rrf", rank_constant=10, weights={"bm25": 3.0, "dense": 1.0}, depths={"dense": 5}
    )
    assert declared_configuration(given).describe() == (
        "RRF, k = 10, bm25 0.75 + dense 0.25, depth bm25 50 + dense 5"
    )


@pytest.mark.parametrize(
    ("configuration", "message"),
    [
        ({"weights": {"splade": 1.0}}, "not a branch that fusion may use; found .'splade'"),
        (
            {"weights": {"live": 1.0, "bm25": 1.0}},
            "not a branch that fusion may use; found .'live'",
        ),
        ({"depths": {"dense": 21}}, r"depths\.dense: a depth beyond what the branch retrieves"),
        ({"weights": {"bm25": 0.0, "dense": 0.0}}, "no active branch"),
    ],
)
def test_a_declared_configuration_that_cannot_be_is_refused(configuration, message):
    with pytest.raises(ParameterError, match=message):
        declared_configuration(declared(method="rrf", **configuration))


def test_a_weight_that_is_refused_is_told_under_its_key():
    with pytest.raises(ParameterError, match=r"^selection\.configuration\.weights\.bm25: "):
        declared_configuration(declared(method="rrf", weights={"bm25": -1.0, "dense": 2.0}))


@pytest.mark.parametrize("weight", [".inf", "-.inf", ".nan", "-1", "'0.5'", "true", "null"])
def test_a_weight_that_is_no_number_from_0_on_is_refused_where_parameters_are_read(weight):
    text = (
        "study: s\ncollection: {path: c}\n"
        "candidates: {bm25: {kind: bm25}, dense: {kind: dense}}\n"
        "selection: {mode: declared, configuration: "
        f"{{method: rrf, weights: {{bm25: {weight}, dense: 1}}}}}}\n"
    )
    with pytest.raises(ParameterError, match=r"selection\.configuration\.weights\.bm25: .*found "):
        declared_configuration(parse_params(text))


def test_nothing_declared_is_said():
    with pytest.raises(ParameterError, match=r"selection\.configuration: no configuration"):
        declared_configuration(study())


def test_the_least_score_of_a_branch_comes_from_its_kind_unless_declared():
    assert study().fusion.minima == {"bm25": 0.0, "dense": -1.0}
    told = study(fusion={"minima": {"live": -5.0, "dense": 0.0}})
    assert told.fusion.minima == {"bm25": 0.0, "dense": 0.0, "live": -5.0}
    with pytest.raises(ParameterError, match=r"fusion\.minima names no branch"):
        study(fusion={"minima": {"splade": 0.0}})


def test_a_threshold_on_fused_scores_is_an_unknown_parameter():
    # Every RRF score lies below 2/61: a threshold would empty the lists without a word.
    with pytest.raises(ParameterError, match=r"fusion\.min_score: unknown key"):
        study(fusion={"min_score": 0.3})
