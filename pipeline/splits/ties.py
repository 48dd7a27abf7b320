"""Why queries are in one group, in words: how many are tied, by what, and a pair as an example."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipeline.splits.grouping import (
    PARAPHRASE,
    SHARED,
    TEXT,
    DroppedKey,
    Grouping,
    Link,
)
from pipeline.splits.protocol import FEW_GROUPS

EVIDENCE, SOURCE = SHARED
# Key to what is read after `tied by`, and after two queries. A declared value may be a text, and
# no message holds any; judgments share ids.
WORDS = {
    EVIDENCE: ("shared relevant documents", "share {}"),
    SOURCE: ("relevant documents of one source", "share source {}"),
    PARAPHRASE: ("being paraphrases of one question", "are paraphrases of one question"),
    TEXT: ("the same text", "have the same text"),
}
WAY_OUT = "if each is a question of its own all the same: {}"


@dataclass(frozen=True, slots=True)
class Tie:
    """What one key ties together.

    Args:
        key: its name.
        queries: how many queries share a value of it with another one.
        value: the value that most queries share.
        example: these queries, sorted; two at least.
    """

    key: str
    queries: int
    value: str
    example: Sequence[str]

    @property
    def reason(self) -> str:
        """What the key stands for, to be read after `tied by`."""
        return _words(self.key)[0]

    @property
    def pair(self) -> str:
        """Two of the queries, and what they share."""
        first, second, *others = self.example
        named = f"{first}, {second} and {len(others)} more" if others else f"{first} and {second}"
        return f"{named} {_words(self.key)[1].format(self.value)}"


def ties_of(grouping: Grouping) -> list[Tie]:
    """The keys that tie queries together here, in their order; each query counts once.

    Documents in common mostly mean a source in common: what an earlier key ties is told there.
    """
    ties, told = list[Tie](), set[str]()
    for key in grouping.keys:
        found = shared_values(grouping.links[key], grouping.component)
        if new := {query for queries in found.values() for query in queries} - told:
            ties.append(tie_of(key, {v: q for v, q in found.items() if new & set(q)}, len(new)))
            told |= new
    return ties


def grouping_text(grouping: Grouping) -> str:
    """Queries, groups and the reason in one line: `50 queries in 12 groups: 38 tied by …`."""
    queries, groups = len(grouping.component), len(grouping.members)
    start = f"{queries} {'query' if queries == 1 else 'queries'} in {counted_groups(groups)}"
    if not grouping.keys:
        return f"{start}: declared independent"
    dropped = "".join(f"; not grouped by {too_much(drop)}" for drop in dropped_keys(grouping))
    ties = ties_of(grouping)
    if not ties:
        return f"{start}: nothing ties them together{dropped}"
    said = ", ".join(
        f"{tie.queries}{' more' if tie is not ties[0] else ''} tied by {tie.reason}" for tie in ties
    )
    most = max(ties, key=lambda tie: tie.queries)
    return f"{start}: {said} (e.g. {most.pair}){dropped}"


def counted_groups(groups: int) -> str:
    """`1 group`, `2 groups`."""
    return f"{groups} group{'' if groups == 1 else 's'}"


def tied_by_judgments(grouping: Grouping) -> bool:
    """Whether judgments alone say of some queries that they belong together."""
    return any(one.key in SHARED for one in ties_of(grouping))


def told(grouping: Grouping, way_out: str) -> str:
    """The line of `grouping_text`; with the way out where only a person can know better.

    Args:
        grouping: the queries in groups.
        way_out: what to run, where judgments alone tie queries into few groups.
    """
    line = grouping_text(grouping)
    if len(grouping.members) >= FEW_GROUPS or not tied_by_judgments(grouping):
        return line
    return f"{line}. Next: {WAY_OUT.format(way_out)}"


def shared_values(links: Sequence[Link], group: Mapping[str, str]) -> dict[str, list[str]]:
    """Value to the queries that share it, two at least and in one group.

    Args:
        links: query, and the value it has.
        group: query to its group.
    """
    sharing: dict[tuple[str, str], set[str]] = {}
    for query, value in links:
        if query in group:  # a paraphrase's seed need not be a query
            sharing.setdefault((value, group[query]), set()).add(query)
    # A value that ties lies in one group; elsewhere are queries that are marked independent.
    return {value: sorted(found) for (value, _), found in sharing.items() if len(found) > 1}


def tie_of(key: str, found: Mapping[str, list[str]], queries: int) -> Tie:
    """The tie of a key, by the value that most queries share.

    Args:
        key: its name.
        found: value to the queries that share it, one value at least.
        queries: how many queries it is told to tie.
    """
    value = min(found, key=lambda one: (-len(found[one]), one))
    return Tie(key, queries, value, found[value])


def dropped_keys(grouping: Grouping) -> list[DroppedKey]:
    """The dropped keys; without the source, where documents in common already tie as many."""
    by_evidence = {drop.largest for drop in grouping.dropped if drop.key == EVIDENCE}
    return [one for one in grouping.dropped if one.key != SOURCE or one.largest not in by_evidence]


def too_much(drop: DroppedKey) -> str:
    """What was dropped, and how much it ties together."""
    tied = f"which ties {drop.largest} of {drop.queries} queries together"
    return f"{_words(drop.key)[0]}, {tied}"


def _words(key: str) -> tuple[str, str]:
    return WORDS.get(key, (f"the same {key}", f"have the same {key}"))


def _count(number: int, stem: str, one: str, more: str) -> str:
    return f"{number} {stem}{one if number == 1 else more}"
