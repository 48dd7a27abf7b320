"""Bad branches as a newcomer would write them, each through a complete study: all are held.

Every case changes the five-query study so that a recorded engine shows one query one document
that its principal may not see. Whatever the engine got wrong, the gate `authorization` fails, and
the document's id leaves the study by no door.
"""

import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import yaml

from assets.bare import Files, read_files, write_study
from assets.folder import StudyFolder
from assets.results import Results
from assets.runner import run_stage
from assets.tracking.clearing import refuse_uncleared_results
from pipeline.errors import RankgateError
from pipeline.storage import read_json, read_table, write_table, write_text
from pipeline.study import run_study
from pipeline.tables import CONTEXTS
from tests.assets.five_queries import CUT, LISTS, Run, read_lines, run_all, run_text, write_lines

Fields = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Bad:
    """What an engine got wrong.

    Args:
        secret: the document that leaks.
        query: to whom.
        reason: as the audit says it.
        documents: further fields of documents, by id.
        queries: further fields of queries, by id.
        lists: lists that are others than the five-query study's, by branch and query.
        filters: what the engine says it filtered by.
    """

    secret: str
    query: str
    reason: str
    documents: Fields
    queries: Fields = field(default_factory=dict)
    lists: Mapping[tuple[str, str], str] = field(default_factory=dict)
    filters: str | None = None


TENANT, GROUPS = "another tenant's", "for groups the principal is not in"
CASES = {
    "a filter that is ignored": Bad(
        "g", "q3", TENANT, {"g": {"tenant": "rival"}}, {"q3": {"tenant": "acme"}}
    ),
    "a fallback without the filter where it leaves nothing": Bad(
        "h",
        "q5",
        TENANT,
        {"h": {"tenant": "rival"}},
        {"q5": {"tenant": "acme"}, "q3": {"tenant": "rival"}},
        lists={("lexical", "q5"): "h", ("semantic", "q5"): ""},
        filters="tenant:acme",
    ),
    "an index of before the document expired": Bad(
        "c",
        "q4",
        "no longer valid at the query's date",
        {"c": {"valid_to": "2025-01-01"}},
        {"q4": {"as_of": "2026-01-01"}},
    ),
    "an effective date that is ignored": Bad(
        "b",
        "q1",
        "not yet valid at the query's date",
        {"b": {"valid_from": "2027-01-01"}},
        {"q1": {"as_of": "2026-01-01"}},
    ),
    "a tenant that matches by substring": Bad(
        "f", "q2", TENANT, {"f": {"tenant": "acme-europe"}}, {"q2": {"tenant": "acme"}}
    ),
    "a group that matches by substring": Bad(
        "f", "q2", GROUPS, {"f": {"groups": ["lawyers"]}}, {"q2": {"groups": ["law"]}}
    ),
    "a principal that is missing on one query": Bad(
        "e", "q4", TENANT, {"e": {"tenant": "acme"}}, {"q2": {"tenant": "acme"}}
    ),
    "a forbidden member behind an allowed one": Bad(
        "c",
        "q1",
        TENANT,
        {"a": {"evidence_id": "ac"}, "c": {"evidence_id": "ac", "tenant": "rival"}},
        {"q1": {"tenant": "acme"}, "q4": {"tenant": "rival"}},
    ),
    "a canary": Bad("g", "q3", "a canary, for nobody to see", {"g": {"kind": "canary"}}),
}
FIRST, MEMBER = "a filter that is ignored", "a forbidden member behind an allowed one"


def name_of(bad: Bad, letter: str) -> str:
    """The leaked document has a name that would be found anywhere."""
    return f"classified-{letter}" if letter == bad.secret else letter


def rewrite(collection: Path, bad: Bad) -> None:
    """The five-query collection as this engine serves it."""
    changed = {"documents": ("doc_id", bad.documents), "queries": ("query_id", bad.queries)}
    for file, (key, fields) in changed.items():
        path = collection / f"{file}.jsonl"
        lines = [line | fields.get(line[key], {}) for line in read_lines(path)]
        lines = [line | {key: name_of(bad, line[key])} for line in lines]
        write_lines(path, lines)
    rounds = collection / "judgments" / "first.jsonl"
    evidence = {name: more.get("evidence_id") for name, more in bad.documents.items()}
    lines = read_lines(rounds)
    for line in lines:
        judged = line["evidence_id"]
        line["evidence_id"] = evidence.get(judged) or name_of(bad, judged)
    write_lines(rounds, lines)
    for branch in LISTS:
        write_run(collection, branch, bad)


