"""The page of formats: its files are read, its commands run and print what stands there."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from assets.__main__ import cli

PAGE = (Path(__file__).parents[1] / "docs" / "formats.md").read_text(encoding="utf-8")
FILES = re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
SESSIONS = re.findall(r"^```console\n\$ rankgate (.*?)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The page's files, in a folder that is the current one."""
    for name, content in FILES:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8", newline="")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_page_has_files_and_sessions() -> None:
    assert len(FILES) == len({name for name, _ in FILES}) > 10
    assert len(SESSIONS) > 5


@pytest.mark.parametrize(("command", "printed"), SESSIONS, ids=[command for command, _ in SESSIONS])
def test_a_command_prints_what_the_page_says(command: str, printed: str, files: Path) -> None:
    done = CliRunner().invoke(cli, shlex.split(command))
    assert done.exit_code == 0, done.output
    assert done.output == printed
