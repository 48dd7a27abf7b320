"""The sweep as a stage: tables, ties, empty sides, depths first."""

import polars as pl
import pytest
import rows

from pipeline.errors import ParameterError
from pipeline.fusion import Configuration, fuse
from pipeline.grid.folds import fold_groups
from pipeline.grid.memory import tried_points
from pipeline.measures import per_query
from pipeline.params import FusionParams, Params
from pipeline.statistics.groups import Grouped
from pipeline.sweep import Sweep, compute, declared_points
from pipeline.sweep.depths import DepthRecall
from pipeline.sweep.measuring import measure_grid
from pipeline.sweep.results import per_query_pieces
from pipeline.sweep.truth import judge_queries
from pipeline.systems import branch_systems
from pipeline.tables import (
    CONFIGURATIONS,
    DEPTH_RECALL,
    DEV_JUDGMENTS,
    GRIDS,
    RESULTS,
    SPLITS,
    SWEEP_PER_QUERY,
)

QUERIES = [f"q{number}" for number in range(6)]
LISTS = {
    **{("a", q): ["x", "y", "z", "w"] for q in QUERIES},
    **{("b", q): ["y", "w", "v", "x"] for q in QUERIES[:5]},
}
GRADES = dict.fromkeys(zip(QUERIES, ["x", "y", "y", "v", "w", "x"], strict=True), 2)
SMALL = {"measures": ["nDCG@3"], "rank_constants": [1, 60], "weight_step": 0.25, "depths": [4]}


def study(**sections: object) -> Params:
    known = {name: {"kind": "recorded", "run": name, "depth": 4} for name in "ab"}
    return rows.params(known, **{"sweep": SMALL, "selection": {"measure": "nDCG@3"}, **sections})


def judgments(grades: dict[tuple[str, str], int] = GRADES) -> pl.DataFrame:
    return rows.table(
        DEV_JUDGMENTS,
        [
            {"query_id": q, "evidence_id": e, "grade": g, "status": "judged"}
            for (q, e), g in grades.items()
        ],
    )


def swept(side: str = "dev", labels: pl.DataFrame | None = None, **sections: object) -> Sweep:
    return compute(
        splits=rows.splits(dict.fromkeys(QUERIES, side)),
        dev_judgments=judgments() if labels is None else labels,
        candidates=rows.candidates(LISTS),
        params=study(**sections),
    )


def test_every_table_is_what_the_contract_says() -> None:
    sweep = swept()
    CONFIGURATIONS.check(sweep.configurations)
    GRIDS.check(sweep.grids)
    assert RESULTS.check(sweep.results).equals(sweep.results)
    whole = sweep.per_query.whole()
    assert SWEEP_PER_QUERY.check(whole).equals(whole)
    assert sweep.sensitivity.columns == [
        "measure", "method", "rank_constant", "weight_a", "weight_b", "depth", "value",
    ]  # fmt: skip


def test_every_declared_configuration_is_kept_for_every_query() -> None:
    sweep = swept()
    declared = sweep.grids.filter(pl.col("grid") == "declared")
    assert declared.height == declared_points(study()) == sweep.summary["points"] == 9
    assert sweep.per_query.whole().height == sweep.configurations.height * len(QUERIES)


def test_a_value_is_the_references() -> None:
    params, sweep = study(), swept()
    alone = branch_systems(params)[1].configuration
    fused = fuse(rows.candidates(LISTS), alone.contract(params.fusion))
    expected = per_query(fused, judgments(), ["nDCG@3"], queries=QUERIES)["value"].to_list()
    found = sweep.per_query.whole().filter(pl.col("configuration") == alone.id)["value"].to_list()
    assert found == expected


def test_ties_are_by_the_standard_error_of_the_paired_difference() -> None:
    sweep = swept()
    declared = sweep.grids.filter(pl.col("grid") == "declared")["configuration"]
    values = dict(sweep.per_query.whole().group_by("configuration").agg("value").rows())
    best = sweep.results.filter(
        pl.col("configuration").is_in(declared.to_list()), pl.col("delta_to_best") == 0
    )["configuration"].min()
    for name, _, value, delta, error, tied in sweep.results.rows():
        apart = pl.Series(values[name]) - pl.Series(values[best])
        grouped = Grouped.of(apart.to_numpy(), pl.Series(range(len(QUERIES))).to_numpy())
        assert value == pytest.approx(pl.Series(values[name]).mean())
        assert delta == pytest.approx(grouped.mean, abs=1e-12)
        assert error == pytest.approx(grouped.standard_error, abs=1e-12)
        assert tied == (-grouped.mean <= grouped.standard_error + 1e-12)


def test_the_test_side_is_never_looked_at() -> None:
    sides = dict.fromkeys(QUERIES, "dev") | {"q4": "test", "q5": "train", "q3": "reserve"}
    sweep = compute(
        splits=rows.splits(sides),
        dev_judgments=judgments(),
        candidates=rows.candidates(LISTS),
        params=study(),
    )
    assert sweep.per_query.whole()["query_id"].unique().sort().to_list() == ["q0", "q1", "q2"]