def write_run(collection: Path, branch: str, bad: Bad) -> None:
    """A branch's run: TREC, or JSON Lines where the engine says its filter."""
    lists = {
        query: bad.lists.get((branch, query), listed) for query, listed in LISTS[branch].items()
    }
    path = collection / "runs" / f"{branch}.run"
    if bad.filters is None:
        secret = f" Q0 {bad.secret} "
        text = run_text(lists).replace(secret, f" Q0 {name_of(bad, bad.secret)} ")
        write_text(path, text)
        return
    path.unlink()
    lines = [
        {
            "query_id": query,
            "filters": bad.filters,
            "results": [
                {"doc_id": name_of(bad, letter), "score": 10 - place}
                for place, letter in enumerate(listed)
            ],
        }
        for query, listed in lists.items()
    ]
    write_lines(path.with_suffix(".jsonl"), lines)


def gate_of(decision: Mapping[str, Any]) -> Mapping[str, Any]:
    """The gate `authorization`."""
    return next(one for one in decision["gates"] if one["gate"] == "authorization")


def run_bare(collection: Path, out: Path) -> Mapping[str, Any]:
    """The decision on the collection's files, the test open at once; results under `out`."""
    (rounds,) = (collection / "judgments").glob("*.jsonl")
    runs = {name: next((collection / "runs").glob(f"{name}.*")) for name in LISTS}
    files = Files(
        runs=runs,
        judgments=rounds,
        documents=collection / "documents.jsonl",
        queries=collection / "queries.jsonl",
        params=collection / "params.yaml",
    )
    write_text(collection / "params.yaml", yaml.safe_dump(CUT))
    found, params = read_files(files)
    study = run_study(found, params)
    write_study(study, params, out)
    return study.decision.decision


@pytest.mark.parametrize(
    "name", [pytest.param(one, marks=() if one == FIRST else pytest.mark.slow) for one in CASES]
)
def test_it_fails_the_gate_is_held_and_is_not_on_the_page(
    name: str, founded: Path, tmp_path: Path
) -> None:
    bad, collection = CASES[name], tmp_path / "five"
    copied(founded, collection)
    rewrite(collection, bad)
    decision = run_bare(collection, tmp_path / "out")
    gate = gate_of(decision)
    assert (gate["status"], gate["required"], decision["word"]) == ("fail", True, "hold")
    found = pl.read_parquet(tmp_path / "out" / "operations" / "forbidden.parquet")
    leaked = found.filter(doc_id=name_of(bad, bad.secret), query_id=bad.query)
    assert set(leaked["reason"]) == {bad.reason}
    assert {"candidates", "runs"} <= set(leaked["list"])
    assert found["query_id"].unique().to_list() == [bad.query]
    said = (tmp_path / "out" / "decision" / "decision.json").read_text()
    html = (tmp_path / "out" / "report" / "index.html").read_text()
    assert name_of(bad, bad.secret) not in said + html


def copied(founded: Path, collection: Path) -> None:
    """The collection, to be changed."""
    source = founded / "data" / "collections" / "five"
    for path in source.rglob("*"):
        if path.is_file():
            write_text(collection / path.relative_to(source), path.read_text())


@pytest.fixture(scope="module", params=[FIRST, pytest.param(MEMBER, marks=pytest.mark.slow)])
def leaked(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, founded: Path
) -> tuple[Bad, Path]:
    """A study with all its tools, run to its end; not to be changed."""
    bad = CASES[request.param]
    root = Path(shutil.copytree(founded, tmp_path_factory.mktemp("leaked") / "five"))
    rewrite(root / "data" / "collections" / "five", bad)
    run_all(StudyFolder(root))
    return bad, root


@pytest.fixture
def leaking(leaked: tuple[Bad, Path], tmp_path: Path) -> tuple[Bad, Path]:
    """A copy of it."""
    bad, root = leaked
    return bad, Path(shutil.copytree(root, tmp_path / "five"))


def test_no_command_says_the_id(leaking: tuple[Bad, Path], rankgate: Run, tmp_path: Path) -> None:
    bad, study = leaking
    secret = name_of(bad, bad.secret)
    refuse_uncleared_results(Results(StudyFolder(study)))  # nothing that tracking tells names it
    assert gate_of(read_json(study / "data/decision/decision.json"))["status"] == "fail"
    said: dict[str, Callable[[Path], tuple[object, ...]]] = {
        "show": lambda _: ("show", bad.query, "--system", "lexical"),
        "show --run": lambda out: ("show", "--system", "lexical", "--run", out),
        "judge export": lambda _: ("judge", "export", "--assessor", "ann", "--second"),
        "judge errors": lambda out: ("judge", "errors", "-o", out),
        "judge qrels": lambda out: ("judge", "qrels", "-o", out),
        "judge status": lambda _: ("judge", "status"),
    }
    for number, (name, arguments) in enumerate(said.items()):
        out = tmp_path / f"out{number}"
        done = rankgate(*arguments(out), study=study)
        assert done.exit_code == 0, (name, done.output)
        assert secret not in done.output + (out.read_text() if out.exists() else ""), name
    for path in (study / "data" / "worksheets").iterdir():
        assert secret not in path.read_text()
    assert secret not in (study / "data" / "report" / "index.html").read_text()


def test_show_withholds_it_and_says_so(leaking: tuple[Bad, Path], rankgate: Run) -> None:
    bad, study = leaking
    if bad is CASES[MEMBER]:
        pytest.skip("what is shown of it is the allowed member")
    done = rankgate("show", "q3", "--system", "rrf_60", study=study)
    rows = [line.split() for line in done.output.splitlines()]
    # g is first in lexical and second in semantic: it keeps its place before h, and no grade.
    assert rows[4][:3] == ["1", "withheld", "withheld"]
    assert rows[4][4:7] == ["1", "2", "-"]
    assert rows[5][1] == "h"
    assert "withheld: 1 listed documents" in done.output
    output = study / "rrf.run"
    done = rankgate("show", "--system", "rrf_60", "--run", output, study=study)
    assert "withheld: 1 listed documents" in done.output
    listed = [line.split() for line in output.read_text().splitlines()]
    assert [(row[2], row[3]) for row in listed if row[0] == "q3"] == [("h", "1")]


@pytest.mark.slow
def test_judgments_of_what_a_query_may_not_see_are_left_out_of_qrels(
    new_study: Path, rankgate: Run
) -> None:
    bad = Bad("h", "q3", TENANT, {"h": {"tenant": "rival"}})
    rewrite(new_study / "data" / "collections" / "five", bad)
    run_all(StudyFolder(new_study), last="decision")
    output = new_study / "qrels.txt"
    done = rankgate("judge", "qrels", "-o", output, study=new_study)
    assert done.output.splitlines() == [
        f"{output}: 8 pairs",
        "withheld: 1 pairs whose query may not see the evidence",
    ]
    assert "classified" not in output.read_text()


@pytest.mark.slow
def test_show_refuses_lists_that_were_not_audited(study: Path, rankgate: Run) -> None:
    # Nothing was restricted when it was run.
    rewrite(study / "data" / "collections" / "five", CASES["a filter that is ignored"])
    for stage in ("snapshot", "splits"):
        run_stage(StudyFolder(study), stage)
    done = rankgate("show", "q1", study=study)
    assert done.exit_code == 1
    assert "lists that operations did not clear" in done.stderr
    assert "dvc repro operations" in done.stderr


@pytest.mark.slow
def test_an_id_in_the_context_alone_fails_the_gate(new_study: Path) -> None:
    """A step after fusion that adds the neighbours of a page adds one that nobody retrieved."""
    bad = Bad("b", "q3", TENANT, {"b": {"tenant": "rival"}}, {"q1": {"tenant": "rival"}})
    rewrite(new_study / "data" / "collections" / "five", bad)
    folder = StudyFolder(new_study)
    run_all(folder, last="decision")
    assert gate_of(read_json(folder.data / "decision/decision.json"))["status"] == "pass"
    path = folder.data / "evaluation" / "contexts.parquet"
    contexts = read_table(path, CONTEXTS)
    secret = name_of(bad, "b")
    added = (
        contexts.filter(query_id="q3")
        .head(1)
        .with_columns(
            pl.lit(99, pl.Int64).alias("rank"), doc_id=pl.lit(secret), evidence_id=pl.lit(secret)
        )
    )
    write_table(path, pl.concat([contexts, added]).sort(CONTEXTS.key), CONTEXTS)
    run_all(folder, first="operations", last="decision")
    found = read_json(folder.data / "operations/authorization.json")
    assert [(row["list"], row["query_id"]) for row in found["where"]] == [("contexts", "q3")]
    assert gate_of(read_json(folder.data / "decision/decision.json"))["status"] == "fail"


def test_an_index_that_lists_what_was_deleted_since_is_refused_when_it_is_read(
    new_study: Path,
) -> None:
    path = new_study / "data" / "collections" / "five" / "documents.jsonl"
    write_lines(path, [line for line in read_lines(path) if line["doc_id"] != "c"])
    with pytest.raises(RankgateError, match="not in the corpus"):
        run_all(StudyFolder(new_study))
