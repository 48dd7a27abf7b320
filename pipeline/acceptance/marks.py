"""What can be wrong with a reply, and what is declared to happen then."""

from collections.abc import Mapping
from dataclasses import dataclass

from pipeline.serving import Status


@dataclass(frozen=True, slots=True)
class Mark:
    """One thing that is noticed of a reply.

    Args:
        status: the state that the reply then has; None: the one it came with.
        noticed: how it is seen, within the one call.
        then: what is done.
    """

    status: Status | None
    noticed: str
    then: str


# In order: of several things that are wrong with a reply the first decides. Whatever refuses
# a list stands before whatever mends one.
MARKS: Mapping[str, Mark] = {
    "timeout": Mark("timeout", "no reply within the budget", "left out"),
    "error": Mark("error", "the branch raised", "left out"),
    "missing": Mark("missing", "the branch has nothing to ask with", "left out"),
    "stale": Mark(
        "refused", "the index names another snapshot than the documents served", "list refused"
    ),
    "forbidden": Mark(
        "refused",
        "a document that the query's principal may not see, by the service's own rule",
        "the whole list refused: nothing that ignored its filter is trusted",
    ),
    "unknown": Mark("refused", "a document that is not among those served", "list refused"),
    "unreal": Mark("refused", "a score that is no finite number", "list refused"),
    "filtered": Mark(
        "refused",
        "the filter left nothing although documents are eligible",
        "left out; never asked again without the filter",
    ),
    "repeated": Mark("refused", "a document twice in the list", "list refused"),
    "mended": Mark(
        "partial", "a document twice in the list", "its first place is kept, the rest closes up"
    ),
    "cut": Mark("partial", "fewer rows than the engine says it returned", "the rows are used"),
    "silent": Mark(
        "partial", "nothing from a branch that always lists eligible documents", "answered without"
    ),
    "partial": Mark("partial", "the engine says so", "the rows are used"),
    "reordered": Mark(
        None,
        "a score rises down the list, or equal scores break the branch's rule",
        "put back in order of its scores",
    ),
    "empty": Mark("empty", "nothing was found", "answered without; nothing found is an answer"),
}
