"""What selection froze: for all queries, and under crossfit for each fold by itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.errors import InputError, RankgateError
from pipeline.fusion import Configuration

# What later stages look up in selection.json.
KEYS = (
    "mode",
    "measure",
    "configuration",
    "contract",
    "folds",
    "best_branch",
    "best_convex",
    "best_branch_by_fold",
    "best_convex_by_fold",
    "region",
    "excluded",
    "dev",
    "stability",
    "reason",
    "hashes",
)
HASHES = ("selection", "test_set")


@dataclass(frozen=True, slots=True)
class Choice:
    """Everything that was chosen on dev labels.

    Args:
        selected: the frozen configuration; None where nothing could be chosen.
        best_convex: the tuned comparator, by the same rule; None where there is none.
        best_branch: the branch best on dev; None where there is no dev side.
    """

    selected: Configuration | None
    best_convex: Configuration | None
    best_branch: str | None


def checked_selection(content: Any, *, where: object) -> Mapping[str, Any]:
    """The content of a stored selection.json, refused where it cannot be one.

    JSON that something else wrote, or that was edited, would else fail later and elsewhere.

    Args:
        content: as parsed.
        where: the file.

    Raises:
        InputError: no mapping, a key that is missing, a configuration that cannot be rebuilt, or
            hashes that are no texts.
    """
    if not isinstance(content, Mapping):
        raise _damaged(where, type(content).__name__, "a mapping")
    lacking = [key for key in KEYS if key not in content]
    if lacking:
        raise _damaged(where, f"no {', '.join(lacking)}", ", ".join(KEYS))
    hashes = content["hashes"]
    if not isinstance(hashes, Mapping) or not all(isinstance(hashes.get(k), str) for k in HASHES):
        raise _damaged(where, f"hashes {hashes!r}", f"texts under {' and '.join(HASHES)}")
    try:
        final_choice(content)
        fold_choices(content)
    except (KeyError, TypeError, ValueError, AttributeError, RankgateError) as problem:
        said = f"{type(problem).__name__} {problem}"
        raise _damaged(where, said, "configurations of method, weights, depths") from problem
    return content


def _damaged(where: object, found: str, expected: str) -> InputError:
    return InputError(
        "not a selection that can be rebuilt",
        where=where,
        found=found,
        expected=expected,
        next_command="dvc repro, which makes it again",
    )


def final_choice(selection: Mapping[str, Any]) -> Choice:
    """What would be shipped: chosen on all dev queries.

    Args:
        selection: the content of selection.json.
    """
    return Choice(
        _configuration(selection.get("configuration")),
        _configuration(selection.get("best_convex")),
        selection.get("best_branch"),
    )


def fold_choices(selection: Mapping[str, Any]) -> dict[int, Choice]:
    """Under crossfit, what each fold's queries are evaluated with: chosen without them.

    Args:
        selection: the content of selection.json; fold numbers may be texts, as JSON has them.

    Returns:
        Fold to choice; empty under holdout.
    """
    folds = selection.get("folds") or {}
    convex = selection.get("best_convex_by_fold") or {}
    branches = selection.get("best_branch_by_fold") or {}
    return {
        int(fold): Choice(
            _configuration(chosen), _configuration(convex.get(fold)), branches.get(fold)
        )
        for fold, chosen in folds.items()
    }


def _configuration(values: Mapping[str, Any] | None) -> Configuration | None:
    if values is None:
        return None
    return Configuration.of(
        values["method"],
        rank_constant=values.get("rank_constant"),
        weights=values["weights"],
        depths=values["depths"],
    )
