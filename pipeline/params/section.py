"""What every section of params.yaml is, and the types its keys share."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]
# Deeper than any list, and no table by rank is too long for memory.
LARGEST = 1_000_000
Positive = Annotated[int, Field(ge=1, le=LARGEST)]
# A name is a folder's and a command's argument: no dot or dash to begin with.
BRANCH_NAME = r"^[A-Za-z0-9_][A-Za-z0-9_.-]*$"
BranchName = Annotated[str, Field(pattern=BRANCH_NAME)]
Fault = Literal[
    "dropout",
    "slow",
    "intermittent",
    "error",
    "empty",
    "truncated",
    "duplicates",
    "stale",
    "wrong_order",
    "filter_empties",
    "filter_ignored",
]


class Section(BaseModel):
    """A section of params.yaml: frozen, strict, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
