"""When a study runs by itself: the collection's content, looked at cheaply, and the schedule."""

import os
from pathlib import Path

import dagster as dg
import pytest
import yaml

from assets.definitions import definitions
from assets.orchestration import watch
from assets.orchestration.chain import PREPARE
from assets.orchestration.instance import dagster_home
from pipeline.errors import ParameterError
from pipeline.storage import write_text

ROUND = Path("data/collections/five/judgments/first.jsonl")


class Watcher:
    """The real sensor of a study's definitions, its cursor kept from look to look."""

    def __init__(self, root: Path) -> None:
        self.repository = definitions(root).get_repository_def()
        self.sensor = self.repository.get_sensor_def("five_corpus")
        self.cursor: str | None = None

    def launches(self) -> int:
        """How many runs one look asks for."""
        with dg.build_sensor_context(
            cursor=self.cursor, repository_def=self.repository, sensor_name="five_corpus"
        ) as context:
            told = self.sensor.evaluate_tick(context)
        self.cursor = told.cursor
        return len(told.run_requests or [])


def rewrite(path: Path, text: str, moment: int) -> None:
    """Writes a file as changed at a moment, so that no clock decides what is seen."""
    write_text(path, text)
    os.utime(path, ns=(moment, moment))


def test_the_first_look_only_remembers(study: Path) -> None:
    watcher = Watcher(study)
    assert [watcher.launches(), watcher.launches()] == [0, 0]


def test_each_change_launches_also_back_to_what_was(study: Path) -> None:
    watcher, path = Watcher(study), study / ROUND
    first = path.read_text("utf-8")
    other = first.replace('"grade": 3', '"grade": 2')
    assert watcher.launches() == 0
    for moment, text in enumerate([other, first, other], start=1):
        rewrite(path, text, moment)
        assert watcher.launches() == 1
        assert watcher.launches() == 0


def test_a_file_that_is_only_touched_launches_nothing(study: Path) -> None:
    watcher = Watcher(study)
    watcher.launches()
    os.utime(study / ROUND, ns=(1, 1))
    assert watcher.launches() == 0


def test_a_file_that_comes_or_goes_launches(study: Path) -> None:
    watcher = Watcher(study)
    watcher.launches()
    second = study / ROUND.with_name("second.jsonl")
    write_text(second, "")
    assert watcher.launches() == 1
    second.unlink()
    assert watcher.launches() == 1


def test_only_a_file_with_another_length_or_time_is_read(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    watcher, read = Watcher(study), list[str]()
    watcher.launches()
    real = watch._hash
    monkeypatch.setattr(watch, "_hash", lambda path: read.append(path.name) or real(path))
    watcher.launches()
    rewrite(study / ROUND, "", 1)
    watcher.launches()
    assert read == ["first.jsonl"]


def test_a_half_written_file_is_not_seen(study: Path) -> None:
    watcher = Watcher(study)
    watcher.launches()
    write_text(study / ROUND.with_name(".first.jsonl.x1"), "half")
    assert watcher.launches() == 0


def test_a_collection_that_is_not_there_launches_nothing(study: Path) -> None:
    watcher = Watcher(study)
    watcher.launches()
    collection = study / "data" / "collections" / "five"
    collection.rename(collection.with_name("away"))
    assert watcher.launches() == 0
    collection.with_name("away").rename(collection)
    assert watcher.launches() == 0


def test_the_sensor_runs_by_itself_and_the_schedule_waits_to_be_switched_on(study: Path) -> None:
    repository = definitions(study).get_repository_def()
    sensor = repository.get_sensor_def("five_corpus")
    schedule = repository.get_schedule_def("five_nightly")
    assert sensor.default_status is dg.DefaultSensorStatus.RUNNING
    assert schedule.default_status is dg.DefaultScheduleStatus.STOPPED
    assert {sensor.job_name, schedule.job_name} == {"five_study"}


def test_the_machine_may_say_how_often_it_looks_and_when_it_runs(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKGATE_SECONDS_BETWEEN_LOOKS", "5")
    monkeypatch.setenv("RANKGATE_SCHEDULE", "30 6 * * 1-5")
    repository = definitions(study).get_repository_def()
    assert repository.get_sensor_def("five_corpus").minimum_interval_seconds == 5
    assert repository.get_schedule_def("five_nightly").cron_schedule == "30 6 * * 1-5"


@pytest.mark.parametrize("text", ["0", "-1", "soon", ""])
def test_no_number_of_seconds_is_refused(
    study: Path, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKGATE_SECONDS_BETWEEN_LOOKS", text)
    with pytest.raises(ParameterError, match="RANKGATE_SECONDS_BETWEEN_LOOKS"):
        definitions(study)


def test_nothing_runs_side_by_side_on_one_event_log(study: Path) -> None:
    found = definitions(study)
    assert found.executor is dg.in_process_executor
    assert found.resolve_job_def("five_study").executor_def is dg.in_process_executor
    settings = yaml.safe_load((dagster_home(study) / "dagster.yaml").read_text("utf-8"))
    assert settings["concurrency"]["runs"]["max_concurrent_runs"] == 1


def test_the_job_prepares_what_an_unattended_run_needs(study: Path) -> None:
    job = definitions(study).resolve_job_def("five_study")
    assert job.tags[PREPARE] == "yes"
    assert {key.path[0] for key in job.asset_layer.executable_asset_keys} == {"five"}
