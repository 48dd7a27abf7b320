"""The chain: one table of stages, and everything that runs, draws or tells it."""

import importlib
import sys
from pathlib import Path

# PYTHONPATH may name a user's folder with a `pipeline` of its own: ours is beside this package.
_BESIDE = str(Path(__file__).parents[1])
sys.path.insert(0, _BESIDE)
try:
    importlib.import_module("pipeline")
finally:
    sys.path.remove(_BESIDE)


def definitions_file() -> Path:
    """The file that `dagster dev -f` loads, by path: a user's own `assets` may shadow the name."""
    return Path(__file__).with_name("definitions.py")
