"""A stage says of which parameters its results were made: by value, and only of those it has."""

import hashlib
from pathlib import Path

import pytest

from assets.folder import StudyFolder
from assets.lock import keys
from assets.made_of import FILE, digests
from assets.stages import BY_NAME, STAGES, Stage
from pipeline.params import Params, to_params
from pipeline.storage import read_json
from tests.assets.five_queries import change_params

SWEEP, CANDIDATES = BY_NAME["sweep"], BY_NAME["candidates"]
DECLARED = {
    "study": "five",
    "collection": {"path": "five"},
    "candidates": {
        "lexical": {"kind": "recorded", "run": "lexical"},
        "semantic": {"kind": "recorded", "run": "semantic"},
    },
}


def declared(**more: object) -> Params:
    """Two recorded branches, all else at its default or as given."""
    return to_params({**DECLARED, **more})


def test_a_digest_is_that_of_the_values_json() -> None:
    # printf 7 | sha256sum
    seven = "7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451"
    assert digests(declared(seed=7), SWEEP)["seed"] == seven
    context = b'{"depth":2}'
    assert (
        digests(declared(context={"depth": 2}), BY_NAME["pool"])["context"]
        == hashlib.sha256(context).hexdigest()
    )


def test_an_infinite_limit_is_a_value_too() -> None:
    one, other = (
        digests(declared(decision={"latency": {"milliseconds": limit}}), BY_NAME["decision"])
        for limit in (float("inf"), 1e9)
    )
    assert one["decision"] != other["decision"]


def test_another_spelling_of_the_same_values_is_the_same() -> None:
    branches = {
        "semantic": {"run": "semantic", "kind": "recorded", "depth": 100},
        "lexical": {"higher_is_better": True, "run": "lexical", "kind": "recorded"},
    }
    same = declared(candidates=branches, sweep={"weight_step": 0.1, "target": "any"}, seed=7)
    for stage in STAGES:
        assert digests(same, stage, "lexical") == digests(declared(), stage, "lexical")


def test_another_value_differs_under_its_own_name_alone() -> None:
    before, after = digests(declared(), SWEEP), digests(declared(seed=8), SWEEP)
    assert {name for name in before if before[name] != after[name]} == {"seed"}


def test_a_branch_is_made_of_its_own_options_alone() -> None:
    other = {**DECLARED["candidates"], "semantic": {"kind": "recorded", "run": "lexical"}}  # type: ignore[dict-item]
    before, after = declared(), declared(candidates=other)
    assert digests(before, CANDIDATES, "lexical") == digests(after, CANDIDATES, "lexical")
    assert digests(before, CANDIDATES, "semantic") != digests(after, CANDIDATES, "semantic")
    assert digests(before, SWEEP) != digests(after, SWEEP)  # it sees them all


def test_a_version_counts_where_one_is_declared() -> None:
    assert "rankgate" not in digests(declared(), SWEEP)
    one, other = (digests(declared(rankgate=version), SWEEP) for version in ("1", "2"))
    assert one["rankgate"] != other["rankgate"]


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_it_stands_beside_the_results(stage: Stage, finished: Path) -> None:
    folder = StudyFolder(finished)
    for key in keys(stage, folder):
        written = read_json(folder.data.joinpath(*key, FILE))
        assert written == digests(folder.params, stage, *key[1:])
        assert set(written) == {*stage.sections, "rankgate"}
        assert FILE not in read_json(folder.data.joinpath(*key, "summary.json"))


def test_all_that_a_stage_looks_at_has_a_part(study: Path) -> None:
    """One change in every section at once: every digest but those of what stayed is another."""
    folder = StudyFolder(study)
    before = {stage.name: digests(folder.params, stage, "lexical") for stage in STAGES}
    now = change_params(study, seed=8, question="not_worse", report={"text": True}).params
    for stage in STAGES:
        after = digests(now, stage, "lexical")
        differing = {name for name in after if after[name] != before[stage.name][name]}
        assert differing == {"seed", "question", "report"} & set(stage.sections)
