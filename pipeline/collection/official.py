"""Official splits: which side a split is, and which split a query belongs to."""

from collections.abc import Iterable, Mapping

from pipeline.collection.checks import SIDES
from pipeline.collection.problems import Problems
from pipeline.errors import ParameterError

OTHER_NAMES = {"validation": "dev", "valid": "dev", "val": "dev"}


def chosen_side(name: str, side: str) -> str:
    """The side of a split: as given, else by its name up to the first dot.

    Raises:
        ParameterError: there is no such side.
    """
    first = name.split(".")[0]
    chosen = side or OTHER_NAMES.get(first, first)
    if chosen not in SIDES:
        raise ParameterError(
            "a split that is no side",
            where="--split",
            found=f"{name}={side}" if side else name,
            expected=f"NAME=SIDE, a side being {', '.join(SIDES)}",
            next_command=f"--split {name}=test",
        )
    return chosen


def split_of_queries(
    asked: Mapping[str, Iterable[str]], where: object, problems: Problems
) -> dict[str, str]:
    """Query to its split; a query in two of the chosen splits is a problem.

    Args:
        asked: split to its queries.
        where: the source, for messages.
        problems: takes queries that two splits share.
    """
    split_of: dict[str, str] = {}
    for name, queries in asked.items():
        for query in sorted(set(queries)):
            if split_of.setdefault(query, name) != name:
                problems.add(
                    where,
                    "a query is judged in two splits",
                    found=f"query {query}: {split_of[query]} and {name}",
                    expected="each query in one of the chosen splits",
                    next_command="--split NAME for one of them",
                )
    return split_of


def kept_notes(sides: Mapping[str, str]) -> list[str]:
    """The sentence that tells which sides were kept."""
    kept = ", ".join(f"{name} is {side}" for name, side in sides.items())
    return [f"official sides kept: {kept}"] if kept else []
