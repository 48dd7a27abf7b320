"""When a study runs by itself: its collection's content changed, or the schedule says so."""

import hashlib
import json
import os
from pathlib import Path

import dagster as dg

from assets.folder import StudyFolder
from assets.orchestration.chain import PREPARE
from assets.orchestration.pages import identifier
from pipeline.errors import ParameterError

SECONDS_BETWEEN_LOOKS = 30
NIGHTLY = "0 3 * * *"
# What the machine that serves the page may set otherwise: it is no part of the study.
LOOKS, SCHEDULE = "RANKGATE_SECONDS_BETWEEN_LOOKS", "RANKGATE_SCHEDULE"

# File under the collection to its size, its time of change in nanoseconds, its content's hash.
Seen = dict[str, tuple[int, int, str]]


def study_job(
    folder: StudyFolder, assets: dg.AssetsDefinition
) -> "dg.UnresolvedAssetJobDefinition":
    """The whole chain with what comes before it, as the sensor and the schedule start it."""
    return dg.define_asset_job(
        f"{identifier(folder.params.study)}_study",
        selection=dg.AssetSelection.assets(*assets.keys),
        tags={PREPARE: "yes"},
        description="Puts new queries on sides, measures times where a latency limit asks, "
        "then runs everything that is stale.",
        executor_def=dg.in_process_executor,  # one step; DVC's processes do the work
    )


def corpus_sensor(
    folder: StudyFolder, job: "dg.UnresolvedAssetJobDefinition"
) -> dg.SensorDefinition:
    """Starts the job when the collection's content changes, also back to an earlier content.

    The first look only remembers. A file is hashed only where its size or time differs.
    """

    @dg.sensor(
        name=f"{identifier(folder.params.study)}_corpus",
        job=job,
        minimum_interval_seconds=_seconds_between_looks(),
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Watches the content of the collection's files.",
    )
    def watch(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        collection = folder.root / StudyFolder(folder.root).params.collection.path
        if not collection.is_dir():
            return dg.SkipReason(f"{collection} is not there")
        before: Seen | None = json.loads(context.cursor) if context.cursor else None
        now = look(collection, before or {})
        cursor = json.dumps(now)
        if before is None or _contents(before) == _contents(now):
            context.update_cursor(cursor)
            return dg.SkipReason("watching" if before is None else "the content is the same")
        # No run key: the same content may come back, and is then run again.
        return dg.SensorResult(run_requests=[dg.RunRequest()], cursor=cursor)

    return watch


def nightly(folder: StudyFolder, job: "dg.UnresolvedAssetJobDefinition") -> dg.ScheduleDefinition:
    """The job every night, or as the variable RANKGATE_SCHEDULE says; off until switched on."""
    when = os.environ.get(SCHEDULE, NIGHTLY)
    return dg.ScheduleDefinition(
        name=f"{identifier(folder.params.study)}_nightly",
        job=job,
        cron_schedule=when,
        description="Runs the study every night at three."
        if when == NIGHTLY
        else f"Runs the study by the schedule {when}.",
    )


def _seconds_between_looks() -> int:
    text = os.environ.get(LOOKS, str(SECONDS_BETWEEN_LOOKS))
    if not text.isdecimal() or int(text) < 1:
        raise ParameterError(
            "not a number of seconds", where=LOOKS, found=text, expected="a whole number from 1"
        )
    return int(text)


def look(collection: Path, before: Seen) -> Seen:
    """What lies in a collection's folder; hidden files, which are half-written ones, apart.

    Args:
        collection: the folder.
        before: what was seen last; a file with the same size and time is not read again.
    """
    seen: Seen = {}
    for path in sorted(collection.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            name, stat = path.relative_to(collection).as_posix(), path.stat()
            known = before.get(name)
            same = known is not None and tuple(known[:2]) == (stat.st_size, stat.st_mtime_ns)
            content = known[2] if known is not None and same else _hash(path)
            seen[name] = (stat.st_size, stat.st_mtime_ns, content)
    return seen


def _contents(seen: Seen) -> dict[str, str]:
    return {name: content for name, (_, _, content) in seen.items()}


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
