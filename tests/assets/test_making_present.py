"""A pull is named where it spares the computing, and nowhere else."""

from pathlib import Path
from typing import Any

import pytest

from assets import making_present as module
from assets.folder import StudyFolder
from assets.making_present import PULL, REPRODUCE, making_present
from assets.processes import dvc

AWAY = [
    {"changed deps": {"data/snapshot/queries.parquet": "deleted"}},
    {"changed outs": {"data/pool": "not in cache"}},
]
IN_CACHE = [{"changed outs": {"data/pool": "deleted"}}]
EDITED = [
    {"changed deps": {"params.yaml": {"pool": "modified"}}},
    {"changed outs": {"data/pool": "not in cache"}},
]
NEVER_RUN = [
    {"changed deps": {"data/snapshot/queries.parquet": "deleted", "params.yaml": "new"}},
    {"changed outs": {"data/pool": "deleted"}},
]
OTHER_COMMAND = [*AWAY, "changed command"]


def told(monkeypatch: pytest.MonkeyPatch, remote: bool, **status: Any) -> str:
    """The command, where a remote is configured or none."""
    settings = "core.analytics=false\nremote.store.url=/store\n"
    monkeypatch.setattr(module, "dvc", lambda *_: settings + "core.remote=store\n" * remote)
    return making_present(StudyFolder(Path()), status)


def test_a_clone_pulls_where_there_is_a_default_remote(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, remote=True, pool=AWAY) == PULL
    assert told(monkeypatch, remote=False, pool=AWAY) == REPRODUCE


def test_a_pull_helps_though_another_stage_was_edited(monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, remote=True, pool=AWAY, sweep=EDITED) == PULL


@pytest.mark.parametrize("changes", [IN_CACHE, EDITED, NEVER_RUN, OTHER_COMMAND])
def test_else_it_is_run(changes: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    assert told(monkeypatch, remote=True, pool=changes) == REPRODUCE


def test_where_nothing_is_away_no_setting_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "dvc", lambda *_: pytest.fail("asked"))
    assert making_present(StudyFolder(Path()), {"pool": IN_CACHE}) == REPRODUCE


@pytest.mark.slow
def test_dvc_tells_its_remote_so(new_study: Path) -> None:
    assert making_present(StudyFolder(new_study), {"pool": AWAY}) == REPRODUCE
    dvc(new_study, "remote", "add", "--default", "store", str(new_study.parent / "store"))
    assert making_present(StudyFolder(new_study), {"pool": AWAY}) == PULL
