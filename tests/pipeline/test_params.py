"""Parameters are typed; an unknown key is refused with the nearest known one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from pipeline.errors import MissingError, ParameterError
from pipeline.params import Params, parse_params, read_params, to_params

SMALL: dict[str, Any] = {
    "study": "s",
    "collection": {"path": "c"},
    "candidates": {"bm25": {"kind": "bm25"}, "dense": {"kind": "dense"}},
}


def _refused(change: dict[str, Any]) -> str:
    with pytest.raises(ParameterError) as refusal:
        to_params(SMALL | change, where="params.yaml")
    return str(refusal.value)


def test_a_small_study_has_defaults_for_all_else() -> None:
    params = to_params(SMALL)
    assert params.selection.measure == "nDCG@5"
    assert params.fused_branches == ("bm25", "dense")
    assert params.evaluation.alpha == 0.05


def test_the_repositorys_own_parameters_are_valid() -> None:
    assert read_params(Path(__file__).parents[2] / "params.yaml").study == "handbook"


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sweeep": {}}, "sweeep: unknown key, the nearest known is 'sweep'"),
        ({"pool": {"deph": 3}}, "pool.deph: unknown key, the nearest known is 'depth'"),
        ({"candidates": {"dense": {"kind": "dense", "dept": 3}}}, "candidates.dense.dept"),
        ({"candidates": {"a b": {"kind": "bm25"}}}, "candidates.a b"),
        ({"candidates": {"k=60/w=0.5": {"kind": "bm25"}}}, "candidates.k=60/w=0.5"),
        ({"candidates": {"x:y": {"kind": "bm25"}}}, "candidates.x:y"),
        ({"candidates": {}}, "at least 1 item"),
        ({"seed": True}, "seed"),
        ({"seed": "7"}, "seed"),
        ({"splits": {"shares": {"dev": 0.5, "test": 0.4}}}, "shares must add up to 1, found 0.9"),
        ({"sweep": {"rank_constants": [0]}}, "greater than or equal to 1"),
        ({"sweep": {"rank_constants": [1_000_000]}}, "less than or equal to 100000"),
        ({"collection": {"path": "c", "scale": [3, 0]}}, "scale must rise"),
        ({"collection": {"path": "c", "scale": [0, 10**20]}}, "scale must lie within ±1000"),
        ({"pool": {"depth": 10**20}}, "pool.depth: Input should be less than or equal to"),
        ({"sweep": {"weight_step": 1e-320}}, "weight_step: Input should be greater than"),
        ({"collection": {"path": "c", "rel": 4}}, "rel must lie in the scale"),
        ({"production": "live"}, "production names no branch"),
        ({"fusion": {"branches": ["bm25", "x"]}}, "fusion.branches names no branch"),
        ({"selection": {"mode": "declared"}}, "configuration goes with mode: declared"),
        ({"pool": {"size": 12}}, "pool.size: unknown key"),
        ({"sweep": {"methods": ["convex"]}}, "sweep.methods.0: Input should be 'rrf'"),
        ({"min_score": 0.3}, "min_score: unknown key"),
    ],
)
def test_what_is_wrong_is_named_by_its_key(change: dict[str, Any], words: str) -> None:
    assert words in _refused(change)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"production": "live"},
            "params.yaml: production names no branch: ['live']; known: ['bm25', 'dense']."
            " Next: edit params.yaml",
        ),
        (
            {"candidates": {"a": {"kind": "splade", "depth": 3}}},
            "params.yaml: candidates.a.kind: no such kind of branch, found 'splade',"
            " expected bm25, dense or recorded. Next: edit params.yaml",
        ),
        (
            {"candidates": {"a": {"depth": 3}}},
            "params.yaml: candidates.a.kind: no such kind of branch, found 'nothing',"
            " expected bm25, dense or recorded. Next: edit params.yaml",
        ),
        (
            {"splits": {"shares": {"tset": 1.0}}},
            "params.yaml: splits.shares.tset: Input should be 'dev', 'test', 'train' or 'reserve',"
            " found 'tset'. Next: edit params.yaml",
        ),
    ],
)
def test_a_refusal_shows_the_value_and_never_the_whole_file(
    change: dict[str, Any], message: str
) -> None:
    assert _refused(change) == message


def test_every_problem_is_listed_not_only_the_first() -> None:
    message = _refused({"sweeep": {}, "seed": -1})
    assert "sweeep" in message
    assert "seed" in message


def test_equal_numbers_of_other_spelling_are_equal() -> None:
    whole = to_params(SMALL | {"sweep": {"rank_constants": [60]}})
    real = to_params(SMALL | {"sweep": {"rank_constants": [60.0]}})
    assert whole == real


def test_production_is_not_fused_unless_listed() -> None:
    assert to_params(SMALL | {"production": "bm25"}).fused_branches == ("dense",)
    listed = {"production": "bm25", "fusion": {"branches": ["dense", "bm25"]}}
    assert to_params(SMALL | listed).fused_branches == ("bm25", "dense")


def test_a_folder_without_parameters_says_how_to_make_them(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="Next: rankgate init"):
        read_params(tmp_path / "params.yaml")


def test_parameters_that_are_not_utf_8_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "params.yaml"
    path.write_bytes(b"study: s\n# caf\xe9\n")
    with pytest.raises(ParameterError, match=r"params\.yaml:2: not UTF-8"):
        read_params(path)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"candidates": {"size": {"kind": "bm25"}, "b": {"kind": "bm25"}}}, "candidates.size"),
        ({"decision": {"slices": {"nfiles": {"veto": "statistical"}}}}, "decision.slices.nfiles"),
        (
            {
                "selection": {
                    "mode": "declared",
                    "configuration": {"method": "rrf", "weights": {"size": 1.0}},
                }
            },
            "selection.configuration.weights.size",
        ),
    ],
)
def test_a_name_whose_change_dvc_does_not_see_is_refused(
    change: dict[str, Any], place: str
) -> None:
    # With another depth the branch's lists of before would come back.
    assert f"DVC does not see change; found {place}; expected any other name" in _refused(change)


def test_no_key_has_a_name_whose_change_dvc_does_not_see() -> None:
    assert not {"size", "nfiles"} & set(_keys(Params))


def _keys(section: type[BaseModel]) -> Iterator[str]:
    for name, field in section.model_fields.items():
        yield name
        for part in _models(field.annotation):
            yield from _keys(part)


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in getattr(annotation, "__args__", ()):
        yield from _models(argument)


def test_yaml_text_and_a_mapping_are_read_alike() -> None:
    text = (
        "study: s\ncollection: {path: c}\ncandidates: {bm25: {kind: bm25}, dense: {kind: dense}}\n"
    )
    assert parse_params(text) == to_params(SMALL)
