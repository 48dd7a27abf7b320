"""Which points of a grid a latency limit bars, by what the times record shows."""

from typing import Any

import pytest

from pipeline.fusion import Configuration
from pipeline.selection.latency import TooSlow, too_slow
from tests.rows import params

BRANCHES = {name: {"kind": "bm25", "depth": 100} for name in ("a", "b", "live")}
MANIFESTS = {name: {"contract_digest": f"{name}-now"} for name in BRANCHES}


def line(milliseconds: float, *branches: str, depth: int = 100, **more: Any) -> dict[str, Any]:
    """200 calls of a branch served alone, or of the selected fusion of several."""
    alone = len(branches) == 1
    return {
        "system": branches[0] if alone else f"selected@{depth}",
        "component": f"search:{branches[0]}" if alone else "end_to_end",
        "mode": "warm",
        "callers": 1,
        "calls": 200,
        "calls_ms": [milliseconds] * 200,
        "contracts": {name: f"{name}-now" for name in branches},
        "configuration": None if alone else point(depth, *branches).id,
        "depths": dict.fromkeys(branches, depth),
        "machine": {},
        "versions": {},
        "measured_at": "2026-01-01",
        "session": "one",
        "work": None,
    } | more


def point(depth: int, *branches: str) -> Configuration:
    return Configuration.of(
        "rrf",
        rank_constant=60,
        weights=dict.fromkeys(branches, 1.0),
        depths=dict.fromkeys(branches, depth),
    )


def found(*lines: dict[str, Any], production: str | None = None, **limit: Any) -> TooSlow:
    declared = limit or {"milliseconds": 50.0}
    of = params(BRANCHES, production=production, decision={"latency": declared})
    return too_slow(lines, MANIFESTS, of)


def test_a_slow_search_bars_every_point_that_asks_for_it() -> None:
    slow = found(line(10, "a"), line(90, "b"))
    assert slow.branches == ["b"]
    assert slow.bars(point(100, "a", "b"))
    assert not slow.bars(point(100, "a", "live"))


def test_a_shorter_request_is_judged_by_its_own_time() -> None:
    shallow = line(10, "b", depth=20, system="selected@20")
    slow = found(line(90, "b"), shallow)
    assert slow.bars(point(100, "a", "b"))
    assert not slow.bars(point(20, "a", "b"))


def test_a_configuration_that_is_slow_end_to_end_is_barred_though_its_searches_are_not() -> None:
    slow = found(line(10, "a"), line(10, "b"), line(90, "a", "b", depth=20))
    assert slow.bars(point(20, "a", "b"))
    assert not slow.bars(point(100, "a", "b"))


def test_other_weights_and_constants_do_the_same_work() -> None:
    slow = found(line(90, "a", "b"))
    shares, depths = {"a": 0.7, "b": 0.3}, {"a": 100, "b": 100}
    assert slow.bars(Configuration.of("rrf", rank_constant=1, weights=shares, depths=depths))
    assert not slow.bars(Configuration.of("convex_minmax", weights=shares, depths=depths))
    shallow = {"a": 100, "b": 50}
    assert not slow.bars(Configuration.of("rrf", rank_constant=1, weights=shares, depths=shallow))


def test_work_that_was_within_the_limit_at_another_time_is_not_barred() -> None:
    heavier = Configuration.of(
        "rrf", rank_constant=60, weights={"a": 0.7, "b": 0.3}, depths={"a": 100, "b": 100}
    )
    quick = line(10, "a", "b", system="selected", configuration=heavier.id)
    slow = found(line(90, "a", "b"), quick)
    # Else the choice would go from weights to weights, each as quick as the one before.
    assert not slow.bars(point(100, "a", "b"))
    assert not slow.bars(heavier)


def test_a_fused_line_of_an_earlier_version_bars_its_own_configuration() -> None:
    later = {"component", "callers", "depths", "session", "work"}
    earlier = {k: v for k, v in line(90, "a", "b", system="selected").items() if k not in later}
    slow = found(earlier)
    assert slow.bars(point(100, "a", "b"))
    assert not slow.bars(point(50, "a", "b"))


def test_a_search_that_others_held_up_counts_by_its_time_alone() -> None:
    beside = line(90, "b", system="selected", configuration="x")
    assert not found(line(10, "b"), beside).bars(point(100, "a", "b"))


def test_the_same_name_with_another_contract_says_nothing() -> None:
    other = line(90, "b", contracts={"b": "b-before"})
    assert found(other) == TooSlow()


def test_a_line_of_an_earlier_version_is_judged_by_contract_too() -> None:
    earlier = {
        key: value
        for key, value in line(90, "b", system="b").items()
        if key not in {"component", "callers", "depths", "session", "work"}
    }
    assert found(earlier).bars(point(100, "a", "b"))
    assert found(earlier | {"contracts": {"b": "b-before"}}) == TooSlow()


def test_a_later_measurement_replaces_an_earlier_one() -> None:
    assert found(line(90, "b"), line(10, "b")) == TooSlow()


@pytest.mark.parametrize("other", [{"mode": "cold"}, {"callers": 16}])
def test_only_calls_of_the_limits_own_kind_count(other: dict[str, Any]) -> None:
    assert found(line(90, "b", **other)) == TooSlow()
    assert found(line(90, "b", callers=16), milliseconds=50.0, callers=16).branches == ["b"]


def test_too_few_calls_bar_nothing() -> None:
    few = line(90, "b", calls=199, calls_ms=[90.0] * 199)
    assert found(few) == TooSlow()


def test_a_ratio_is_to_production_of_the_same_run() -> None:
    live = line(10, "live", component="end_to_end")
    assert found(line(25, "b"), live, production="live", ratio=2.0).branches == ["b"]
    assert found(line(15, "b"), live, production="live", ratio=2.0) == TooSlow()
    apart = live | {"session": "two"}
    assert found(line(25, "b"), apart, production="live", ratio=2.0) == TooSlow()
    assert found(line(25, "b"), live, ratio=2.0) == TooSlow()


def test_without_a_limit_nothing_is_barred() -> None:
    assert too_slow([line(90, "b")], MANIFESTS, params(BRANCHES)) == TooSlow()
