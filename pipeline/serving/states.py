"""The states of a branch's reply, and which of them leave an answer whole."""

from typing import Literal

Status = Literal["ok", "empty", "filtered", "missing", "partial", "timeout", "error", "refused"]

# The branch said all it has, though that may be nothing.
HEALTHY: frozenset[Status] = frozenset({"ok", "empty", "filtered"})

# The branch gave less than it has, so whatever is answered is an answer in part. `refused` is a
# list that came and was not used, such as that of a stale index.
PARTIAL: frozenset[Status] = frozenset({"missing", "partial", "timeout", "error", "refused"})

# The lists that are fused.
USED: frozenset[Status] = frozenset({"ok", "partial"})
