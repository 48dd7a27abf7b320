"""Which stages a stage's inputs come from."""

from collections.abc import Sequence

from assets.artifacts import ARTIFACTS
from assets.stages import STAGES, TRACKING, Stage


def sources(stage: Stage) -> Sequence[Stage]:
    """The stages whose files a stage reads, in the order of the chain."""
    if stage is TRACKING:  # it shows all of them
        return STAGES
    stored = [ARTIFACTS[name] for name in stage.reads]
    written = {each.path.split("/")[0] for each in stored if each.in_data}
    return [each for each in STAGES if each.name in written]


def upstream(stage: Stage) -> Sequence[Stage]:
    """The stages that a stage's inputs come from, directly or not, in the order of the chain."""
    found = {each.name for each in sources(stage)}
    found |= {further.name for each in sources(stage) for further in upstream(each)}
    return [each for each in STAGES if each.name in found]
