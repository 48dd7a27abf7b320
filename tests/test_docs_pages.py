"""The pages' links lead somewhere; every command stands on its page; what the pages show is so."""

import doctest
import re
import shlex
import shutil
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from assets.__main__ import COMMANDS, cli
from assets.commands import open_
from assets.folder import StudyFolder
from assets.processes import dvc
from tests.assets.five_queries import git_repository, run_all

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(DOCS.glob("*.md"))
EXAMPLES = DOCS / "examples"
COMMAND_PAGE = (DOCS / "commands.md").read_text(encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Shown:
    """A command on a page, what the page says that it prints, and with which code it ends."""

    place: str
    command: str
    printed: str
    code: int


def shown(page: str) -> list[Shown]:
    """The commands in a page's blocks ```console in=PLACE [exit=CODE] (of the block's last)."""
    found = []
    text = (DOCS / page).read_text(encoding="utf-8")
    for place, code, block in re.findall(
        r"^```console in=(\w+)(?: exit=(\d))?\n(.*?)^```$", text, re.MULTILINE | re.DOTALL
    ):
        parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
        pairs = list(zip(parts[::2], parts[1::2], strict=True))
        for number, (command, printed) in enumerate(pairs, start=1):
            last = number == len(pairs)
            found.append(Shown(place, command, printed, int(code or 0) if last else 0))
    return found


def files(page: str) -> dict[str, str]:
    """The files that a page gives in its blocks ```KIND file=NAME."""
    text = (DOCS / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return dict(blocks)


def as_shown(one: Shown, code: int, printed: str, said: str) -> None:
    """The command ended and printed as the page says; `...` stands for anything."""
    assert code == one.code, f"$ {one.command}\n{printed}{said}"
    same = doctest.OutputChecker().check_output(one.printed, printed, doctest.ELLIPSIS)
    assert same, f"$ {one.command}\n{printed}"


def reproduce(*_: object, first: str = "snapshot", **__: object) -> None:
    """What `dvc repro` does in the current folder, stage by stage in this process."""
    run_all(StudyFolder(Path.cwd()), first)
    dvc(Path.cwd(), "commit", "--force")


def run(one: Shown) -> None:
    """Runs a command in the current folder."""
    words = shlex.split(one.command)
    if words == ["dvc", "repro"]:
        reproduce()
        return
    assert words[0] == "rankgate"
    done = CliRunner().invoke(cli, words[1:])
    as_shown(one, done.exit_code, done.stdout, done.stderr)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A git repository with the examples in `mine`."""
    root = git_repository(tmp_path / "repository")
    shutil.copytree(EXAMPLES, root / "mine")
    return root


# Links.


def _anchor(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=[page.name for page in PAGES])
def test_links_between_pages_resolve(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    for target, anchor in re.findall(r"\]\(([^)#:\s]*)(?:#([^)\s]*))?\)", prose):
        linked = (page.parent / target) if target else page
        assert linked.exists(), f"{page.name}: {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {_anchor(heading) for heading in headings}, f"{page.name}: {anchor}"


# Commands.


def _commands() -> Iterator[tuple[str, click.Command]]:
    context = click.Context(cli)
    for name in sorted(COMMANDS):
        command = cli.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from ((f"{name} {part}", one) for part, one in command.commands.items())
        else:
            yield name, command


def _first_column(section: str) -> set[str]:
    cells = re.findall(r"^\| (`[^|]*) \|", section, re.MULTILINE)
    words = [word for cell in cells for word in re.findall(r"`([^`]*)`", cell)]
    return {word.split()[0].rstrip(".") for word in words if not word[:1].islower()}


def _options(command: click.Command) -> set[str]:
    """Its options; `--study`, which most have, stands once, on top of the page."""
    return {
        name
        for parameter in command.params
        if command is cli or parameter.name != "study"
        for name in (
            parameter.opts if isinstance(parameter, click.Option) else [_metavar(parameter)]
        )
    }


def _metavar(argument: click.Parameter) -> str:
    return "PAGE" if isinstance(argument.type, click.Choice) else str(argument.name).upper()


@pytest.mark.parametrize(("name", "command"), list(_commands()))
def test_a_command_stands_on_its_page_with_its_options_and_no_other(
    name: str, command: click.Command
) -> None:
    _, heading, rest = COMMAND_PAGE.partition(f"\n### `{name}`\n")
    assert heading, f"docs/commands.md has no section ### `{name}`"
    assert _first_column(re.split(r"^##", rest, maxsplit=1, flags=re.MULTILINE)[0]) == _options(
        command
    )


def test_the_page_of_commands_has_no_command_that_is_not_there() -> None:
    headings = re.findall(r"^### `(.*)`$", COMMAND_PAGE, re.MULTILINE)
    assert sorted(headings) == sorted(name for name, _ in _commands())


def test_the_page_of_commands_has_the_options_before_the_command() -> None:
    before = COMMAND_PAGE.partition("\n## ")[0]
    assert {option for option in _first_column(before) if option[:1] == "-"} == _options(cli)


@pytest.mark.slow
def test_the_way_of_the_pages_can_be_gone(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # `open` is seen to reproduce by DVC in tests/assets/commands/test_open_command.py.
    monkeypatch.setattr(open_, "reproduce", partial(reproduce, first="selection"))
    places = {"root": repository, "study": repository / "study", "examples": repository / "mine"}
    for page in ("own-collection.md", "commands.md"):
        for name, content in files(page).items():
            (repository / name).write_text(content, encoding="utf-8")
        for one in shown(page):
            monkeypatch.chdir(places[one.place])
            run(one)


# The same figure in other tools.


@pytest.mark.slow
@pytest.mark.usefixtures("ranx")
def test_other_tools_give_the_figures_of_the_page(
    repository: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (DOCS / "coming-from.md").read_text(encoding="utf-8")
    for name, content in files("coming-from.md").items():
        (repository / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(repository / "mine")
    sessions = shown("coming-from.md")
    for one in sessions[:2]:
        run(one)
    scripts = re.findall(
        r"^```python prints\n(.*?)^```$(?:\n\n```text\n(.*?)^```$)?", page, re.M | re.S
    )
    assert len(scripts) == 3
    for script, printed in scripts:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what ranx's compiler says of ranx
            exec(compile(script, "coming-from.md", "exec"), {})
        same = doctest.OutputChecker().check_output(
            printed, capsys.readouterr().out, doctest.ELLIPSIS
        )
        assert same, script
    for one in sessions[2:]:
        run(one)


def test_the_table_by_hand_has_the_mean_that_stands_under_it() -> None:
    page = (DOCS / "coming-from.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (t\d|mean) \|.*\| ([\d.]+) \| ([\d.]+) \|$", page, re.MULTILINE)
    *queries, mean = [(float(linear), float(powers)) for _, linear, powers in rows]
    assert len(queries) == 6
    for place in (0, 1):
        assert sum(row[place] for row in queries) / 6 == pytest.approx(mean[place], abs=1e-4)


@pytest.mark.parametrize("page", [page.name for page in PAGES if page.name != "README.md"])
def test_every_page_stands_in_the_table_of_contents(page: str) -> None:
    assert f"]({page})" in (DOCS / "README.md").read_text(encoding="utf-8")
