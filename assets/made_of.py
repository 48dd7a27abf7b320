"""Which parameters a stage's results were made of: a digest of each, written beside them.

DVC reads params.yaml once more after a stage has ended, and what it finds is what dvc.lock says
the results were made of. What the stage says itself tells whether that is so.
"""

import hashlib
import json
from collections.abc import Mapping
from functools import reduce
from typing import Any

from pydantic_core import to_jsonable_python

from assets.stages import Stage
from pipeline.params import Params

FILE = "parameters.json"


def sections_of(params: Params, stage: Stage, branch: str | None = None) -> Mapping[str, Any]:
    """The values of the parameters that a stage looks at, by section or `SECTION.KEY`.

    Args:
        params: all parameters.
        stage: the row.
        branch: for `candidates`, which branch; the options of others are none of its parameters.
    """
    found = {name: reduce(getattr, name.split("."), params) for name in stage.sections}
    own = {"candidates": params.candidates.get(branch or "")} if stage.per_branch else {}
    return {**found, **own, "rankgate": params.rankgate}


def digests(params: Params, stage: Stage, branch: str | None = None) -> dict[str, str]:
    """A SHA-256 of the canonical JSON of each parameter that a stage looks at; see `sections_of`.

    Two spellings of one value have one digest: defaults are filled in, keys sorted. `rankgate`
    is left out where it is not declared.
    """
    return {
        name: hashlib.sha256(_canonical(value).encode()).hexdigest()
        for name, value in sections_of(params, stage, branch).items()
        if name != "rankgate" or value is not None
    }


def _canonical(value: Any) -> str:
    """Not `to_json`: a limit may be declared infinite."""
    return json.dumps(to_jsonable_python(value), sort_keys=True, separators=(",", ":"))
