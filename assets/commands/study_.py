"""`rankgate study`: the whole chain on run files, in one process."""

import re
import sys
from pathlib import Path

import click

from assets.bare import Files, read_files, write_study
from assets.commands.measure_ import tell_unanswered
from assets.exit_codes import exit_code, fail_on
from assets.grid_lines import grid_lines
from assets.rating_options import rating_form, rating_options
from assets.terminal import say
from assets.values_table import values_lines
from assets.wording import decision_lines
from pipeline.errors import ParameterError
from pipeline.params import Params
from pipeline.params.section import BRANCH_NAME
from pipeline.splits.grouping import group_queries
from pipeline.splits.ties import told
from pipeline.study import Study, run_study

FILE = click.Path(dir_okay=False, path_type=Path)
# The steps are a study's; here there are no records, worksheets or queries.jsonl to work on.
ELSEWHERE = (
    "note: such commands need a study of its own: "
    "rankgate import --format trec takes these files, rankgate init makes it"
)


@click.command()
@click.option("--run", "runs", multiple=True, required=True, metavar="NAME=FILE")
@click.option(
    "--judgments",
    required=True,
    type=FILE,
    help="Qrels (TREC, BEIR), JSON Lines, CSV, a spreadsheet, or ratings in JSON.",
)
@click.option("--queries", type=FILE, help="Topics, or native queries with slices and principals.")
@click.option("--documents", type=FILE, help="Native documents, for evidence, sources, access.")
@click.option("--params", type=FILE, help="Parameters that differ from the defaults (YAML).")
@click.option("--independent", is_flag=True, help="Every query is a group of its own.")
@click.option(
    "--trailing",
    type=click.Choice(["reject", "ignore"]),
    default="reject",
    show_default=True,
    help="Words after the last column of TREC files.",
)
@rating_options
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Write results here.")
@fail_on("")
def command(
    runs: tuple[str, ...],
    judgments: Path,
    queries: Path | None,
    documents: Path | None,
    params: Path | None,
    independent: bool,
    trailing: str,
    columns: tuple[str, ...],
    grades: tuple[str, ...],
    sheet: str | None,
    number_ids: bool,
    out: Path | None,
    failing: frozenset[str],
) -> None:
    """Studies recorded runs: from run files and judgments to a decision, in one process.

    The test is opened at once, as a first opening; no ledger is kept. Prints the values of the
    systems on held-out queries, then the word and its gates; on standard error first how many
    configurations are tried, then how many groups the queries fall into, and why. Exit 0 whatever
    the word is, unless --fail-on names it; 1 where a file or parameter is refused.
    """
    form = rating_form(columns, grades, sheet, number_ids)
    files = Files(_named(runs), judgments, queries, documents, params, trailing, form, independent)
    collection, used = read_files(files, lambda said: say(f"{judgments.name}: {said}", err=True))
    say(*grid_lines(collection, used), err=True)
    study = run_study(collection, used)
    decision = study.decision.decision
    say(f"groups: {_groups(study, used)}", err=True)
    judged = study.prepared.snapshot.judgments["query_id"]
    tell_unanswered("all runs", judged, study.prepared.candidates["query_id"])
    if values := values_lines(study.evaluation.systems, used):
        say(*values, "")
    say(*decision_lines(decision))
    if any("`rankgate " in step for step in decision.get("next", [])):
        say(ELSEWHERE)
    if out is not None:
        write_study(study, used, out)
        say(f"report: {out / 'report' / 'index.html'}")
    sys.exit(exit_code(decision["word"], failing))


def _groups(study: Study, params: Params) -> str:
    read = study.prepared.snapshot
    grouping = group_queries(read.queries, read.judgments, read.documents, params)
    return told(grouping, "rankgate study --independent")


def _named(runs: tuple[str, ...]) -> dict[str, Path]:
    named: dict[str, Path] = {}
    for given in runs:
        name, sign, file = given.partition("=")
        if not (name and sign and file):
            raise ParameterError(
                "not NAME=FILE", where="--run", found=given, expected="such as bm25=bm25.run"
            )
        if not re.fullmatch(BRANCH_NAME, name):
            raise ParameterError(
                "a name that cannot be one",
                where="--run",
                found=name,
                expected="letters, digits, _ . -, not beginning with a dot or dash",
            )
        if name in named:
            raise ParameterError("a name stands twice", where="--run", found=name)
        named[name] = Path(file)
    return named
