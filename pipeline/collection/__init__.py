"""Collections and recorded files: the formats, read strictly."""

from pipeline.collection.collection import Collection
from pipeline.collection.files import collection_from_files
from pipeline.collection.importing import ImportReport, import_collection
from pipeline.collection.native import read_collection
from pipeline.collection.order import order_run
from pipeline.collection.qrels import read_qrels
from pipeline.collection.ratings import RatingForm
from pipeline.collection.runs import read_run
from pipeline.collection.topics import read_query_texts
from pipeline.collection.written import write_qrels, write_run
from pipeline.recorded import RecordedRun, Vectors, recorded_snapshots, recorded_times

__all__ = [
    "Collection",
    "ImportReport",
    "RatingForm",
    "RecordedRun",
    "Vectors",
    "collection_from_files",
    "import_collection",
    "order_run",
    "read_collection",
    "read_qrels",
    "read_query_texts",
    "read_run",
    "recorded_snapshots",
    "recorded_times",
    "write_qrels",
    "write_run",
]
