"""The bare study: the whole chain over frames in memory, in one process.

For run files, notebooks and simulations. The same functions as the orchestrated study, in the
same order; no git, DVC, Dagster or MLflow, and no files. The test is opened at once, as a first
opening.
"""

from pipeline.study.prepared import Prepared, prepare
from pipeline.study.stages import UNDATED, decide, evaluate, opened, operate, select, sweep
from pipeline.study.whole import Study, run_prepared, run_study

__all__ = [
    "UNDATED",
    "Prepared",
    "Study",
    "decide",
    "evaluate",
    "opened",
    "operate",
    "prepare",
    "run_prepared",
    "run_study",
    "select",
    "sweep",
]