@pytest.mark.parametrize(
    ("side", "labels"),
    [("test", judgments()), ("dev", DEV_JUDGMENTS.empty()), ("dev", judgments({("q0", "x"): 0}))],
    ids=["no dev side", "no judgments", "nothing relevant"],
)
def test_without_a_query_to_measure_the_grid_stays_and_the_values_are_empty(
    side: str, labels: pl.DataFrame
) -> None:
    sweep = swept(side, labels)
    assert sweep.results.equals(RESULTS.empty())
    assert sweep.per_query.whole().equals(SWEEP_PER_QUERY.empty())
    assert sweep.sensitivity.is_empty()
    assert sweep.configurations.height > declared_points(study())
    assert sweep.summary["best"] is None


def test_queries_declared_unanswerable_leave_the_means() -> None:
    sweep = compute(
        splits=rows.splits(dict.fromkeys(QUERIES, "dev")),
        dev_judgments=judgments(),
        candidates=rows.candidates(LISTS),
        queries=rows.queries(dict.fromkeys(QUERIES, "text"), answerable={"q0": False}),
        params=study(),
    )
    assert "q0" not in sweep.per_query.whole()["query_id"]


def test_selections_measure_is_swept_though_not_listed() -> None:
    sweep = swept(selection={"measure": "RR@2"})
    assert sweep.results["measure"].unique().sort().to_list() == ["RR@2", "nDCG@3"]


def test_unknown_measures_are_refused_by_name() -> None:
    with pytest.raises(ParameterError, match=r"^sweep\.measures: .*NDGC@3"):
        swept(sweep=SMALL | {"measures": ["NDGC@3"]})
    with pytest.raises(ParameterError, match=r"^selection\.measure: .*nDCG@0"):
        swept(selection={"measure": "nDCG@0"})


def test_shuffled_rows_give_the_same_tables() -> None:
    plain = swept()
    shuffled = compute(
        splits=rows.splits(dict.fromkeys(reversed(QUERIES), "dev")).sample(
            fraction=1, shuffle=True, seed=1
        ),
        dev_judgments=judgments().sample(fraction=1, shuffle=True, seed=2),
        candidates=rows.candidates(LISTS).sample(fraction=1, shuffle=True, seed=3),
        params=study(),
    )
    for name in ("configurations", "grids", "results", "sensitivity"):
        assert getattr(plain, name).equals(getattr(shuffled, name))
    assert plain.per_query.whole().equals(shuffled.per_query.whole())
    assert plain.summary == shuffled.summary


def test_the_least_depth_that_recalls_as_much_as_the_deepest_is_taken() -> None:
    """x and y stand in the top two of either branch, v and w only below."""
    shallow = dict.fromkeys([("q0", "x"), ("q1", "y"), ("q2", "y")], 1)
    deep = {("q0", "v"): 1, ("q1", "v"): 1, ("q2", "v"): 1}
    sections = {"sweep": SMALL | {"depths": [2, 4]}}
    for grades, expected in ((shallow, 2), (deep, 4)):
        sweep = swept("dev", judgments(grades), **sections)
        depths = sweep.configurations.filter(pl.col("method") == "rrf")["depth_a"].unique()
        assert depths.to_list() == [expected]


def test_depths_that_bootstrap_samples_would_choose_have_a_grid_of_their_own() -> None:
    """Deep evidence in one query of three: samples without it choose the shallow depth."""
    grades = {("q0", "x"): 1, ("q1", "y"): 1, ("q2", "v"): 1, ("q2", "w"): 1}
    sweep = swept("dev", judgments(grades), sweep=SMALL | {"depths": [2, 4]})
    sizes = dict(sweep.grids.group_by("grid").len().rows())
    chosen = (
        sweep.configurations.join(
            sweep.grids.filter(pl.col("grid") == "declared"), on="configuration", how="semi"
        )["depth_a"]
        .unique()
        .to_list()
    )
    (other,) = {2, 4} - set(chosen)
    assert sizes[f"declared:depth-{other}"] == sizes["declared"]
    assert DEPTH_RECALL.check(sweep.depth_recall).rows() == [
        (2, "q0", 1.0), (2, "q1", 1.0), (2, "q2", 0.5),
        (4, "q0", 1.0), (4, "q1", 1.0), (4, "q2", 1.0),
    ]  # fmt: skip


BY_HAND = {"method": "rrf", "rank_constant": 60}


