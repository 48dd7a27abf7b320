"""The command line: `rankgate COMMAND`, the same as `python -m assets COMMAND`."""

import atexit
import errno
import gc
import importlib
import traceback
from pathlib import Path
from typing import IO, Any

import click
from click.exceptions import Exit

from assets.ending import Terminated, hear_termination
from assets.libraries import missing_library
from assets.study_option import FOLDER, HELP, with_study
from assets.terminal import say
from pipeline.errors import RankgateError

# Command to its one line of help; the file is assets/commands/COMMAND.py.
COMMANDS = {
    "assign": "put new query groups on sides",
    "check": "list every problem, and say whether this study can answer",
    "compare": "what differs between two studies, and what came of it",
    "decide": "the decision and its gates; exit 0 ship, 3 hold, 4 inconclusive, 5 sealed",
    "export": "a snippet that reproduces the selected configuration in a search engine",
    "fuse": "write a fused run file, without a study",
    "import": "bring a collection into data/collections/NAME in native form",
    "init": "make a study",
    "judge": "blind worksheets out, judgments in, what is unknown",
    "measure": "trec_eval-like values, without a study",
    "open": "open the test for the present selection",
    "render": "write dvc.yaml from the table of stages",
    "run": "run one stage, as dvc.yaml calls it",
    "show": "one query's list: ranks, scores, grades",
    "status": "what is stale, sealed or unjudged, and the next command",
    "study": "the whole chain on run files, in one process",
    "summary": "one screen for a product manager",
    "time": "measure every part on this machine",
    "ui": "open the MLflow, Dagster or report page on localhost",
}

NO_MEMORY = "not enough memory. Next: make some free, or rankgate check, which says what is needed"


class Refusal(click.ClickException):
    """What went wrong, in one line (a collection's problems in one line each); exit code 1."""

    def __init__(self, *lines: str) -> None:
        self.lines = lines
        super().__init__("\n".join(lines))

    def show(self, file: IO[Any] | None = None) -> None:
        """Writes the lines to standard error."""
        first, *others = self.lines
        say(f"rankgate: {first}", *others, err=True)


class Interrupted(Refusal):
    """Somebody pressed Ctrl-C; the exit code is the one that shells give for it."""

    exit_code = 130


class Ended(Refusal):
    """Somebody sent SIGTERM; the exit code is the one that shells give for it."""

    exit_code = 143


class Commands(click.Group):
    """A group that imports a command's file when the command is called."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command; what a user can do something about is told without a traceback."""
        try:
            return super().invoke(ctx)
        except RankgateError as problem:
            raise _refused(ctx, *problem.lines) from problem
        except OSError as problem:
            if problem.errno == errno.EPIPE:
                raise
            # Of two files the second is the one that was to be written.
            where = problem.filename2 or problem.filename or "the system"
            raise _refused(ctx, f"{where}: {problem.strerror or problem}") from problem
        except (click.ClickException, click.Abort, Exit):
            raise
        except Terminated as problem:
            _trace(ctx)
            raise Ended("terminated") from problem
        except KeyboardInterrupt as problem:
            _trace(ctx)
            raise Interrupted("interrupted") from problem
        except ModuleNotFoundError as problem:
            raise _refused(ctx, missing_library(problem)) from problem
        except MemoryError as problem:
            raise _refused(ctx, NO_MEMORY) from problem
        except Exception as problem:
            # A fault of ours, or a stored file that something else has written.
            said = f"{type(problem).__name__}: {problem}".splitlines()[0]
            again = "rankgate --debug with the same command shows where, for a report"
            raise _refused(ctx, f"unexpected {said}. Next: {again}") from problem

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands."""
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """The command of that name, imported now."""
        if name not in COMMANDS:
            return None
        module = importlib.import_module(f"assets.commands.{name}_")
        command: click.Command = module.command
        command.name, command.short_help = name, COMMANDS[name]
        return with_study(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Lists the commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))


@click.command(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--debug", is_flag=True, help="Show the whole traceback of an error.")
@click.option("--study", type=FOLDER, help=HELP)
@click.version_option(package_name="rankgate")
@click.pass_context
def cli(context: click.Context, debug: bool, study: Path | None) -> None:
    """Does fusing our retrievers improve the evidence enough to ship it?"""
    context.obj = study


def _refused(context: click.Context, *lines: str) -> Refusal:
    _trace(context)
    return Refusal(*lines)


def _trace(context: click.Context) -> None:
    """With --debug the traceback is printed before the lines."""
    if context.params["debug"]:
        say(*traceback.format_exc().split("\n"), err=True)


def main() -> None:
    """Runs a command and ends the process.

    0 done, 1 error, 2 usage, 130 interrupted, 143 terminated; `decide` has 3, 4 and 5.
    """
    # What still lives goes with the process: Python would first search all modules for cycles.
    atexit.register(gc.freeze)
    hear_termination()
    cli.main(prog_name="rankgate")


if __name__ == "__main__":
    main()
