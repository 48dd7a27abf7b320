"""What selection froze: for all queries, and under crossfit for each fold by itself."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.fusion import Configuration


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
