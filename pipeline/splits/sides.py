"""The record of sides: which query went where, once and for all."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pipeline.errors import RecordError, first_three

SIDES = ("dev", "test", "train", "reserve", "crossfit")
RECORD = "data/sides.jsonl"


@dataclass(frozen=True, slots=True, order=True)
class Part:
    """A side, or one fold of the side `crossfit`."""

    side: str
    fold: int = -1

    @property
    def name(self) -> str:
        """`dev`, or `crossfit 3`."""
        return self.side if self.fold < 0 else f"{self.side} {self.fold}"


@dataclass(frozen=True, slots=True)
class Side:
    """One line of the record.

    Args:
        query_id: the query.
        group_id: its group; a group lies on one side.
        side: dev, test, train, reserve or crossfit.
        fold: from 0 under crossfit, otherwise None.
    """

    query_id: str
    group_id: str
    side: str
    fold: int | None = None

    @property
    def part(self) -> Part:
        """Side and fold as one."""
        return Part(self.side, -1 if self.fold is None else self.fold)

    def line(self) -> dict[str, Any]:
        """The line as it stands in the record."""
        return {
            "query_id": self.query_id,
            "group_id": self.group_id,
            "side": self.side,
            "fold": self.fold,
        }


def sides_of(lines: Iterable[Mapping[str, Any]], *, where: object = RECORD) -> list[Side]:
    """Sides from the lines of the record (`storage.read_lines`).

    Raises:
        RecordError: a line is not a side; names its number among the lines.
    """
    sides = []
    for number, line in enumerate(lines, start=1):
        if set(line) != {"query_id", "group_id", "side", "fold"} or not _is_side(line):
            raise RecordError(
                "not a side",
                where=f"{where}:{number}",
                found=dict(line),
                expected=f"query_id, group_id, side ({', '.join(SIDES)}), fold (crossfit's only)",
                next_command="git log -p on this file: it is only ever appended to",
            )
        sides.append(Side(**line))
    return sides


def by_query(sides: Iterable[Side]) -> dict[str, Side]:
    """Query to side; a line that says the same again counts once.

    Raises:
        RecordError: a query or a group lies on two sides.
    """
    known: dict[str, Side] = {}
    parts: dict[str, Part] = {}
    for side in sides:
        if known.setdefault(side.query_id, side) != side:
            _refuse("query", side.query_id, known[side.query_id].part, side.part)
        if parts.setdefault(side.group_id, side.part) != side.part:
            _refuse("group", side.group_id, parts[side.group_id], side.part)
    return known


def refuse_unassigned(queries: Iterable[str], known: Mapping[str, Side]) -> None:
    """Refuses queries that the record does not know.

    Raises:
        RecordError: names the first three and the command that assigns them.
    """
    unassigned = sorted(set(queries) - set(known))
    if unassigned:
        raise RecordError(
            "queries without a side",
            where=RECORD,
            found=f"{len(unassigned)}: {first_three(unassigned)}",
            expected="a line for every query",
            next_command="rankgate assign",
        )


def _is_side(line: Mapping[str, Any]) -> bool:
    fold = line["fold"]
    whole = isinstance(fold, int) and not isinstance(fold, bool) and fold >= 0
    texts = all(isinstance(line[name], str) and line[name] for name in ("query_id", "group_id"))
    known = isinstance(line["side"], str) and line["side"] in SIDES
    return texts and known and (whole if line["side"] == "crossfit" else fold is None)


def _refuse(what: str, name: str, first: Part, second: Part) -> None:
    raise RecordError(
        f"a {what} lies on two sides, or in two groups",
        where=RECORD,
        found=f"{what} {name}: {first.name} and {second.name}",
        expected="one line for each query, one side for each group",
        next_command="git log -p on this file: keep the older line",
    )
