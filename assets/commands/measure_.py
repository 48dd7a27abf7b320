"""`rankgate measure`: trec_eval-like values, without a study."""

from pathlib import Path

import click
import polars as pl

from pipeline.collection import read_qrels, read_run
from pipeline.errors import InputError, ParameterError, first_three
from pipeline.measures import per_query

MEASURES = "nDCG@10,AP,RR,P@10,R@100,Bpref"
DUPLICATES = click.option(
    "--duplicates",
    type=click.Choice(["reject", "keep_first"]),
    default="reject",
    show_default=True,
    help="A document twice in one list.",
)
TRAILING = click.option(
    "--trailing",
    type=click.Choice(["reject", "ignore"]),
    default="reject",
    show_default=True,
    help="Words after a run's sixth column.",
)
EXISTING = click.Path(exists=False, dir_okay=False, path_type=Path)


@click.command()
@click.argument("runs", nargs=-1, required=True, type=EXISTING)
@click.option("--judgments", required=True, type=EXISTING, help="Qrels: TREC, BEIR or JSON Lines.")
@click.option("--measures", default=MEASURES, show_default=True, help="Names of ir_measures.")
@click.option("--rel", type=int, default=1, show_default=True, help="Relevant from this grade on.")
@click.option("--per-query", "each", is_flag=True, help="Also every query's value.")
@click.option(
    "--order", type=click.Choice(["score", "rank", "file"]), default="score", show_default=True
)
@DUPLICATES
@TRAILING
def command(
    runs: tuple[Path, ...],
    judgments: Path,
    measures: str,
    rel: int,
    each: bool,
    order: str,
    duplicates: str,
    trailing: str,
) -> None:
    """Measures RUNS against judgments: run, measure, query, value, one line each.

    A query without results counts 0; one without a relevant item is left out of the mean. Order:
    by score, ties by id descending (trec_eval's rule), or as --order says. Gain: max(grade, 0).
    """
    qrels = read_qrels(judgments)
    names = split_measures(measures)
    if not names:
        raise ParameterError("no measure", where="--measures", expected="such as nDCG@10,R@100")
    for path in runs:
        run = read_run(path, order=order, duplicates=duplicates, trailing=trailing)
        _refuse_strangers(path, run, judgments, qrels)
        _tell_unjudged(path, run, qrels)
        values = per_query(run, qrels, names, rel=rel)
        _print(path, values, names, each)


def _refuse_strangers(path: Path, run: pl.DataFrame, judgments: Path, qrels: pl.DataFrame) -> None:
    """A run of other queries has no value; an empty one has, and it is 0."""
    if qrels.is_empty():
        raise InputError("no judgments", where=judgments, expected="at least one line")
    answered, judged = set(run["query_id"]), set(qrels["query_id"])
    if answered and not answered & judged:
        raise InputError(
            f"none of its queries is judged in {judgments}",
            where=path,
            found=f"queries {first_three(sorted(answered))}",
            expected=f"some of {first_three(sorted(judged))}",
        )


def _tell_unjudged(path: Path, run: pl.DataFrame, qrels: pl.DataFrame) -> None:
    """Queries that nobody judged have no value and enter no mean."""
    unjudged = sorted(set(run["query_id"]) - set(qrels["query_id"]))
    if unjudged:
        names = first_three(unjudged)
        click.echo(f"{path.name}: {len(unjudged)} queries without judgments: {names}", err=True)


def split_measures(names: str) -> list[str]:
    """Measure names parted at commas and blanks outside parentheses."""
    parts, depth = [""], 0
    for letter in names:
        depth += (letter == "(") - (letter == ")")
        if depth == 0 and letter in ", \t":
            parts.append("")
        else:
            parts[-1] += letter
    return [part for part in parts if part]


def _print(path: Path, values: pl.DataFrame, names: list[str], each: bool) -> None:
    for name in names:
        rows = values.filter(pl.col("measure") == name)
        known = rows.drop_nulls("value")
        if each:
            for row in known.iter_rows(named=True):
                click.echo(f"{path.name}\t{name}\t{row['query_id']}\t{row['value']:.4f}")
        mean = f"{sum(known['value']) / known.height:.4f}" if known.height else "undefined"
        click.echo(f"{path.name}\t{name}\tall ({known.height})\t{mean}")
