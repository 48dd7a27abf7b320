"""What a comparison may look at of one study, wherever it is kept."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.params import Params
from pipeline.parts import DEV, TEST, Part, visible_parts
from pipeline.seal import Seal


@dataclass(frozen=True, slots=True)
class StudyView:
    """One study as it stands in a folder or in a git revision.

    Args:
        name: what the user calls it.
        params: its parameters.
        code: file to hash of the code that made its figures; empty where it is not recorded.
        read: a stored output by its name in the table of stages.
    """

    name: str
    params: Params
    code: Mapping[str, str]
    read: Callable[[str], Any]

    @property
    def seal(self) -> Seal:
        """The state of its test when it was evaluated."""
        summary = self.read("evaluation_summary")
        opening = None if summary["sealed"] else summary["opening"]
        return Seal(opening, self.params.evaluation.alpha, summary["alpha"])

    def part(self, split: str) -> Part:
        """One of its sides with queries and labels; the test only where it is open."""
        labels = {DEV: self.read("dev_judgments"), TEST: self.read("test_judgments")}
        parts = visible_parts(
            self.read("queries"), self.read("splits"), labels, self.seal, self.params
        )
        return next(part for part in parts if part.split == split)


def shared_side(*views: StudyView) -> str:
    """The test where every study has opened it, else dev."""
    return DEV if any(view.seal.sealed for view in views) else TEST
