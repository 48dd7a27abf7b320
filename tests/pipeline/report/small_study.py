"""Small whole studies to write pages of: twenty-four queries, two or three recorded branches.

Document ids, query ids, texts and a slice hold markup, so that whatever is not escaped shows.
"""

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pipeline.collection import read_collection
from pipeline.params import Params, to_params
from pipeline.report import Report, compute
from pipeline.study import decide, evaluate, opened, operate, prepare, select, sweep

SCRIPT = "<script>alert(1)</script>"
SECRET = "Why is the `cache` cold & slow?"
PASSAGE = "The passage nobody may print"
QUERIES = [f"q{number:02d}<i>" for number in range(24)]
DOCUMENTS = [f"d{number:02d}<b>" for number in range(30)]
Sections = Mapping[str, Any]


def params(branches: int = 2, **sections: Any) -> Params:
    """The parameters of the small study; sections replace the defaults."""
    names = ["words", "vectors", "graph"][:branches]
    content = {
        "study": "small",
        "collection": {"path": ".", "scale": [0, 2]},
        "candidates": {name: {"kind": "recorded", "run": name, "depth": 10} for name in names},
        "sweep": {"measures": ["nDCG@5"], "rank_constants": [1, 60], "weight_step": 0.25},
        "splits": {"independent": True},
        "evaluation": {
            "measures": ["nDCG@5", "R@5", "ZeroHit@5"],
            "resamples": 200,
            "slices": {"minimum": 3},
        },
    }
    return to_params(content | sections)


def write_collection(
    folder: Path, *, text: bool = True, labels: bool = True, tenants: bool = False
) -> Path:
    """A collection in native form; with tenants one branch shows what is forbidden."""
    chance = random.Random(5)
    for name in ("judgments", "runs"):
        (folder / name).mkdir(parents=True)
    _write(folder / "documents.jsonl", [_document(name, text, tenants) for name in DOCUMENTS])
    _write(
        folder / "queries.jsonl", [_query(name, place, text) for place, name in enumerate(QUERIES)]
    )
    grades = [
        {"query_id": query, "evidence_id": document, "grade": chance.choice([0, 0, 1, 2])}
        for query in QUERIES
        for document in sorted(chance.sample(DOCUMENTS, 8))
    ]
    _write(folder / "judgments" / "one.jsonl", grades if labels else [])
    for run in ("words", "vectors", "graph"):
        _write(folder / "runs" / f"{run}.jsonl", [_listed(query, chance) for query in QUERIES])
    return folder


def _document(name: str, text: bool, tenants: bool) -> dict[str, Any]:
    made: dict[str, Any] = {"doc_id": name}
    if text:
        made |= {"text": f"{PASSAGE} {name}", "title": f"{PASSAGE} {SCRIPT}"}
    return made | ({"tenant": "acme"} if tenants and name == DOCUMENTS[3] else {})


def _query(name: str, place: int, text: bool) -> dict[str, Any]:
    made: dict[str, Any] = {"query_id": name}
    if text:
        made |= {"text": f"{SECRET} {SCRIPT}", "slices": ["short <u>" if place % 2 else "long"]}
    return made


def _listed(query: str, chance: random.Random) -> dict[str, Any]:
    found = chance.sample(DOCUMENTS, 10)
    return {
        "query_id": query,
        "results": [{"doc_id": name, "score": 10.0 - place} for place, name in enumerate(found)],
    }


def _write(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def report_inputs(collection: Path, of: Params, *, sealed: bool = False) -> dict[str, Any]:
    """Everything that the report reads, from the whole chain over a collection."""
    read = read_collection(collection, params=of.collection)
    prepared = prepare(read, of)
    swept = sweep(prepared, of)
    selected = select(prepared, swept, of)
    ledger = [] if sealed else opened(selected)
    evaluated = evaluate(prepared, swept, selected, of, ledger=ledger)
    operated = operate(prepared, swept, selected, evaluated, of, ledger=ledger)
    decided = decide(prepared, selected, evaluated, operated, of)
    return {
        "manifest": prepared.snapshot.manifest,
        "leakage": prepared.splits.leakage,
        "splits": prepared.splits.splits,
        "queries": prepared.snapshot.queries,
        "documents": prepared.snapshot.documents,
        "coverage": prepared.pool.coverage,
        "composition": prepared.pool.composition,
        "configurations": swept.configurations,
        "grids": swept.grids,
        "results": swept.results,
        "selection": selected.selection,
        "evaluation_summary": evaluated.summary,
        "runs": evaluated.runs,
        "systems": evaluated.systems,
        "per_query": evaluated.per_query,
        "comparisons": evaluated.comparisons,
        "complementarity": evaluated.complementarity,
        "bounds": evaluated.bounds,
        "equal_work": evaluated.equal_work,
        "branch_value": evaluated.branch_value,
        "agreement": evaluated.agreement,
        "slices": evaluated.slices,
        "diagnosis": evaluated.diagnosis,
        "critical": evaluated.critical,
        "pool_bias": evaluated.pool_bias,
        "faults": operated.faults,
        "operations_summary": operated.summary,
        "authorization": operated.authorization,
        "forbidden": operated.forbidden,
        "metamorphic": operated.metamorphic,
        "latency": operated.latency,
        "latency_ratios": operated.latency_ratios,
        "cost": operated.cost,
        "depths": operated.depths,
        "decision": decided.decision,
        "branch_manifests": {name: one.manifest for name, one in prepared.branches.items()},
        "params": of,
    }


def page(inputs: Mapping[str, Any], **changes: Any) -> Report:
    """The report of these inputs; changes replace whole inputs."""
    return compute(**{**inputs, **changes})
