"""Names that MLflow takes, made from ours by one reversible rule."""

import hashlib
import re

LONGEST = 250  # what MLflow takes as the key of a metric, a parameter or a tag
_AT = "_at_"
# MLflow takes letters, digits, `_ - . space : /`, and no name that a path would write otherwise.
# What it does not take, and what would look like an `@` of ours, becomes its code point.
_ESCAPED = re.compile(
    r"""
    [^\w\-./ @]         # a character MLflow refuses, and the colon that marks a code point
    | _(?=at[_@])       # would be read back as `@`
    | ^[./] | /\Z       # a path's own dots and slashes: hidden, absolute, doubled, trailing
    | (?<=/)[./]
    """,
    re.VERBOSE | re.ASCII,
)


def mlflow_name(name: str) -> str:
    """A metric's or parameter's name for MLflow: `nDCG@10` becomes `nDCG_at_10`.

    Two names never become one; `own_name` gives the name back.

    Args:
        name: any text that is not empty.
    """
    return _ESCAPED.sub(lambda found: f":{ord(found[0]):x}:", name).replace("@", _AT)


def own_name(name: str) -> str:
    """The name that `mlflow_name` was given."""
    return re.sub(r":([0-9a-f]+):", lambda c: chr(int(c[1], 16)), name.replace(_AT, "@"))


def key(name: str) -> str:
    """A name as a key of MLflow's: what is too long is cut, and ends with a hash of the whole.

    Args:
        name: a name of ours, any length.
    """
    whole = mlflow_name(name)
    if len(whole) <= LONGEST:
        return whole
    ending = hashlib.sha256(whole.encode()).hexdigest()[:12]
    return f"{whole[: LONGEST - len(ending) - 1].rstrip('/.')}-{ending}"
