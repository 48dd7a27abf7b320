"""The scripts that record runs: run against stand-ins that give saved answers, read as runs."""

import json
import re
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from pipeline.collection.problems import Problems
from pipeline.collection.runs import read_recorded
from pipeline.recorded import RecordedRun

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "recording-runs.md").read_text(encoding="utf-8")
SCRIPTS = dict(re.findall(r"^```python engine=(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
ANSWERS = json.loads((TESTS / "golden" / "search_answers.json").read_text(encoding="utf-8"))
# The vector tells a stand-in, which sees no query id, which query it is asked; q3 fails.
QUERIES = [
    {"query_id": f"q{n}", "text": f"q{n}", "vector": [n, 0.5], "tenant": "north"} for n in (1, 2, 3)
]


class EngineError(Exception):
    """What every stand-in raises for q3."""


def _answered(kind: str, query: str) -> Any:
    if query == "q3":
        raise EngineError
    return ANSWERS[kind][query]


class _Elasticsearch:
    def __init__(self, address: str) -> None:
        self.asked: list[Mapping[str, Any]] = []

    def search(self, *, index: str, size: int, source: bool, **search: Any) -> Any:
        assert (index, size, source) == ("passages", 100, False)
        if "knn" in search:
            found = f"q{search['knn']['query_vector'][0]}"
            assert search["knn"]["filter"] == {"term": {"tenant": "north"}}
        else:
            found = search["query"]["bool"]["must"][0]["multi_match"]["query"]
            assert search["query"]["bool"]["filter"] == [{"term": {"tenant": "north"}}]
        return SimpleNamespace(body=_answered("words", found))


class _OpenSearch:
    def __init__(self, address: str) -> None:
        pass

    def search(self, *, index: str, body: Mapping[str, Any]) -> Any:
        assert (index, body["size"], body["_source"]) == ("passages", 100, False)
        query = body["query"]
        if "knn" in query:
            assert query["knn"]["vector"]["filter"] == {"term": {"tenant": "north"}}
            return _answered("words", f"q{query['knn']['vector']['vector'][0]}")
        return _answered("words", query["bool"]["must"][0]["multi_match"]["query"])


class _Qdrant:
    def __init__(self, address: str) -> None:
        pass

    def query_points(self, *, collection_name: str, query: list[float], **more: Any) -> Any:
        assert (more["using"], more["limit"], more["with_payload"]) == ("dense", 100, ["doc_id"])
        points = _answered("points", f"q{query[0]}")
        return SimpleNamespace(points=[SimpleNamespace(**point) for point in points])


class _Connection:
    def __enter__(self) -> "_Connection":
        return self

    def __exit__(self, *raised: object) -> None:
        pass

    def execute(self, statement: str, given: Mapping[str, Any]) -> Any:
        names = set(re.findall(r"%\((\w+)\)s", statement))
        assert {"tenant", "depth"} < names <= set(given)
        rows = _answered("rows", f"q{int(given['vector'][0])}")
        return SimpleNamespace(fetchall=lambda: [tuple(row) for row in rows])


def _module(name: str, **names: Any) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(names)
    return module


def _taken(**fields: Any) -> SimpleNamespace:
    return SimpleNamespace(**fields)


CLIENTS: Mapping[str, list[ModuleType]] = {
    "elasticsearch": [
        _module(
            "elasticsearch",
            Elasticsearch=_Elasticsearch,
            ApiError=EngineError,
            TransportError=OSError,
        )
    ],
    "opensearch": [
        _module("opensearchpy", OpenSearch=_OpenSearch),
        _module("opensearchpy.exceptions", OpenSearchException=EngineError),
    ],
    "qdrant": [
        _module(
            "qdrant_client",
            QdrantClient=_Qdrant,
            models=_taken(MatchValue=_taken, Filter=_taken, FieldCondition=_taken),
        ),
        _module("qdrant_client.http"),
        _module("qdrant_client.http.exceptions", ApiException=EngineError),
    ],
    "pgvector": [
        _module("psycopg", connect=lambda where, autocommit: _Connection(), Error=EngineError),
        _module("pgvector"),
        _module("pgvector.psycopg", register_vector=lambda connection: None),
    ],
}


@pytest.fixture
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], RecordedRun]:
    """Runs an engine's script in a folder of its own; gives back the run that it wrote."""

    def recorded(engine: str, run: str) -> RecordedRun:
        for module in CLIENTS[engine]:
            monkeypatch.setitem(sys.modules, module.__name__, module)
        lines = "".join(f"{json.dumps(query)}\n" for query in QUERIES)
        (tmp_path / "queries.jsonl").write_text(lines, encoding="utf-8")
        monkeypatch.chdir(tmp_path)
        exec(compile(SCRIPTS[engine], f"{engine}.py", "exec"), {"__name__": "__main__"})
        problems = Problems(run)
        read = read_recorded(tmp_path / run, problems)
        problems.raise_if_any()
        return read[run.removesuffix(".jsonl")]

    return recorded


def test_every_engine_has_a_script_of_about_thirty_lines() -> None:
    assert set(SCRIPTS) == set(CLIENTS)
    for script in SCRIPTS.values():
        assert len([line for line in script.splitlines() if line.strip()]) <= 32


RUNS = [
    ("elasticsearch", "bm25.jsonl", "partial"),
    ("elasticsearch", "dense.jsonl", "partial"),
    ("opensearch", "bm25.jsonl", "partial"),
    ("opensearch", "dense.jsonl", "partial"),
    ("qdrant", "dense.jsonl", "ok"),
    ("pgvector", "dense.jsonl", "ok"),
    ("pgvector", "words.jsonl", "ok"),
]


@pytest.mark.parametrize(("engine", "run", "second"), RUNS)
def test_answers_become_a_run_with_failures_in_it(
    engine: str, run: str, second: str, record: Callable[[str, str], RecordedRun]
) -> None:
    told = record(engine, run)
    states = dict(told.queries.select("query_id", "status").iter_rows())
    # q2 lost a shard where the engine has shards; q3 raised.
    assert states == {"q1": "ok", "q2": second, "q3": "error"}
    first = told.results.filter(told.results["query_id"] == "q1").sort("position")
    assert first["doc_id"].to_list() == ["007", "7"]
    assert not set(told.results["query_id"]) & {"q3"}
