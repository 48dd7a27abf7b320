"""DVC as a process: its reason in our words, a held repository waited for, interrupts passed on."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from assets import processes
from assets.processes import dvc, environment, reason
from pipeline.errors import RankgateError


def test_a_stages_own_error_comes_before_what_dvc_says() -> None:
    said = (
        "Running stage 'splits':\n"
        "rankgate: data/sides.jsonl:1: no side; found null. Next: rankgate assign\n"
        "ERROR: failed to reproduce 'splits': failed to run: rankgate run splits, exited with 1\n"
    )
    assert reason(said) == (
        "rankgate: data/sides.jsonl:1: no side; found null. Next: rankgate assign"
    )


def test_every_problem_of_a_collection_is_told() -> None:
    told = "rankgate: c: 2 problem(s)\n  c/queries.jsonl:1: no id\n  c/documents.jsonl:2: no id"
    assert reason(f"Running stage 'snapshot':\n{told}\nERROR: failed\n") == told


def test_a_traceback_is_told_by_its_last_line() -> None:
    said = "Traceback (most recent call last):\n  File 'x'\nKeyError: 'a'\nERROR: failed\n"
    assert reason(said) == "KeyError: 'a'; ERROR: failed"


@pytest.mark.parametrize(("said", "told"), [("ERROR: no\n", "ERROR: no"), ("", "nothing printed")])
def test_otherwise_dvcs_own_words_are_told(said: str, told: str) -> None:
    assert reason(said) == told


@pytest.mark.parametrize(
    "message",
    [
        "ERROR: Unable to acquire lock. Most likely another DVC process is running",
        "ERROR: 'data/x' is busy, it is being blocked by:\n  (PID 1): dvc repro",
    ],
)
def test_a_held_repository_is_tried_again_and_then_given_up(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, message: str
) -> None:
    calls: list[int] = []

    def held(command: list[str], *_: object) -> "subprocess.CompletedProcess[str]":
        calls.append(1)
        return subprocess.CompletedProcess(command, 255, "", message)

    monkeypatch.setattr(processes, "_call", held)
    monkeypatch.setattr(processes, "PAUSE_SECONDS", 0)
    with pytest.raises(RankgateError, match="dvc repro failed"):
        dvc(tmp_path, "repro")
    assert len(calls) == processes.ATTEMPTS


def test_another_failure_is_not_tried_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls: list[int] = []

    def broken(command: list[str], *_: object) -> "subprocess.CompletedProcess[str]":
        calls.append(1)
        return subprocess.CompletedProcess(command, 1, "", "ERROR: no such file")

    monkeypatch.setattr(processes, "_call", broken)
    with pytest.raises(RankgateError, match="no such file"):
        dvc(tmp_path, "repro")
    assert len(calls) == 1


def test_an_interrupt_reaches_what_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = tmp_path / "interrupted"
    program = (
        "import pathlib, time\n"
        "try:\n    print('up', flush=True); time.sleep(600)\n"
        f"except KeyboardInterrupt:\n    pathlib.Path({str(written)!r}).touch()\n"
    )

    up, truly = threading.Event(), processes._Listener.await_end

    def interrupted(listener: processes._Listener) -> None:
        """Waited for until the program says that it is up, then interrupted, once."""
        if not up.is_set():
            assert up.wait(600)
            os.kill(os.getpid(), signal.SIGINT)
        truly(listener)

    monkeypatch.setattr(processes._Listener, "await_end", interrupted)
    with pytest.raises(KeyboardInterrupt):
        processes._call([sys.executable, "-c", program], tmp_path, lambda _: up.set())
    assert written.exists()


def test_an_interrupt_as_the_program_ends_is_still_an_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    truly, awaited = processes._Listener.await_end, []

    def interrupted(listener: processes._Listener) -> None:
        truly(listener)
        awaited.append(listener)
        if len(awaited) == 1:
            raise KeyboardInterrupt

    def ended(*_: object) -> None:
        raise ProcessLookupError

    monkeypatch.setattr(processes._Listener, "await_end", interrupted)
    monkeypatch.setattr(os, "killpg", ended)
    with pytest.raises(KeyboardInterrupt):
        processes._call([sys.executable, "-c", ""], tmp_path)


def test_this_interpreters_programs_come_first_and_telemetry_is_off() -> None:
    given = environment()
    assert given["PATH"].split(os.pathsep)[0] == str(Path(sys.executable).parent)
    assert given["DVC_NO_ANALYTICS"] == "1"
    assert given["MLFLOW_DISABLE_TELEMETRY"] == "true"


def test_each_stage_is_told_as_it_starts_and_not_only_at_the_end(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # It goes on only once somebody has heard its first line.
    program = """
import pathlib, time
print("Stage 'snapshot' didn't change, skipping\\nRunning stage 'splits':", flush=True)
while not pathlib.Path("heard").exists():
    time.sleep(0.01)
print("Running stage 'pool':")
"""
    monkeypatch.setattr(processes, "DVC", (sys.executable, "-c", program))
    told = list[str]()

    def started(stage: str) -> None:
        told.append(stage)
        (tmp_path / "heard").touch()

    said = processes.reproduce(tmp_path, started=started)
    assert told == ["splits", "pool"]
    assert said.splitlines()[-1] == "Running stage 'pool':"
