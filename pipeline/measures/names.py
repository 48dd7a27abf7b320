"""What a measure's name says: family, options, cutoff, as ir_measures writes them."""

import ast
import difflib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pipeline.errors import ParameterError

Cutoff = Literal["needed", "allowed", "none"]
Option = int | float | bool | str

NAME = re.compile(r"^(?P<family>\w+)(?:\((?P<options>.*)\))?(?:@(?P<cutoff>.*))?$")
OPTION = re.compile(r"^\s*(?P<key>\w+)\s*=\s*(?P<value>.+?)\s*$")


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
    return _with_options(measure, name, family, match["options"])


def _unknown(name: str, family: str) -> ParameterError:
    folded = {known.lower(): known for known in FAMILIES}
    nearest = difflib.get_close_matches(family.lower().strip(), folded, n=1, cutoff=0.4)
    hint = f"; the nearest known is {folded[nearest[0]]!r}" if nearest else ""
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


def _with_options(measure: Measure, name: str, family: Family, text: str | None) -> Measure:
    options: dict[str, Option] = {}
    for part in text.split(",") if text is not None else []:
        key, value = _option(name, family, part)
        if key in options:
            raise ParameterError(f"measure {name!r} sets {key!r} twice")
        options[key] = value
    # The option names were checked above against the family.
    return replace(measure, **options)  # type: ignore[arg-type]


def _option(name: str, family: Family, part: str) -> tuple[str, Option]:
    match = OPTION.match(part)
    if match is None or match["key"] not in family.options:
        raise ParameterError(
            f"measure {name!r} has an unknown option",
            found=part.strip(),
            expected=", ".join(family.options) or "no options",
        )
    kind, value = family.options[match["key"]], _literal(match["value"])
    wanted = isinstance(value, kind) and isinstance(value, bool) == (kind is bool)
    if not wanted or not ALLOWED[match["key"]](value):
        raise ParameterError(
            f"measure {name!r} has a wrong value of {match['key']!r}",
            found=match["value"],
            expected=EXPECTED[match["key"]],
        )
    return match["key"], value


def _literal(text: str) -> Option:
    try:
        value: Option = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text
    return value


ALLOWED: Mapping[str, Callable[[Any], bool]] = {
    "rel": lambda value: value >= 1,
    "dcg": lambda value: value in {"log2", "exp-log2"},
    "p": lambda value: 0 < value < 1,
    "judged_only": lambda value: True,
}
EXPECTED = {
    "rel": "a whole number from 1",
    "dcg": "'log2' or 'exp-log2'",
    "p": "a number between 0 and 1",
    "judged_only": "True or False",
}
