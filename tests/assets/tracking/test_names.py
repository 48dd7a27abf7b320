"""Names for MLflow: nothing is refused, nothing is lost."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assets.tracking.names import mlflow_name, own_name

# Letters that the rule treats apart come often, so that they meet.
NAMES = st.text(st.one_of(st.sampled_from("_at@:/. 40é"), st.characters()), min_size=1)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("nDCG@10", "nDCG_at_10"),
        ("dev/smith.bm25/R@100", "dev/smith.bm25/R_at_100"),
        ("k=60,w=0.5", "k:3d:60:2c:w:3d:0.5"),
        ("slice é", "slice :e9:"),
        ("a//b", "a/:2f:b"),
        ("../up", ":2e:./up"),
    ],
)
def test_a_name_is_mapped_by_one_fixed_rule(name: str, shown: str) -> None:
    assert mlflow_name(name) == shown


@given(NAMES)
@example("_at@")
@example("@at_")
@example(":40:")
def test_the_mapping_is_reversible(name: str) -> None:
    assert own_name(mlflow_name(name)) == name


@given(NAMES, NAMES)
@example("a_at_b", "a@b")
def test_two_names_never_become_one(first: str, second: str) -> None:
    assert (mlflow_name(first) == mlflow_name(second)) == (first == second)
