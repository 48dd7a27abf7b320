"""`--study` after a command too: every command that acts on a study has it."""

import inspect
from pathlib import Path

import click

HELP = "The study's folder (default: the current folder)."
FOLDER = click.Path(file_okay=False, path_type=Path)


def with_study(command: click.Command) -> click.Command:
    """Gives the option to a command whose function takes a `study`, or to those of a group.

    Args:
        command: as its file declares it; left alone where it acts on no study.
    """
    if isinstance(command, click.Group):
        for part in command.commands.values():
            with_study(part)
    if _acts_on_a_study(command) and not any(one.name == "study" for one in command.params):
        option = click.Option(
            ["--study"], type=FOLDER, help=HELP, expose_value=False, callback=_taken
        )
        command.params.append(option)
    return command


def _acts_on_a_study(command: click.Command) -> bool:
    if isinstance(command, click.Group):
        return any(_acts_on_a_study(part) for part in command.commands.values())
    return (
        command.callback is not None and "study" in inspect.signature(command.callback).parameters
    )


def _taken(context: click.Context, option: click.Parameter, value: Path | None) -> None:
    """Hands the folder to the command, as the option before it would."""
    if value is None:
        return
    if context.obj is not None and context.obj != value:
        raise click.BadParameter(f"{context.obj} and {value}: one study", context, option)
    context.obj = value
