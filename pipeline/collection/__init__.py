"""Collections and recorded files: the formats, read strictly."""

from pipeline.collection.order import order_run
from pipeline.collection.qrels import read_qrels
from pipeline.collection.recorded import RecordedRun, Vectors
from pipeline.collection.runs import read_run

__all__ = ["RecordedRun", "Vectors", "order_run", "read_qrels", "read_run"]
