"""Configurations and contracts: ids from values, refusals, the table, what is printed."""

import json
import re

import pytest
from hypothesis import given
from strategies import FUSING, contracts

from pipeline.errors import ParameterError
from pipeline.fusion import METHODS, Configuration, Contract, configurations_table
from pipeline.params import FusionParams
from pipeline.tables import CONFIGURATIONS

HALVES = {"weights": {"dense": 1, "bm25": 1}, "depths": {"bm25": 100, "dense": 100}}


def rrf(**changes):
    return Configuration.of("rrf", **{**HALVES, **changes})


def test_equal_values_are_one_configuration_however_they_are_written():
    assert rrf(rank_constant=60) == rrf(rank_constant=60.0) == rrf()
    assert rrf().id == rrf(weights={"bm25": 0.5, "dense": 0.5}).id
    assert rrf().weights == (("bm25", 0.5), ("dense", 0.5))
    assert rrf().id == "rrf-k60-w50_50-d100-" + rrf().id[-8:]


def test_other_values_are_other_configurations():
    others = [
        rrf(),
        rrf(rank_constant=61),
        rrf(weights={"bm25": 2, "dense": 1}),
        rrf(depths={"bm25": 100, "dense": 50}),
        Configuration.of("isr", **HALVES),
        Configuration.of("round_robin", **HALVES),
        Configuration.of("round_robin", **HALVES, order=("dense", "bm25")),
    ]
    assert len({point.id for point in others}) == len(others)


def test_the_order_by_name_is_what_no_order_means():
    named = Configuration.of("round_robin", **HALVES, order=("bm25", "dense"))
    assert named == Configuration.of("round_robin", **HALVES)


def test_ids_are_safe_everywhere():
    strange = Configuration.of("branch", weights={"BM25.v-2": 1}, depths={"BM25.v-2": 7})
    assert re.fullmatch(r"branch_bm25_v_2-[0-9a-f]{8}", strange.id)


def test_what_a_reader_is_told():
    assert rrf().describe() == "RRF, k = 60, bm25 0.5 + dense 0.5, depth 100"
    uneven = rrf(depths={"bm25": 100, "dense": 50}).describe()
    assert uneven == "RRF, k = 60, bm25 0.5 + dense 0.5, depth bm25 100 + dense 50"
    alone = Configuration.of("branch", weights={"bm25": 1}, depths={"bm25": 9})
    assert alone.describe() == "bm25 alone, depth 9"
    union = Configuration.of("round_robin", **HALVES, order=("dense", "bm25"))
    assert union.describe() == "Round-robin union, dense + bm25, depth 100"


REFUSED = {
    "unknown method": ({"method": "rff"}, "method: unknown fusion method; found 'rff'"),
    "no declared normalisation": ({"method": "convex"}, "unknown fusion method; found 'convex'"),
    "k too small": ({"rank_constant": 0.5}, "rank_constant"),
    "k too great": ({"rank_constant": 100_001}, "rank_constant"),
    "k where there is none": ({"method": "isr", "rank_constant": 60}, "takes no rank constant"),
    "text as weight": ({"weights": {"bm25": "0.5", "dense": 1}}, r"weights\.bm25"),
    "depth 0": ({"depths": {"bm25": 0, "dense": 1}}, r"depths\.bm25"),
    "depth of no branch": ({"depths": {"bm25": 1, "dense": 1, "x": 1}}, "the same branches"),
    "branch without depth": ({"depths": {"bm25": 1}}, "the same branches"),
    "uneven CombSUM": (
        {"method": "combsum", "weights": {"bm25": 2, "dense": 1}},
        "combsum takes no weights",
    ),
    "order of RRF": ({"order": ("dense", "bm25")}, "rrf takes no order"),
    "order of a stranger": ({"method": "round_robin", "order": ("dense",)}, "each of"),
    "two branches alone": ({"method": "branch"}, "one branch"),
}


@pytest.mark.parametrize(("changes", "message"), REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("kind", [Configuration, Contract])
def test_what_is_refused_is_named(kind, changes, message):
    given = {"method": "rrf", **HALVES, **changes}
    with pytest.raises(ParameterError, match=message):
        kind.of(given.pop("method"), **given)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"level": "chunk"}, r"fusion\.level.*'chunk'"),
        ({"missing": "zero"}, r"fusion\.missing.*'zero'"),
        ({"duplicates": "sum"}, r"fusion\.duplicates.*'sum'"),
        ({"output_depth": 0}, "output_depth: a depth is refused; found 0"),
        ({"representatives": 0}, "representatives"),
    ],
)
def test_a_contract_refuses_unknown_choices_and_depths_below_1(changes, message):
    with pytest.raises(ParameterError, match=message):
        Contract.of("rrf", **HALVES, **changes)


def test_the_table_has_a_weight_and_a_depth_for_every_branch():
    alone = Configuration.of("branch", weights={"bm25": 1}, depths={"bm25": 9})
    table = configurations_table([rrf(), alone, rrf(rank_constant=60.0)], branches=["graph"])
    assert table.columns[3:] == [
        "weight_bm25",
        "weight_dense",
        "weight_graph",
        "depth_bm25",
        "depth_dense",
        "depth_graph",
    ]
    assert table.filter(method="branch").row(0)[2:] == (None, 1.0, 0.0, 0.0, 9, 0, 0)
    assert table.height == 2
    assert CONFIGURATIONS.check(table).equals(table)
    assert configurations_table([]).height == 0


def test_an_order_of_its_own_has_no_row():
    with pytest.raises(ParameterError, match="a grid holds no order"):
        Configuration.of("round_robin", **HALVES, order=("dense", "bm25")).row()


@given(contract=contracts(methods=tuple(m for m in FUSING if m != "round_robin")))
def test_a_row_gives_its_configuration_back(contract):
    point = Configuration.of(
        contract.method,
        rank_constant=contract.rank_constant,
        weights=dict(contract.weights),
        depths=dict(contract.depths),
    )
    row = configurations_table([point], branches=["bm25", "dense", "graph"]).row(0, named=True)
    assert Configuration.from_row(row) == point
    assert Configuration.from_row(row).id == row["configuration"] == point.id
    assert re.fullmatch(r"[a-z0-9_-]+", point.id)


def test_the_whole_contract_is_printed():
    fusion = FusionParams(level="source", missing="past_depth", output_depth=10)
    printed = rrf(rank_constant=60).contract(fusion).describe()
    assert json.loads(json.dumps(printed)) == printed
    assert printed["rank_constant"] == 60
    assert printed["weights"] == {"bm25": 0.5, "dense": 0.5}
    assert printed["first_rank"] == 1
    assert (printed["level"], printed["missing"], printed["output_depth"]) == (
        "source",
        "past_depth",
        10,
    )
    assert "smaller id by code point" in printed["ties"]
    assert "descending" in printed["sum"]


def test_every_method_tells_its_formula():
    assert all(method.title and method.formula for method in METHODS.values())
