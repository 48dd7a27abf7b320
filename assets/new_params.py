"""The parameters a new study begins with."""

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from assets.versions import VERSION
from pipeline.collection import Collection
from pipeline.params import SplitsParams, parse_params
from pipeline.params.unseen import UNSEEN
from pipeline.splits.protocol import Protocol, protocol_for

# What YAML reads as something else than text, or as more than one word.
PLAIN = re.compile(r"(?!(?i:y|n|yes|no|on|off|true|false|null)$)[A-Za-z_][A-Za-z0-9_/-]*")


@dataclass(frozen=True, slots=True)
class Founding:
    """What `init` is told of a study.

    Args:
        root: the folder it is made in.
        collection: the collection's folder, in native form.
        regime: how complete the judgments are.
        scale: lowest and highest grade.
        rel: the grade from which on an item is relevant.
        independent: whether every query is a group of its own.
        grades: foreign grade to one of the scale.
    """

    root: Path
    collection: Path
    regime: str
    scale: tuple[int, int]
    rel: int
    independent: bool
    grades: Mapping[int, int] = field(default_factory=dict)


def new_params(plan: Founding, collection: Collection) -> str:
    """The text of params.yaml, with the protocol that the number of query groups asks for.

    Args:
        plan: what `init` was told.
        collection: as read.

    Raises:
        ParameterError: the queries cannot be grouped.
    """
    text = _filled(plan, collection, Protocol("holdout", SplitsParams().folds))
    protocol = protocol_for(collection, parse_params(text, where=plan.root / "params.yaml"))
    return _filled(plan, collection, protocol)


def _filled(plan: Founding, collection: Collection, protocol: Protocol) -> str:
    path = Path(os.path.relpath(plan.collection.resolve(), plan.root.resolve())).as_posix()
    return template(
        "params.yaml.j2",
        study=_scalar(plain_name(plan.root.resolve().name)),
        version=VERSION,
        path=_scalar(path),
        regime=plan.regime,
        scale=plan.scale,
        rel=plan.rel,
        grades=", ".join(f"{foreign}: {ours}" for foreign, ours in sorted(plan.grades.items())),
        protocol=protocol.name,
        folds=protocol.folds,
        shares=", ".join(f"{side}: {share}" for side, share in _shares(collection).items()),
        independent="true" if plan.independent else "false",
        branches=_branches(collection),
    )


def _shares(collection: Collection) -> Mapping[str, float]:
    """Half and half; where every query has an official side, what these come to."""
    official = collection.queries["split"].drop_nulls().to_list()
    if not official or len(official) < collection.queries.height:
        return {"dev": 0.5, "test": 0.5}
    counts = Counter(official)
    hundredths = {side: max(1, 100 * counts[side] // len(official)) for side in sorted(counts)}
    largest = max(hundredths, key=lambda side: (hundredths[side], side))
    hundredths[largest] += 100 - sum(hundredths.values())
    return {side: count / 100 for side, count in hundredths.items()}


def _branches(collection: Collection) -> Mapping[str, Mapping[str, Any]]:
    """Recorded runs where there are some, else BM25 and static vectors over the text."""
    if collection.runs:
        return {
            _scalar(branch): {"kind": "recorded", "run": _scalar(run), "depth": 100}
            for branch, run in _branch_names(collection.runs)
        }
    return {
        "bm25": {"kind": "bm25", "depth": 100},
        "dense": {"kind": "dense", "encoder": "static", "depth": 100},
    }


def _branch_names(runs: Iterable[str]) -> list[tuple[str, str]]:
    """Branch and run: the run's name in plain letters, no two alike, none that DVC overlooks."""
    found: dict[str, str] = {}
    for run in sorted(runs, key=lambda name: (plain_name(name) != name, name)):
        branch = plain_name(run)
        while branch in found or branch in UNSEEN:
            branch += "_"
        found[branch] = run
    return sorted(found.items())


def plain_name(name: str) -> str:
    """The name in the letters that studies and branches may have."""
    return re.sub(r"^[.-]+|[^A-Za-z0-9_.-]+", "_", name)


def _scalar(text: str) -> str:
    """Text as YAML reads it back, quoted where it must be."""
    return text if PLAIN.fullmatch(text) else json.dumps(text, ensure_ascii=False)


def template(name: str, **values: Any) -> str:
    """A file of `assets/templates/`, filled in."""
    environment = Environment(  # noqa: S701 - YAML, not a page
        loader=PackageLoader("assets", "templates"),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
    )
    return environment.get_template(name).render(**values)
