"""A five-query study as files, small enough to be worked by hand.

Documents a to h; every one is evidence by itself. Two recorded branches, `lexical` and
`semantic`; q1 to q3 are dev, q4 and q5 test, as the collection itself says.

    query  side  lexical  semantic  judged
    q1     dev   a b c    b d       b 3, d 1, a 0
    q2     dev   e f      f e       f 2, e 0
    q3     dev   g        h g       h 1
    q4     test  c a      a e       a 2, e 0
    q5     test  h d      d         d 1
"""

import json
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml
from click.testing import Result

from assets.folder import StudyFolder
from assets.runner import run_stage
from assets.stages import STAGES
from pipeline.storage import write_text

LISTS: Mapping[str, Mapping[str, str]] = {
    "lexical": {"q1": "abc", "q2": "ef", "q3": "g", "q4": "ca", "q5": "hd"},
    "semantic": {"q1": "bd", "q2": "fe", "q3": "hg", "q4": "ae", "q5": "d"},
}
GRADES = {
    ("q1", "b"): 3,
    ("q1", "d"): 1,
    ("q1", "a"): 0,
    ("q2", "f"): 2,
    ("q2", "e"): 0,
    ("q3", "h"): 1,
    ("q4", "a"): 2,
    ("q4", "e"): 0,
    ("q5", "d"): 1,
}
SIDES = {"q1": "dev", "q2": "dev", "q3": "dev", "q4": "test", "q5": "test"}
CUT = {
    "pool": {"depth": 2, "systems": "defaults"},
    "context": {"depth": 2},
    "sweep": {
        "measures": ["nDCG@2"],
        "methods": ["rrf", "convex_minmax"],
        "rank_constants": [1, 60],
        "weight_step": 0.25,
        "depths": [3],
        "target": "any",
    },
    "selection": {
        "mode": "search",
        "configuration": None,
        "measure": "nDCG@2",
        "stable_share": 0.8,
    },
    "evaluation": {
        "measures": ["nDCG@2", "R@2", "ZeroHit@2", "Judged@2"],
        "alpha": 0.05,
        "resamples": 100,
        "slices": {"minimum": 1},
    },
}

Run = Callable[..., Result]


def write_lines(path: Path, lines: list[dict[str, Any]]) -> None:
    """JSON Lines."""
    write_text(path, "".join(f"{json.dumps(line)}\n" for line in lines))


def read_lines(path: Path) -> list[dict[str, Any]]:
    """JSON Lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def write_collection(folder: Path) -> None:
    """The five-query collection in native form."""
    documents = [{"doc_id": name, "text": f"pump {name} word{name}"} for name in "abcdefgh"]
    write_lines(folder / "documents.jsonl", documents)
    queries = [
        {"query_id": query, "text": f"pump {query}", "split": side} for query, side in SIDES.items()
    ]
    write_lines(folder / "queries.jsonl", queries)
    judgments = [
        {"query_id": query, "evidence_id": evidence, "grade": grade}
        for (query, evidence), grade in GRADES.items()
    ]
    write_lines(folder / "judgments" / "first.jsonl", judgments)
    for branch, lists in LISTS.items():
        write_text(folder / "runs" / f"{branch}.run", run_text(lists))


def run_text(lists: Mapping[str, str]) -> str:
    """A TREC run, scores falling by one."""
    return "".join(
        f"{query} Q0 {name} {rank} {10 - rank} tag\n"
        for query, listed in lists.items()
        for rank, name in enumerate(listed, start=1)
    )


def change_params(root: Path, **sections: Any) -> StudyFolder:
    """Rewrites sections of params.yaml: mappings are merged, anything else replaced."""
    path = root / "params.yaml"
    content = yaml.safe_load(path.read_text(encoding="utf-8"))
    for name, value in sections.items():
        merged = isinstance(value, dict) and isinstance(content[name], dict)
        content[name] = {**content[name], **value} if merged else value
    write_text(path, yaml.safe_dump(content, sort_keys=False))
    return StudyFolder(root)


def run_all(folder: StudyFolder, first: str = "snapshot", last: str = "report") -> None:
    """Every stage up to the report, or from one to another, in this process."""
    names = [stage.name for stage in STAGES]
    for stage in STAGES[names.index(first) : names.index(last) + 1]:
        for branch in sorted(folder.params.candidates) if stage.per_branch else [None]:
            run_stage(folder, stage.name, branch)


def commit(root: Path, message: str) -> None:
    """All of a folder into git, by a user of the tests' own."""
    who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["add", "-A"], ["commit", "-qm", message]):
        subprocess.run(["git", *who, *words], cwd=root, capture_output=True, check=True)


def git_repository(folder: Path) -> Path:
    """An empty git repository."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder
