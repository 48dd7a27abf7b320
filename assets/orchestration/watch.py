"""When a study runs by itself: its collection's content changed, or the schedule says so."""

import hashlib
import json
from pathlib import Path

import dagster as dg

from assets.folder import StudyFolder
from assets.orchestration.chain import PREPARE

SECONDS_BETWEEN_LOOKS = 30
NIGHTLY = "0 3 * * *"


def study_job(
    folder: StudyFolder, assets: dg.AssetsDefinition
) -> "dg.UnresolvedAssetJobDefinition":
    """The whole chain with what comes before it, as the sensor and the schedule start it."""
    return dg.define_asset_job(
        f"{_name(folder)}_study",
        selection=dg.AssetSelection.assets(*assets.keys),
        tags={PREPARE: "yes"},
        description="Assigns new queries to sides, then runs everything that is stale.",
    )


def corpus_sensor(
    folder: StudyFolder, job: "dg.UnresolvedAssetJobDefinition"
) -> dg.SensorDefinition:
    """Starts the job when the collection's content changes, also back to an earlier content.

    The first look only remembers. Sizes and times are looked at first; content is hashed only
    where one of them differs.
    """

    @dg.sensor(
        name=f"{_name(folder)}_corpus",
        job=job,
        minimum_interval_seconds=SECONDS_BETWEEN_LOOKS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Watches the collection's files.",
    )
    def watch(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        collection = folder.root / folder.params.collection.path
        before = json.loads(context.cursor) if context.cursor else {}
        stamps = _stamps(collection)
        if before.get("stamps") == stamps:
            return dg.SkipReason("no file changed its size or time")
        content = _content(collection)
        cursor = json.dumps({"stamps": stamps, "content": content})
        if not before or before["content"] == content:
            context.update_cursor(cursor)
            return dg.SkipReason("watching" if not before else "the content is the same")
        return dg.SensorResult(run_requests=[dg.RunRequest()], cursor=cursor)

    return watch


def nightly(folder: StudyFolder, job: "dg.UnresolvedAssetJobDefinition") -> dg.ScheduleDefinition:
    """The job every night; off until someone switches it on."""
    return dg.ScheduleDefinition(name=f"{_name(folder)}_nightly", job=job, cron_schedule=NIGHTLY)


def _files(collection: Path) -> list[Path]:
    return sorted(path for path in collection.rglob("*") if path.is_file())


def _stamps(collection: Path) -> list[list[object]]:
    return [
        [path.relative_to(collection).as_posix(), path.stat().st_size, path.stat().st_mtime_ns]
        for path in _files(collection)
    ]


def _content(collection: Path) -> str:
    total = hashlib.sha256()
    for path in _files(collection):
        total.update(path.relative_to(collection).as_posix().encode() + b"\0")
        with path.open("rb") as file:
            total.update(hashlib.file_digest(file, "sha256").digest())
    return total.hexdigest()


def _name(folder: StudyFolder) -> str:
    return "".join(c if c.isalnum() and c.isascii() else "_" for c in folder.params.study)
