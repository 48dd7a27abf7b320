"""What a measure's name says: family, options, cutoff, as ir_measures writes them."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from pipeline.errors import ParameterError
from pipeline.measures.foreign import foreign_names, parse_foreign
from pipeline.measures.options import option_keys, parse_options

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
        foreign: how ir_measures writes it, where that computes it; "" for our own.
    """

    family: str
    cutoff: int | None = None
    rel: int | None = None
    dcg: str = "log2"
    p: float = 0.8
    judged_only: bool = False
    foreign: str = ""

    @property
    def higher_is_better(self) -> bool:
        """False only where a larger value is a loss."""
        return self.family != "ZeroHit"

    @property
    def is_share(self) -> bool:
        """Whether each query's value is 0 or 1, so that the mean is a share of queries."""
        return self.family in {"Success", "ZeroHit", "AllEvidence"} and not self.foreign

    def __str__(self) -> str:
        """The name: only what differs from the defaults is written."""
        if self.foreign:
            return self.foreign
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
            `RBP(p=0.5)`, …; a name or an option that is not ours is ir_measures' to know.

    Returns:
        The measure; `str` of it is the name's shortest spelling.

    Raises:
        ParameterError: the family or an option is unknown (the nearest known is named), an
            option has no such value, the cutoff is missing, not wanted, or not a whole
            number from 1.
    """
    match = NAME.match(name.strip())
    if match is None or match["family"] not in FAMILIES:
        return _foreign(name, match["family"] if match else name)
    family = FAMILIES[match["family"]]
    if set(option_keys(match["options"])) - set(family.options):
        found = _with_more_options(name.strip())
        if found is not None:
            return Measure(match["family"], cutoff=found[1], foreign=name.strip())
    measure = Measure(match["family"], cutoff=_cutoff(name, family, match["cutoff"]))
    # The options are checked against the family, so each is a field of Measure.
    options = parse_options(name, family.options, match["options"])
    return replace(measure, **options)  # type: ignore[arg-type]


def _with_more_options(name: str) -> tuple[str, int | None] | None:
    """One of our families with an option that only ir_measures knows; None where it does not."""
    try:
        return parse_foreign(name)
    except ParameterError:
        return None


def parse_own_measure(name: str) -> Measure:
    """The measure that a name means, of those computed here, on all lists of a grid at once.

    Raises:
        ParameterError: as `parse_measure`, and for one that ir_measures computes list by list.
    """
    measure = parse_measure(name)
    if measure.foreign:
        raise ParameterError(
            f"measure {name!r} is computed by ir_measures, which is not made for a whole grid",
            expected=f"one of {', '.join(FAMILIES)}; evaluation.measures takes {name!r}",
        )
    return measure


def _foreign(name: str, family: str) -> Measure:
    """A measure of ir_measures; its other words for ours are refused: one name, one measure."""
    found = None if family.lower() in OTHER_WORDS else parse_foreign(name.strip())
    if found is None or found[0] in FAMILIES:
        raise _unknown(name, family)
    return Measure(family, cutoff=found[1], foreign=name.strip())


def _unknown(name: str, family: str) -> ParameterError:
    foreign = {known.lower(): known for known in foreign_names()}
    spellings = foreign | {known.lower(): known for known in FAMILIES} | OTHER_WORDS
    nearest = difflib.get_close_matches(family.lower().strip(), spellings, n=1, cutoff=0.4)
    hint = f"; the nearest known is {spellings[nearest[0]]!r}" if nearest else ""
    return ParameterError(
        f"unknown measure {name!r}{hint}",
        expected=f"one of {', '.join(FAMILIES)}, with @k, or a measure of ir_measures",
    )


def _cutoff(name: str, family: Family, text: str | None) -> int | None:
    if text is None and family.cutoff != "needed":
        return None
    if family.cutoff == "none":
        raise ParameterError(f"measure {name!r} takes no cutoff", found=f"@{text}")
    if text is None or not re.fullmatch(r"[1-9][0-9]{0,8}", text):
        raise ParameterError(
            f"measure {name!r} has no usable cutoff",
            found="none" if text is None else f"@{text}",
            expected="@k with k a whole number from 1 to 999999999",
        )
    return int(text)
