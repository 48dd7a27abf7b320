"""What an import declares: said, asked for, as the source says, as it occurs, or by default."""

from typing import Any

import polars as pl
import pytest

from pipeline.collection.collection import Collection
from pipeline.collection.declared import Declaration, declare
from pipeline.errors import CollectionError, ParameterError
from pipeline.tables import DOCUMENTS, JUDGMENTS, QUERIES


def collection(*grades: int) -> Collection:
    rows = {
        "query_id": [f"q{i}" for i in range(len(grades))],
        "evidence_id": "d",
        "grade": list(grades),
        "status": "judged",
        "assessor": "",
        "assessor_kind": None,
        "note": None,
        "round": "r",
        "line": list(range(1, len(grades) + 1)),
    }
    frame = pl.DataFrame(rows, schema=dict(JUDGMENTS.columns)) if grades else JUDGMENTS.empty()
    return Collection(DOCUMENTS.empty(), QUERIES.empty(), frame)


def test_nobody_says_anything() -> None:
    declared = declare(Declaration(), collection(0, 2), where="c")
    assert (declared.regime, declared.scale, declared.rel) == ("pooled", (0, 2), 1)
    assert declared.origin == {"regime": "default", "scale": "occurs", "rel": "default"}


@pytest.mark.parametrize(
    ("grades", "scale"), [((1, 1), (0, 1)), ((-2, 4), (-2, 4)), ((3,), (0, 3))]
)
def test_the_scale_that_occurs_holds_0_and_1(grades: tuple[int, ...], scale: Any) -> None:
    assert declare(Declaration(), collection(*grades), where="c").scale == scale


def test_where_no_grade_occurs_the_scale_is_the_usual_one() -> None:
    declared = declare(Declaration(), collection(), where="c")
    assert (declared.scale, declared.origin["scale"]) == ((0, 3), "default")


def test_what_is_said_goes_before_the_source_and_the_source_before_asking() -> None:
    asked: list[str] = []

    def ask(name: str, default: Any) -> Any:
        asked.append(name)
        return default

    said, before = Declaration(regime="sparse"), Declaration("exhaustive", (0, 4))
    declared = declare(said, collection(1), where="c", before=before, ask=ask)
    assert (declared.regime, declared.scale, declared.rel) == ("sparse", (0, 4), 1)
    assert declared.origin == {"regime": "said", "scale": "source", "rel": "said"}
    assert asked == ["rel"]


def test_grades_are_mapped_before_the_scale_is_taken() -> None:
    declared = declare(Declaration(grades={-1: 0, 9: 3}), collection(-1, 1, 9), where="c")
    assert declared.scale == (0, 3)


@pytest.mark.parametrize(
    ("said", "error", "words"),
    [
        (Declaration(scale=(0, 1)), CollectionError, "c, judgments r:2: a grade off the declared"),
        (Declaration(scale=(3, 0)), ParameterError, "--scale.*scale must rise"),
        (Declaration(rel=5), ParameterError, "rel must lie in the scale"),
        (Declaration(regime="none"), ParameterError, "--regime"),
    ],
)
def test_what_cannot_be_declared_is_refused(
    said: Declaration, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        declare(said, collection(0, 2), where="c")
