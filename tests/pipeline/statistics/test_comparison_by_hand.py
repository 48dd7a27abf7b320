"""Comparisons that a reader can redo on paper, and data that say nothing."""

import math
import random
from collections.abc import Mapping, Sequence

import polars as pl
import pytest

from pipeline.errors import ContractError, ParameterError
from pipeline.statistics import Comparison, paired_comparison


def values(systems: Mapping[str, Sequence[float | None]]) -> pl.DataFrame:
    """Values of the queries q0, q1, … for each system."""
    rows = [(s, f"q{i}", v) for s, column in systems.items() for i, v in enumerate(column)]
    schema = {"system": pl.String, "query_id": pl.String, "value": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def compare(
    differences: Sequence[float | None], groups: Sequence[str] | None = None, **options: float
) -> Comparison:
    """A system that is better than the baseline by these differences, one per query."""
    names = groups or [f"g{i}" for i in range(len(differences))]
    table = values({"ours": differences, "theirs": [0.0] * len(differences)})
    members = {f"q{i}": name for i, name in enumerate(names)}
    return paired_comparison(
        table,
        system="ours",
        baseline="theirs",
        groups=members,
        **options,  # type: ignore[arg-type]
    )


def test_mean_error_and_t_bounds_of_three_independent_queries() -> None:
    # Mean .2, Σ(d − mean)² = .02, SE = √(.02 / (3 · 2)), t(.95; 2) = 2.919986.
    result = compare([0.1, 0.2, 0.3])
    error = math.sqrt(0.02 / 6)
    assert result.delta == pytest.approx(0.2)
    assert result.standard_error == pytest.approx(error)
    assert result.t_low == pytest.approx(0.2 - 2.919986 * error, abs=1e-6)
    assert result.t_high == pytest.approx(0.2 + 2.919986 * error, abs=1e-6)
    assert (result.wins, result.losses, result.ties) == (3, 0, 0)
    assert result.leave_one_out == (pytest.approx(0.15), pytest.approx(0.25))
    assert result.design_effect == pytest.approx(1.0)


def test_error_of_grouped_queries() -> None:
    # Mean .2; the groups' residuals are (.4 + .2 − .4), (0 − .2) = ±.2; SE = √(2/1 · .08) / 3.
    result = compare([0.4, 0.2, 0.0], ["a", "a", "b"])
    assert result.standard_error == pytest.approx(math.sqrt(2 * 0.08) / 3)
    assert (result.queries, result.groups, result.nonzero_groups) == (3, 2, 1)
    assert result.largest_group_share == pytest.approx(2 / 3)


def test_one_group_that_carries_the_whole_gain_is_no_gain() -> None:
    # By query the 95 % interval would be about [−.029, .329] and P(mean ≤ 0) = .027.
    result = compare([0.4] * 4 + [-0.1] * 3, ["g1"] * 4 + ["g2", "g3", "g4"], alpha=0.025)
    assert result.delta == pytest.approx(0.185714, abs=1e-6)
    # Of the 4⁴ samples of groups (3/4)⁴ = .316 lack g1; the highest mean is 1.5/4 … .361538.
    assert result.percentile_low == pytest.approx(-0.1)
    assert result.percentile_high == pytest.approx(0.361538, abs=1e-6)
    assert result.low is not None
    assert result.low < 0.0
    assert result.p is not None
    assert result.p > 0.05
    assert result.design_effect is not None
    assert result.design_effect > 1.5


@pytest.mark.parametrize("count", [1, 2, 40])
def test_identical_systems_show_no_difference_and_exceed_no_margin(count: int) -> None:
    result = compare([0.0] * count)
    assert result.degenerate == "no difference"
    assert (result.delta, result.low, result.high, result.p) == (0.0, 0.0, 0.0, 1.0)
    assert (result.ties, result.nonzero_groups) == (count, 0)
    assert result.detectable is None


def test_a_single_query_has_no_interval() -> None:
    result = compare([0.5])
    assert result.degenerate == "one group"
    assert result.delta == 0.5
    assert (result.low, result.high, result.p, result.standard_error) == (None, None, None, None)


def test_the_same_gain_everywhere_has_no_interval() -> None:
    result = compare([1.0, 1.0, 1.0])
    assert result.degenerate == "no spread"
    assert (result.delta, result.low, result.high, result.p) == (1.0, None, None, None)


def test_many_queries_of_one_group_have_no_interval() -> None:
    assert compare([0.1, 0.4, 0.3], ["g", "g", "g"]).degenerate == "one group"


def test_without_a_pair_there_is_nothing() -> None:
    result = compare([None, None])
    assert (result.degenerate, result.delta, result.queries, result.groups) == (
        "no queries",
        None,
        0,
        0,
    )


def test_two_groups_are_too_few_for_bootstrap_t_and_the_t_bounds_stand() -> None:
    # Half of all samples hold one group twice, and have no spread of their own.
    result = compare([0.1, 0.3])
    assert (result.boot_low, result.boot_high) == (None, None)
    assert (result.low, result.high) == (result.t_low, result.t_high)


def test_noise_of_floating_point_is_a_tie_and_no_spread() -> None:
    table = values({"ours": [0.1 + 0.2, 0.7 - 0.6], "theirs": [0.3, 0.1]})
    result = paired_comparison(
        table, system="ours", baseline="theirs", groups={"q0": "a", "q1": "b"}
    )
    assert (result.ties, result.degenerate) == (2, "no difference")


def test_a_gain_that_is_the_same_but_for_noise_has_no_spread() -> None:
    table = values({"ours": [0.7, 0.2, 0.4], "theirs": [0.6, 0.1, 0.3]})
    groups = {"q0": "a", "q1": "b", "q2": "c"}
    result = paired_comparison(table, system="ours", baseline="theirs", groups=groups)
    assert result.degenerate == "no spread"


def test_a_query_undefined_for_either_system_is_left_out() -> None:
    table = values({"ours": [0.5, None, 0.1, 0.2], "theirs": [0.1, 0.3, None, 0.1]})
    groups = pl.DataFrame({"query_id": ["q0", "q1", "q2", "q3"], "group_id": list("abcd")})
    result = paired_comparison(table, system="ours", baseline="theirs", groups=groups)
    assert (result.queries, result.delta) == (2, pytest.approx(0.25))


def test_from_sixty_groups_on_t_decides_alone() -> None:
    skewed = [0.0] * 50 + [0.5] * 10
    few, many = compare(skewed[1:]), compare(skewed)
    assert few.t_low is not None
    assert few.boot_low is not None
    assert few.t_high is not None
    assert few.boot_high is not None
    assert few.low == min(few.t_low, few.boot_low)
    assert few.high == max(few.t_high, few.boot_high)
    assert few.high > few.t_high
    assert (many.low, many.high) == (many.t_low, many.t_high)
    assert many.boot_high is not None


def test_weights_count_a_query_as_often_as_it_is_asked() -> None:
    names = {f"q{i}": f"g{i % 3}" for i in range(6)}
    differences = [0.1, -0.2, 0.3, 0.2, 0.0, 0.4]
    table = values({"ours": differences, "theirs": [0.0] * 6})
    weighted = paired_comparison(
        table, system="ours", baseline="theirs", groups=names, weights={"q0": 3.0}
    )
    again = values({"ours": [*differences, 0.1, 0.1], "theirs": [0.0] * 8})
    repeated = paired_comparison(
        again, system="ours", baseline="theirs", groups={**names, "q6": "g0", "q7": "g0"}
    )
    assert weighted.delta == pytest.approx(repeated.delta)
    assert weighted.standard_error == pytest.approx(repeated.standard_error)
    assert weighted.boot_low == pytest.approx(repeated.boot_low)


def test_the_same_interval_in_any_order_of_rows_and_calls() -> None:
    rng = random.Random(3)
    ours = [rng.random() for _ in range(20)]
    table = values({"ours": ours, "theirs": [0.4] * 20, "third": ours[::-1]})
    groups = {f"q{i}": f"g{i // 2}" for i in range(20)}
    first = paired_comparison(table, system="ours", baseline="theirs", groups=groups, seed=7)
    paired_comparison(table, system="third", baseline="theirs", groups=groups, seed=7)
    shuffled = table.sample(fraction=1.0, shuffle=True, seed=1)
    backwards = dict(reversed(groups.items()))
    again = paired_comparison(shuffled, system="ours", baseline="theirs", groups=backwards, seed=7)
    assert first == again
    other = paired_comparison(table, system="ours", baseline="theirs", groups=groups, seed=8)
    assert other.t_low == first.t_low
    assert other.boot_low != first.boot_low


def test_a_query_of_one_system_only_is_refused() -> None:
    table = pl.concat([values({"ours": [0.1, 0.2]}), values({"theirs": [0.1]})])
    with pytest.raises(ContractError, match=r"not measured on the same queries.*q1"):
        paired_comparison(table, system="ours", baseline="theirs", groups={"q0": "a", "q1": "b"})


def test_a_query_without_a_group_is_refused() -> None:
    table = values({"ours": [0.1, 0.2], "theirs": [0.1, 0.2]})
    with pytest.raises(ContractError, match=r"without a group; found q1.*rankgate assign"):
        paired_comparison(table, system="ours", baseline="theirs", groups={"q0": "a"})


def test_two_measures_at_once_are_refused() -> None:
    table = values({"ours": [0.1], "theirs": [0.2]})
    with pytest.raises(ContractError, match="several values; expected one measure"):
        paired_comparison(
            pl.concat([table, table]), system="ours", baseline="theirs", groups={"q0": "a"}
        )


def test_an_unknown_system_is_refused_with_those_there_are() -> None:
    with pytest.raises(ContractError, match="no values of 'rrf'; found ours, theirs"):
        paired_comparison(
            values({"ours": [0.1], "theirs": [0.2]}), system="rrf", baseline="ours", groups={}
        )


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_values_that_are_no_numbers_are_refused(bad: float) -> None:
    with pytest.raises(ContractError, match="NaN or infinite"):
        compare([0.1, bad])


def test_a_missing_column_is_named() -> None:
    with pytest.raises(ContractError, match=r"missing \['value'\]"):
        paired_comparison(
            values({"ours": [0.1]}).drop("value"), system="ours", baseline="theirs", groups={}
        )


@pytest.mark.parametrize("alpha", [0.0, 0.5, -0.1, math.nan])
def test_alpha_is_one_sided_and_above_0(alpha: float) -> None:
    with pytest.raises(ParameterError, match="alpha out of range"):
        compare([0.1, 0.2], alpha=alpha)


def test_without_resamples_there_is_no_bootstrap() -> None:
    with pytest.raises(ParameterError, match="too few resamples"):
        compare([0.1, 0.2], resamples=0)
