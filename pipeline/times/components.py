"""What of a call is timed, by name."""

END_TO_END = "end_to_end"
ELIGIBILITY = "eligibility"
COLLAPSE = "collapse"
FUSION = "fusion"
FETCH = "fetch"
START = "start"  # of a fresh process: from its request until it could be asked
RETRIEVAL = "retrieval"  # of recorded branches: the slowest of those that take part

# In the order of a call; the branches' searches stand between the first and the second.
PARTS = (START, ELIGIBILITY, COLLAPSE, FUSION, FETCH, END_TO_END)

_SEARCH = "search:"


def search_of(branch: str) -> str:
    """The search of one branch, from the request to its reply."""
    return f"{_SEARCH}{branch}"


def searched_branch(component: str) -> str | None:
    """The branch whose search a component is; None for other components."""
    return component.removeprefix(_SEARCH) if component.startswith(_SEARCH) else None


def is_component(name: str) -> bool:
    """Whether a name is that of a component that is timed."""
    return name in PARTS or bool(searched_branch(name))


def place_of(component: str) -> tuple[int, str]:
    """Where a component stands in a call: sorts tables that people read."""
    if component in PARTS:
        return PARTS.index(component) + (PARTS.index(component) > 1), ""
    return 2, component
