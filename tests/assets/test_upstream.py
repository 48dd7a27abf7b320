"""Which stages a stage's inputs come from."""

import pytest

from assets.stages import BY_NAME, STAGES, TRACKING
from assets.upstream import sources, upstream


@pytest.mark.parametrize(
    ("stage", "names"),
    [
        ("snapshot", []),
        ("splits", ["snapshot"]),
        ("candidates", ["snapshot"]),
        ("pool", ["snapshot", "splits", "candidates"]),
        ("sweep", ["snapshot", "splits", "candidates"]),
        ("selection", ["snapshot", "splits", "candidates", "sweep"]),
    ],
)
def test_they_are_told_in_the_order_of_the_chain(stage: str, names: list[str]) -> None:
    assert [each.name for each in upstream(BY_NAME[stage])] == names


def test_what_shows_everything_comes_from_everything() -> None:
    assert list(upstream(BY_NAME["report"])) == list(STAGES[:-1])
    assert list(upstream(TRACKING)) == list(STAGES)


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_nothing_comes_from_a_later_stage(stage: object) -> None:
    place = list(STAGES).index(stage)  # type: ignore[arg-type]
    before = STAGES[:place]
    assert set(map(id, sources(STAGES[place]))) <= set(map(id, upstream(STAGES[place])))
    assert all(each in before for each in upstream(STAGES[place]))
