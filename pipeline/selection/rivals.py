"""The tuned comparators, frozen on dev as the selected configuration is."""

from dataclasses import dataclass

from pipeline.fusion import Configuration
from pipeline.selection.frozen import Study
from pipeline.selection.search import best_branch, search


@dataclass(frozen=True, slots=True)
class Rivals:
    """What the selected configuration must beat.

    Args:
        branch: the branch best on dev by itself; None without labels there.
        convex: the convex combination that the same rule picks from as many points; None without
            labels, or where fewer than two branches give scores.
    """

    branch: str | None
    convex: Configuration | None


def rivals_of(study: Study) -> dict[int | None, Rivals]:
    """The comparators on all of dev (None), and without each fold."""
    dev, params = study.dev, study.params
    convex = search(dev, "convex", params, slow=study.slow)
    return {
        fold: Rivals(
            best_branch(dev, params, fold=fold),
            convex[fold].chosen if fold in convex else None,
        )
        for fold in (None, *dev.held_out)
    }
