"""Selection as a stage: modes, folds, comparators, hashes, what is said when nothing is known."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
import polars as pl
import pytest
import rows

from pipeline.errors import MissingError, ParameterError
from pipeline.fusion import Configuration, configurations_table
from pipeline.ledger import Opening, opening_line, opening_of, parse_ledger
from pipeline.params import Params
from pipeline.selection import compute, search
from pipeline.selection.lattice import Neighbours, neighbours
from pipeline.storage import to_json
from pipeline.systems import single_branch
from pipeline.tables import GRIDS, RESULTS, SPLITS, SWEEP_PER_QUERY

MEASURE = "nDCG@5"
DEV = [f"q{number}" for number in range(8)]
STEADY = [0.5, 0.6, 0.4, 0.5, 0.7, 0.3, 0.5, 0.5]

Values = Mapping[Configuration, Sequence[float]]


def rrf(k: float, a: float, b: float) -> Configuration:
    return Configuration.of(
        "rrf", rank_constant=k, weights={"a": a, "b": b}, depths={"a": 9, "b": 9}
    )


def convex(a: float, b: float) -> Configuration:
    return Configuration.of("convex_minmax", weights={"a": a, "b": b}, depths={"a": 9, "b": 9})


def study(**sections: Any) -> Params:
    known = {name: {"kind": "recorded", "run": name, "depth": 9} for name in "ab"}
    return rows.params(known, **sections)


def less(loss: float) -> list[float]:
    return [value - loss for value in STEADY]


def moved(by: Sequence[float]) -> list[float]:
    return [value + change for value, change in zip(STEADY, by, strict=True)]


BRANCHES: Values = {
    single_branch(study(), "a"): less(0.2),
    single_branch(study(), "b"): less(0.1),
}
CONVEX: Values = {convex(1, 3): less(0.3), convex(2, 2): less(0.05), convex(3, 1): less(0.2)}


def selected(
    declared: Values,
    *,
    splits: pl.DataFrame | None = None,
    queries: pl.DataFrame | None = None,
    times: Sequence[Mapping[str, Any]] = (),
    ledger: Sequence[Opening] = (),
    labelled: bool = True,
    measure: str = MEASURE,
    beside: Mapping[str, Values] = MappingProxyType({}),
    **sections: Any,
) -> dict[str, Any]:
    grids = {"declared": declared, "convex": CONVEX, "branches": BRANCHES, **beside}
    values = {point: line for grid in grids.values() for point, line in grid.items()}
    frame = pl.DataFrame(
        [
            (point.id, query, measure, value)
            for point, line in values.items()
            for query, value in zip(DEV, line, strict=True)
            if labelled
        ],
        schema=dict(SWEEP_PER_QUERY.columns),
        orient="row",
    )
    found = compute(
        configurations=configurations_table(values),
        grids=GRIDS.check(
            pl.DataFrame(
                [(name, point.id) for name, points in grids.items() for point in points],
                schema=dict(GRIDS.columns),
                orient="row",
            )
        ),
        results=RESULTS.empty(),
        sweep_per_query=SWEEP_PER_QUERY.check(frame),
        splits=holdout() if splits is None else splits,
        queries=rows.queries(dict.fromkeys([*DEV, "t1"], "text")) if queries is None else queries,
        times=times,
        ledger=ledger,
        params=study(**sections),
    )
    to_json(found.summary)
    to_json(found.selection)
    return found.selection


def holdout() -> pl.DataFrame:
    return rows.splits(dict.fromkeys(DEV, "dev") | {"t1": "test"})


def crossfit(folds: int = 2) -> pl.DataFrame:
    return rows.table(
        SPLITS,
        [
            {"query_id": q, "group_id": q, "split": "crossfit", "fold": place % folds}
            for place, q in enumerate(DEV)
        ],
    )


def chosen(selection: Mapping[str, Any]) -> Configuration:
    return rebuilt(selection["configuration"])


def rebuilt(mapping: Mapping[str, Any]) -> Configuration:
    names = ("rank_constant", "weights", "depths")
    return Configuration.of(mapping["method"], **{name: mapping[name] for name in names})


SPLIT_GRID: Values = {
    rrf(10, 1, 1): less(0.3),
    rrf(60, 1, 1): less(0.2),
    rrf(10, 3, 1): less(0.1),
    rrf(60, 3, 1): STEADY,
    rrf(10, 1, 3): less(0.4),
    rrf(60, 1, 3): less(0.4),
}


def test_parameters_are_chosen_on_dev_alone_whatever_would_win_on_test() -> None:
    """No value of the test query exists here, for any configuration."""
    selection = selected(SPLIT_GRID)
    assert chosen(selection) == rrf(60, 3, 1)
    assert selection["dev"]["value"] == pytest.approx(np.mean(STEADY))


def test_ties_on_dev_are_settled_for_equal_weights_and_sixty() -> None:
    tied = moved([-0.02, 0.01] * 4)
    grid = {rrf(k, a, b): tied for k in (10, 60, 80) for a, b in ((1, 3), (2, 2), (3, 1))}
    selection = selected(grid | {rrf(10, 1, 3): STEADY})
    assert chosen(selection) == rrf(60, 1, 1)
    assert "the simplest of 9 configurations tied with the best and stable" in selection["reason"]


def test_the_best_on_the_edge_asks_for_a_wider_grid() -> None:
    grid = {rrf(k, 1, 1): less(0.2 - k / 500) for k in (20, 60, 100)}
    alike = {rrf(k, a, b): less(0.3) for k in (20, 60, 100) for a, b in ((1, 3), (3, 1))}
    selection = selected(grid | alike, selection={"stable_share": 0.0})
    assert selection["region"]["edges"] == ["rank_constant"]
    assert selection["stability"] == "unresolved"
    assert "widen the grid: more rank_constants" in selection["reason"]


def test_a_best_point_without_tied_neighbours_fails_stability() -> None:
    grid = {rrf(k, a, b): less(0.1) for k in (10, 60, 100) for a, b in ((1, 3), (2, 2), (3, 1))}
    selection = selected(grid | {rrf(60, 1, 1): STEADY})
    assert selection["stability"] == "fail"
    assert chosen(selection) == rrf(60, 1, 1)
    assert [one["tied"] for one in selection["region"]["neighbours"]] == [False] * 4


def test_a_region_that_is_alike_passes_stability() -> None:
    grid = {rrf(k, a, b): STEADY for k in (10, 60, 100) for a, b in ((1, 3), (2, 2), (3, 1))}
    assert selected(grid)["stability"] == "pass"


def test_one_point_has_no_stability_to_judge() -> None:
    assert selected({rrf(60, 1, 1): STEADY})["stability"] == "not_applicable"


def test_comparators_are_frozen_by_the_same_rule() -> None:
    selection = selected(SPLIT_GRID)
    assert selection["best_branch"] == "b"
    assert rebuilt(selection["best_convex"]) == convex(1, 1)
    assert selection["best_branch_by_fold"] is None
    assert selection["folds"] is None


def sliced() -> pl.DataFrame:
    return rows.queries(
        dict.fromkeys([*DEV, "t1"], "text"), slices={"q0": ["identifier"], "q1": ["identifier"]}
    )


def test_points_that_damage_a_critical_slice_are_excluded_and_counted() -> None:
    """The best point loses .2 against branch b on the two queries of the slice."""
    best = [
        value - 0.3 if q in ("q0", "q1") else value + 0.3
        for q, value in zip(DEV, STEADY, strict=True)
    ]
    grid = {rrf(60, 1, 1): best, rrf(10, 1, 1): STEADY}
    veto = {"slices": {"identifier": {"veto": "statistical", "tolerance": 0.05}}}
    assert chosen(selected(grid, queries=sliced())) == rrf(60, 1, 1)
    selection = selected(grid, queries=sliced(), decision=veto)
    assert chosen(selection) == rrf(10, 1, 1)
    assert selection["excluded"]["slices"] == {"identifier": 1}


def timing(system: str, milliseconds: float) -> dict[str, Any]:
    return {
        "system": system,
        "mode": "warm",
        "calls": 200,
        "calls_ms": [milliseconds] * 200,
        "contracts": {system: f"{system}-now"},
        "configuration": None,
        "machine": {},
        "versions": {},
        "measured_at": "2026-01-01T00:00:00+00:00",
    }


def test_points_with_a_branch_over_the_latency_limit_are_excluded() -> None:
    known = {n: {"kind": "recorded", "run": n, "depth": 9} for n in "abc"}
    with_c = Configuration.of("rrf", weights={"a": 1, "c": 1}, depths={"a": 9, "c": 9})
    lines: Values = {with_c: STEADY, rrf(60, 1, 1): less(0.1)}
    values = {**lines, **BRANCHES, single_branch(rows.params(known), "c"): less(0.4)}
    frame = pl.DataFrame(
        [
            (point.id, query, MEASURE, value)
            for point, line in values.items()
            for query, value in zip(DEV, line, strict=True)
        ],
        schema=dict(SWEEP_PER_QUERY.columns),
        orient="row",
    )
    names = [("declared", p.id) for p in lines] + [("branches", p.id) for p in values]

    def under(limit: float) -> Configuration:
        found = compute(
            configurations=configurations_table(values),
            grids=pl.DataFrame(names, schema=dict(GRIDS.columns), orient="row"),
            results=RESULTS.empty(),
            sweep_per_query=frame,
            splits=holdout(),
            queries=rows.queries(dict.fromkeys([*DEV, "t1"], "text")),
            branch_manifests={name: {"contract_digest": f"{name}-now"} for name in known},
            times=[timing("a", 10), timing("c", 90), timing("c", 50)],
            ledger=[],
            params=rows.params(known, decision={"latency": {"milliseconds": limit}}),
        )
        return chosen(found.selection)

    assert under(60) == with_c
    assert under(40) == rrf(60, 1, 1)


def test_each_fold_is_chosen_without_its_own_queries() -> None:
    """One point wins on the even queries (fold 0), the other on the odd ones."""
    even = [1.0 if place % 2 == 0 else 0.1 for place in range(8)]
    odd = [0.1 if place % 2 == 0 else 0.9 for place in range(8)]
    grid = {rrf(10, 1, 1): even, rrf(60, 3, 1): odd}
    selection = selected(grid, splits=crossfit())
    assert rebuilt(selection["folds"]["0"]) == rrf(60, 3, 1)
    assert rebuilt(selection["folds"]["1"]) == rrf(10, 1, 1)
    assert selection["best_branch_by_fold"] == {"0": "b", "1": "b"}
    assert set(selection["best_convex_by_fold"]) == {"0", "1"}


def test_what_no_fold_changes_is_looked_at_once_for_each_grid(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = []

    def counted(points: Sequence[Configuration]) -> Neighbours:
        looked.append(len(points))
        return neighbours(points)

    monkeypatch.setattr(search, "neighbours", counted)
    selected({rrf(10, 1, 1): STEADY, rrf(60, 1, 1): less(0.1)}, splits=crossfit())
    assert sorted(looked) == [2, 3]  # the declared grid's and the convex one's


def test_a_fold_chooses_among_the_points_at_its_own_depth() -> None:
    deep = Configuration.of("rrf", weights={"a": 1, "b": 1}, depths={"a": 5, "b": 5})
    grid = {rrf(60, 1, 1): STEADY}
    selection = selected(grid, splits=crossfit(), beside={"declared:fold-1": {deep: less(0.1)}})
    assert chosen(selection) == rebuilt(selection["folds"]["0"]) == rrf(60, 1, 1)
    assert rebuilt(selection["folds"]["1"]) == deep


def test_under_crossfit_the_procedure_is_opened_not_what_it_chose() -> None:
    one = selected({rrf(10, 1, 1): STEADY, rrf(60, 1, 1): less(0.1)}, splits=crossfit())
    other = selected({rrf(10, 1, 1): less(0.1), rrf(60, 1, 1): STEADY}, splits=crossfit())
    assert chosen(one) != chosen(other)
    assert one["hashes"] == other["hashes"]
    wider = selected(
        {rrf(10, 1, 1): STEADY}, splits=crossfit(), sweep={"rank_constants": [1, 10, 60]}
    )
    assert wider["hashes"]["selection"] != one["hashes"]["selection"]


def test_under_holdout_the_configuration_is_opened_however_it_was_found() -> None:
    found = selected({rrf(60, 1, 1): STEADY})
    declared = selected(
        {rrf(10, 1, 1): STEADY},
        selection={"mode": "declared", "configuration": {"method": "rrf", "rank_constant": 60}},
    )
    assert chosen(declared) == rrf(60, 1, 1)
    assert declared["hashes"] == found["hashes"]
    assert declared["stability"] == "not_applicable"
    assert declared["best_branch"] == "b"


@pytest.mark.parametrize("splits", [holdout(), crossfit()], ids=["holdout", "crossfit"])
def test_what_was_opened_is_kept_though_dev_has_changed(splits: pl.DataFrame) -> None:
    first = selected({rrf(10, 3, 1): STEADY, rrf(60, 1, 1): less(0.1)}, splits=splits)
    ledger = parse_ledger([opening_line(first, opened_at="2026-01-01T00:00:00+00:00")])
    later = selected(
        {rrf(10, 3, 1): less(0.1), rrf(60, 1, 1): STEADY},
        splits=splits,
        ledger=ledger,
        selection={"mode": "keep"},
    )
    assert later["configuration"] == first["configuration"]
    assert later["folds"] == first["folds"]
    hashes = later["hashes"]
    assert opening_of(ledger, hashes["test_set"], hashes["selection"]) == 1


def test_nothing_is_kept_where_this_test_set_was_never_opened() -> None:
    with pytest.raises(MissingError, match=r"data/ledger\.jsonl: nothing to keep"):
        selected(SPLIT_GRID, selection={"mode": "keep"})


def test_a_kept_configuration_whose_branch_is_gone_is_refused() -> None:
    first = selected({rrf(60, 1, 1): STEADY})
    line = opening_line(first, opened_at="2026-01-01")
    line["configuration"]["weights"] = {"a": 0.5, "gone": 0.5}
    line["configuration"]["depths"] = {"a": 9, "gone": 9}
    with pytest.raises(ParameterError, match=r"candidates\.gone.*no such branch"):
        selected(SPLIT_GRID, ledger=parse_ledger([line]), selection={"mode": "keep"})


@pytest.mark.parametrize("splits", [holdout(), crossfit()], ids=["holdout", "crossfit"])
def test_without_any_judgment_plain_rrf_over_all_branches_is_frozen_and_it_is_said(
    splits: pl.DataFrame,
) -> None:
    grid = {rrf(k, a, b): STEADY for k in (10, 60) for a, b in ((1, 1), (3, 1))}
    selection = selected(grid, labelled=False, splits=splits)
    assert chosen(selection) == rrf(60, 1, 1)
    assert selection["stability"] == "not_applicable"
    assert selection["reason"].startswith("no judged query on dev")
    assert selection["best_branch"] is None
    assert selection["best_convex"] is None
    assert selection["dev"]["value"] is None
    assert set(selection["folds"] or {}) == {str(f) for f in splits["fold"].drop_nulls().unique()}


def test_a_measure_that_was_not_swept_is_named() -> None:
    results = pl.DataFrame(
        [("x", "R@9", 0.5, 0.0, 0.0, True)], schema=dict(RESULTS.columns), orient="row"
    )
    with pytest.raises(ParameterError, match=r"selection\.measure.*nDCG@5; expected one of R@9"):
        compute(
            configurations=configurations_table(BRANCHES),
            grids=GRIDS.empty(),
            results=results,
            sweep_per_query=SWEEP_PER_QUERY.empty(),
            splits=holdout(),
            queries=rows.queries(dict.fromkeys(DEV, "text")),
            times=[],
            ledger=[],
            params=study(),
        )


def test_queries_declared_unanswerable_say_nothing() -> None:
    lucky = [1.0, *less(0.1)[1:]]
    grid = {rrf(10, 1, 1): STEADY, rrf(60, 1, 1): lucky}
    answerable = rows.queries(dict.fromkeys([*DEV, "t1"], "text"), answerable={"q0": False})
    assert chosen(selected(grid)) == rrf(60, 1, 1)
    selection = selected(grid, queries=answerable)
    assert chosen(selection) == rrf(10, 1, 1)
    assert selection["dev"]["queries"] == 7


def test_where_less_is_better_the_least_is_best() -> None:
    """Zero hits: a query counts 1 where nothing relevant is on top."""
    grid = {rrf(10, 1, 1): less(0.2), rrf(60, 1, 1): STEADY}
    selection = selected(grid, measure="ZeroHit@5", selection={"measure": "ZeroHit@5"})
    assert chosen(selection) == rrf(10, 1, 1)
    assert selection["dev"]["best"] == pytest.approx(np.mean(less(0.2)))
    assert selection["best_branch"] == "a"
