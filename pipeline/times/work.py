"""What calls asked for, beside their time: requests, documents, tokens."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

# Words and single marks of any script. A generator's own tokenizer cuts words further; the rule
# is the same for every system, which is what a limit on a ratio needs.
_TOKEN = re.compile(r"\w+|[^\w\s]")


def count_tokens(texts: Iterable[str | None]) -> int:
    """Words and punctuation marks of the texts that there are."""
    return sum(len(_TOKEN.findall(text)) for text in texts if text is not None)


@dataclass(frozen=True, slots=True)
class Work:
    """Sums over calls.

    Args:
        requests: branch to requests that its index was asked.
        candidates: rows that the indexes returned.
        documents: documents fetched for the context.
        context_tokens: words and punctuation marks of these documents.
        partial: answers in part.
        timeouts: branch to requests that were given up; a branch without any is left out.
    """

    requests: Mapping[str, int] = field(default_factory=dict)
    candidates: int = 0
    documents: int = 0
    context_tokens: int = 0
    partial: int = 0
    timeouts: Mapping[str, int] = field(default_factory=dict)

    def __add__(self, other: Self) -> "Work":
        return Work(
            requests=_summed(self.requests, other.requests),
            candidates=self.candidates + other.candidates,
            documents=self.documents + other.documents,
            context_tokens=self.context_tokens + other.context_tokens,
            partial=self.partial + other.partial,
            timeouts=_summed(self.timeouts, other.timeouts),
        )

    def line(self) -> dict[str, Any]:
        """As it stands in the record."""
        return {
            "requests": dict(self.requests),
            "candidates": self.candidates,
            "documents": self.documents,
            "context_tokens": self.context_tokens,
            "partial": self.partial,
            "timeouts": dict(self.timeouts),
        }


def parse_work(said: object) -> Work | None:
    """Work as a line of the record says it; None where it is no such thing."""
    if not isinstance(said, Mapping) or set(said) != set(Work.__dataclass_fields__):
        return None
    by_branch = (said["requests"], said["timeouts"])
    if not all(isinstance(one, Mapping) for one in by_branch):
        return None
    counts = [said[key] for key in ("candidates", "documents", "context_tokens", "partial")]
    counts += [number for one in by_branch for number in one.values()]
    # bool is a kind of int, and no count.
    if not all(type(number) is int and number >= 0 for number in counts):
        return None
    return Work(**said)


def _summed(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {name: one.get(name, 0) + other.get(name, 0) for name in sorted({*one, *other})}
