"""One whole study of each kind, made once."""

from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from pipeline.report import Report
from tests.pipeline.report.small_study import page, params, report_inputs, write_collection

DECLARED = {"mode": "declared", "configuration": {"method": "rrf", "rank_constant": 60}}
NO_DEV = {"splits": {"independent": True, "shares": {"test": 1.0}}, "selection": DECLARED}
CROSSFIT = {"splits": {"independent": True, "protocol": "crossfit", "folds": 3}}
EVALUATED = {"measures": ["nDCG@5", "R@5", "ZeroHit@5"], "resamples": 200, "slices": {"minimum": 3}}
RERANKED = {
    "fusion": {"branches": ["words", "vectors"]},
    "evaluation": EVALUATED | {"rerank": {"branch": "graph", "depth": 10}, "source_cap": 1},
}
KINDS: dict[str, dict[str, Any]] = {
    "opened": {},
    "sealed": {"sealed": True},
    "three branches": {"branches": 3},
    "reranked": {"branches": 3, "sections": RERANKED},
    "crossfit": {"sections": CROSSFIT},
    "crossfit, sealed": {"sections": CROSSFIT, "sealed": True},
    "no dev": {"sections": NO_DEV},
    "ids only": {"written": {"text": False}},
    "no judgments": {"written": {"labels": False}, "sealed": True},
    "tenants": {"written": {"tenants": True}},
    "text shown": {"sections": {"report": {"text": True}}},
}


@pytest.fixture(scope="session")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, Any]]:
    """What the report reads of a study of this kind."""

    @cache
    def made(kind: str) -> dict[str, Any]:
        how = KINDS[kind]
        folder = tmp_path_factory.mktemp("study") / "collection"
        collection = write_collection(folder, **how.get("written", {}))
        of = params(how.get("branches", 2), **how.get("sections", {}))
        return report_inputs(collection, of, sealed=how.get("sealed", False))

    return made


@pytest.fixture(scope="session")
def pages(studies: Callable[[str], dict[str, Any]]) -> Callable[[str], Report]:
    """The report of a study of this kind."""

    @cache
    def made(kind: str) -> Report:
        return page(studies(kind))

    return made
