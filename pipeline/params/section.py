"""What every section of params.yaml is, and the types its keys share."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Share = Annotated[float, Field(ge=0, le=1)]
Positive = Annotated[int, Field(ge=1)]
BranchName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]+$")]


class Section(BaseModel):
    """A section of params.yaml: frozen, strict, no unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
