"""What a measure's name says: family, options, cutoff, as ir_measures writes them."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from pipeline.errors import ParameterError
from pipeline.measures.options import parse_options

Cutoff = Literal["needed", "allowed", "none"]

NAME = re.compile(r"^(?P<family>\w+)(?:\((?P<options>.*)\))?(?:@(?P<cutoff>.*))?$")


@dataclass(frozen=True, slots=True)
class Measure:
    """One measure, by its name.

    Args:
        family: nDCG, R, P, RR, AP, Success, Judged, Bpref, RBP, EvidenceCoverage, AllEvidence
            or ZeroHit.
        cutoff: ranks that count, from 1; None is the whole list.
        rel: lowest relevant grade; None is the collection's.
        dcg: `log2` takes the grade as the gain, `exp-log2` takes 2^grade − 1.
        p: persistence of RBP, between 0 and 1.
        judged_only: unjudged items are taken out of the list before it is cut.
    """

    family: str
    cutoff: int | None = None
    rel: int | None = None
    dcg: str = "log2"
    p: float = 0.8
    judged_only: bool = False

    @property
    def higher_is_better(self) -> bool:
        """False only where a larger value is a loss."""
        return self.family != "ZeroHit"

    @property
    def is_share(self) -> bool:
        """Whether each query's value is 0 or 1, so that the mean is a share of queries."""
        return self.family in {"Success", "ZeroHit", "AllEvidence"}

    def __str__(self) -> str:
        """The name: only what differs from the defaults is written."""
        plain = Measure(self.family)
        options = [
            f"{key}={getattr(self, key)!r}"
            for key in ("rel", "dcg", "p", "judged_only")
            if getattr(self, key) != getattr(plain, key)
        ]
        written = f"({', '.join(options)})" if options else ""
        return f"{self.family}{written}" + ("" if self.cutoff is None else f"@{self.cutoff}")


@dataclass(frozen=True, slots=True)
class Family:
    """What may stand in the names of one family.

    Args:
        cutoff: whether `@k` must, may or must not stand there.
        options: option name to its type.
    """

    cutoff: Cutoff
    options: Mapping[str, type] = field(default_factory=dict)


BINARY: Mapping[str, type] = {"rel": int, "judged_only": bool}

FAMILIES: Mapping[str, Family] = {
    "nDCG": Family("allowed", {"dcg": str, "judged_only": bool}),
    "R": Family("needed", BINARY),
    "P": Family("needed", BINARY),
    "RR": Family("allowed", BINARY),
    "AP": Family("allowed", BINARY),
    "Success": Family("needed", BINARY),
    "ZeroHit": Family("needed", BINARY),
    "Judged": Family("needed"),
    "Bpref": Family("none", {"rel": int}),
    "RBP": Family("allowed", {**BINARY, "p": float}),
    "EvidenceCoverage": Family("needed"),
    "AllEvidence": Family("needed"),
}

# What other tools call them, for the hint of an error.
OTHER_WORDS = {"recall": "R", "precision": "P", "mrr": "RR", "map": "AP", "hit_rate": "Success"}


def parse_measure(name: str) -> Measure:
    """The measure that a name means.

    Args:
        name: `nDCG@10`, `nDCG(dcg='exp-log2')@10`, `R@100`, `P(rel=2)@5`, `RR`, `Bpref`,
            `RBP(p=0.5)`, …

    Returns:
        The measure; `str` of it is the name's shortest spelling.

    Raises:
        ParameterError: the family or an option is unknown (the nearest known is named), an
            option has no such value, the cutoff is missing, not wanted, or not a whole
            number from 1.
    """
    match = NAME.match(name.strip())
    if match is None or match["family"] not in FAMILIES:
        raise _unknown(name, match["family"] if match else name)
    family = FAMILIES[match["family"]]
    measure = Measure(match["family"], cutoff=_cutoff(name, family, match["cutoff"]))
    # The options are checked against the family, so each is a field of Measure.
    options = parse_options(name, family.options, match["options"])
    return replace(measure, **options)  # type: ignore[arg-type]


def _unknown(name: str, family: str) -> ParameterError:
    spellings = {known.lower(): known for known in FAMILIES} | OTHER_WORDS
    nearest = difflib.get_close_matches(family.lower().strip(), spellings, n=1, cutoff=0.4)
    hint = f"; the nearest known is {spellings[nearest[0]]!r}" if nearest else ""
    return ParameterError(
        f"unknown measure {name!r}{hint}", expected=f"one of {', '.join(FAMILIES)}, with @k"
    )


def _cutoff(name: str, family: Family, text: str | None) -> int | None:
    if text is None and family.cutoff != "needed":
        return None
    if family.cutoff == "none":
        raise ParameterError(f"measure {name!r} takes no cutoff", found=f"@{text}")
    if text is None or not re.fullmatch(r"[1-9][0-9]*", text):
        raise ParameterError(
            f"measure {name!r} has no usable cutoff",
            found="none" if text is None else f"@{text}",
            expected="@k with k a whole number from 1",
        )
    return int(text)
