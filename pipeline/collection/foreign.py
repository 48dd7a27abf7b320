"""Judgments of other tools, told apart by name and first line."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from pipeline.collection.grids import is_grid
from pipeline.collection.lines import is_json_lines, stem
from pipeline.collection.problems import Problems
from pipeline.collection.rating_grid import grid_ratings
from pipeline.collection.rating_json import json_ratings
from pipeline.collection.rating_lines import is_rating_lines, line_ratings
from pipeline.collection.ratings import Rated, Rating, RatingForm, rated
from pipeline.errors import ParameterError


def read_foreign(
    path: Path,
    problems: Problems,
    *,
    form: RatingForm | None = None,
    queries: Mapping[str, str | None] | None = None,
) -> Rated | None:
    """Judgments of a table, a JSON file of ratings, or lines of learning to rank.

    Args:
        path: .csv, a spreadsheet, .json, or lines that read `GRADE qid:…`.
        problems: takes what cannot be read.
        form: how a table is to be read.
        queries: query id to text, for files that name queries by their text.

    Returns:
        The judgments; None where the file is of none of these forms.

    Raises:
        MissingError, InputError: as the readers of these forms.
        ParameterError: `form` says something, and the file is no table.
    """
    dropped: Counter[str] = Counter()
    form = form or RatingForm()
    if not is_grid(path) and form != RatingForm():
        raise ParameterError(
            "columns, labels and sheets are for tables",
            where="--columns, --grade, --sheet, --number-ids",
            found=path,
            expected="CSV or a spreadsheet",
            next_command="leave these options out",
        )
    notes: list[str] = []
    ratings = _ratings(path, problems, form, dropped, notes)
    if ratings is None:
        return None
    result = rated(ratings, path, problems, round_name=stem(path), queries=queries)
    result.dropped.update(dropped)
    result.notes += notes
    return result


def _ratings(
    path: Path, problems: Problems, form: RatingForm, dropped: Counter[str], notes: list[str]
) -> list[Rating] | None:
    if is_grid(path):
        return grid_ratings(path, problems, form, dropped, notes)
    if path.name.lower().removesuffix(".gz").endswith(".json"):
        return json_ratings(path, problems, dropped)
    if not is_json_lines(path) and is_rating_lines(path):
        return line_ratings(path, problems)
    return None
