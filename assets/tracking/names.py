"""Names that MLflow takes, made from ours by one reversible rule."""

import re

_AT = "_at_"


def mlflow_name(name: str) -> str:
    """A metric's name for MLflow: `nDCG@10` becomes `nDCG_at_10`.

    MLflow takes letters, digits, `_ - . space : /`; any other character becomes its code point
    between colons, so that two names never meet.
    """
    return re.sub(r"[^\w\-./ ]", lambda c: f":{ord(c[0]):x}:", name.replace("@", _AT), flags=re.A)


def own_name(name: str) -> str:
    """The name that `mlflow_name` was given."""
    return re.sub(r":([0-9a-f]+):", lambda c: chr(int(c[1], 16)), name).replace(_AT, "@")