@pytest.mark.parametrize(
    "selection", [{"mode": "keep"}, {"mode": "declared", "configuration": BY_HAND}]
)
def test_without_a_search_no_other_depth_has_a_grid(selection: dict[str, object]) -> None:
    grades = {("q0", "x"): 1, ("q1", "y"): 1, ("q2", "v"): 1, ("q2", "w"): 1}
    two = SMALL | {"depths": [2, 4]}
    sweep = swept("dev", judgments(grades), sweep=two, selection=selection)
    assert sweep.grids["grid"].unique().sort().to_list() == ["branches", "convex", "declared"]
    assert tried_points(study(sweep=two, selection=selection)) == sweep.grids.height


@pytest.mark.parametrize("sections", [{}, {"sweep": SMALL | {"depths": [2, 4], "joint": True}}])
def test_where_no_depth_is_chosen_first_there_is_no_recall(sections: dict[str, object]) -> None:
    assert swept(**sections).depth_recall.is_empty()


def test_a_joint_grid_has_every_depth() -> None:
    sweep = swept(sweep=SMALL | {"depths": [2, 4], "joint": True})
    rrf = sweep.configurations.filter(pl.col("method") == "rrf")
    assert rrf["depth_a"].unique().sort().to_list() == [2, 4]
    assert sweep.summary["points"] == 18


def crossfit() -> pl.DataFrame:
    return rows.table(
        SPLITS,
        [
            {"query_id": q, "group_id": q, "split": "crossfit", "fold": place % 2}
            for place, q in enumerate(QUERIES)
        ],
    )


def test_under_crossfit_depths_are_chosen_without_the_held_out_fold() -> None:
    """Only fold 0 holds deep evidence, so without it the shallow depth is enough."""
    grades = {(q, "v" if place % 2 == 0 else "y"): 1 for place, q in enumerate(QUERIES[:5])}
    params, splits = study(sweep=SMALL | {"depths": [2, 4]}), crossfit()
    judged = judge_queries(splits, judgments(grades), None, rel=1)
    folds = fold_groups(splits, list(judged.queries))
    recall = DepthRecall.of(rows.candidates(LISTS), judged, params)
    chosen = recall.choose(folds.grouping, folds.weightings)
    assert chosen == [4, 2, 4]
    sweep = compute(
        splits=splits,
        dev_judgments=judgments(grades),
        candidates=rows.candidates(LISTS),
        params=params,
    )
    assert sweep.grids["grid"].unique().sort().to_list() == [
        "branches", "convex", "convex:fold-0", "declared", "declared:depth-2", "declared:fold-0",
    ]  # fmt: skip


def test_without_scores_the_comparator_is_empty_and_rank_methods_run() -> None:
    sweep = compute(
        splits=rows.splits(dict.fromkeys(QUERIES, "dev")),
        dev_judgments=judgments(),
        candidates=rows.candidates(LISTS).with_columns(score=pl.lit(None, pl.Float64)),
        params=study(sweep=SMALL | {"methods": ["rrf"]}),
    )
    assert sweep.summary["comparator_points"] == 0
    assert sweep.results.height > 0


def test_values_come_in_pieces_of_whole_configurations_as_often_as_asked() -> None:
    sweep = swept(sweep=SMALL | {"measures": ["nDCG@3", "R@2"]})
    whole = sweep.per_query.whole()
    judged = judge_queries(rows.splits(dict.fromkeys(QUERIES, "dev")), judgments(), None, rel=1)
    points = [Configuration.from_row(row) for row in sweep.configurations.iter_rows(named=True)]
    measures = ["nDCG@3", "R@2"]
    values = measure_grid(
        rows.candidates(LISTS), points, judged, measures=measures, fusion=FusionParams()
    )
    pieces = per_query_pieces(points, measures, judged.queries, values, rows=25)
    for _ in range(2):
        frames = list(pieces)
        # 6 queries and 2 measures: two configurations in 24 rows
        assert [frame["configuration"].n_unique() for frame in frames[:-1]] == [2] * (
            len(frames) - 1
        )
        assert pl.concat(frames).equals(whole)


def test_a_grid_larger_than_the_declared_memory_is_refused_before_it_is_tried() -> None:
    with pytest.raises(ParameterError, match=r"^sweep\.memory_gb: .* 6 queries; expected at most"):
        swept(sweep=SMALL | {"memory_gb": 0.01})


def test_a_declared_limit_changes_no_value_and_the_need_is_stated() -> None:
    plain, limited = swept(), swept(sweep=SMALL | {"memory_gb": 50.0})
    assert limited.per_query.whole().equals(plain.per_query.whole())
    assert limited.summary == plain.summary
    assert 0.1 < plain.summary["memory_gb"] < 2


def test_a_depth_deeper_than_the_candidates_is_cut_and_said_so(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sweep = swept(sweep=SMALL | {"depths": [90]})
    assert sweep.configurations["depth_a"].max() == 4
    expected = "sweep.depths: 90 is cut to 4 for a, which retrieves no more (candidates.a.depth)"
    assert sweep.summary["cut_depths"][0] == expected
    assert expected in caplog.text
    assert swept().summary["cut_depths"] == []
