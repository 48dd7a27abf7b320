"""The options that say how a table of ratings is to be read."""

from collections.abc import Callable, Iterable
from typing import Any

import click

from pipeline.collection import RatingForm
from pipeline.collection.rating_grid import OPINIONS, SINGLE, USUAL
from pipeline.collection.ratings import Opinion
from pipeline.errors import ParameterError

OPTIONS = (
    click.option(
        "--columns",
        multiple=True,
        metavar="ROLE=NAME",
        help=f"A column of CSV or a spreadsheet; ROLE is {', '.join(USUAL)}. May stand several "
        "times; several of grade are one assessor each.",
    ),
    click.option(
        "--grade",
        "grades",
        multiple=True,
        metavar="LABEL=GRADE",
        help="What a label in a grade cell means: a number, unknown or abstained.",
    ),
    click.option("--sheet", help="The sheet of a spreadsheet that has several."),
    click.option(
        "--number-ids", is_flag=True, help="Takes ids in number cells as whole numbers (7 for 007)."
    ),
)


def rating_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds the options to a command: columns, grades, sheet, number_ids."""
    for option in reversed(OPTIONS):
        command = option(command)
    return command


def rating_form(
    columns: Iterable[str], grades: Iterable[str], sheet: str | None, number_ids: bool
) -> RatingForm:
    """What the options say.

    Raises:
        ParameterError: no ROLE=NAME, no LABEL=GRADE, a role that does not exist or is given twice.
    """
    roles: dict[str, list[str]] = {}
    for given in columns:
        role, sign, name = given.partition("=")
        if not (sign and name) or role not in USUAL:
            raise ParameterError(
                "not ROLE=NAME",
                where="--columns",
                found=given,
                expected=f"a role of {', '.join(USUAL)}, and a column's name",
            )
        if role in SINGLE and role in roles:
            raise ParameterError(
                "a role that one column plays is given twice", where="--columns", found=role
            )
        roles.setdefault(role, []).append(name)
    return RatingForm(roles, labels(grades), sheet, number_ids)


def labels(grades: Iterable[str]) -> dict[str, Opinion]:
    """Label to grade, unknown or abstained; raises ParameterError as `rating_form`."""
    said: dict[str, Opinion] = {}
    for given in grades:
        label, sign, grade = given.rpartition("=")
        if not sign or label in said:
            raise _refused(given, "LABEL=GRADE, each label once")
        try:
            said[label] = grade if grade in OPINIONS else int(grade)
        except ValueError:
            raise _refused(given, f"a whole number, {' or '.join(OPINIONS)}") from None
    return said


def _refused(given: str, expected: str) -> ParameterError:
    return ParameterError("not LABEL=GRADE", where="--grade", found=given, expected=expected)
