"""Whether the test may be looked at, and at what level."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pipeline.ledger import Opening, alpha_at, opening_of, openings_of


@dataclass(frozen=True, slots=True)
class Seal:
    """The state of the test for the present selection.

    Args:
        opening: which opening of this test set it is, from 1; None while sealed.
        dev_alpha: the declared one-sided level.
        test_alpha: the level of this opening; while sealed, the one it would have next.
    """

    opening: int | None
    dev_alpha: float
    test_alpha: float

    @property
    def sealed(self) -> bool:
        """Whether no test figure may be computed."""
        return self.opening is None


def seal(selection: Mapping[str, Any], ledger: Sequence[Opening], alpha: float) -> Seal:
    """Looks the selection up in the ledger.

    Args:
        selection: the content of selection.json.
        ledger: the record of openings, in its order.
        alpha: the declared one-sided level.
    """
    hashes = selection["hashes"]
    opening = opening_of(ledger, hashes["test_set"], hashes["selection"])
    following = len(openings_of(ledger, hashes["test_set"])) + 1
    return Seal(opening, alpha, alpha_at(alpha, opening or following))
