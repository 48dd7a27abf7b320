"""The chain: one table of stages, and everything that runs, draws or tells it."""

from pathlib import Path


def definitions_file() -> Path:
    """The file that `dagster dev -f` loads, by path: a user's own `assets` may shadow the name."""
    return Path(__file__).with_name("definitions.py")
