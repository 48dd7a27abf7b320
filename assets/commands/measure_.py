"""`rankgate measure`: trec_eval-like values, without a study."""

import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import click
import polars as pl

from assets.asking import is_terminal
from assets.rating_options import rating_form, rating_options
from assets.terminal import say
from pipeline.collection import read_qrels, read_query_texts, read_run
from pipeline.errors import InputError, ParameterError, first_three
from pipeline.identity import alike
from pipeline.measures import per_query
from pipeline.measures.trec_names import Spelling, trec_lines
from pipeline.printable import printable

ORDERS = {"score": "by score, ties by id descending", "rank": "by rank", "file": "by line"}
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
EXISTING = click.Path(exists=False, path_type=Path)


@click.command()
@click.argument("runs", nargs=-1, required=True, type=EXISTING)
@click.option(
    "--judgments",
    required=True,
    type=EXISTING,
    help="Qrels (TREC, BEIR), JSON Lines, CSV, a spreadsheet, or ratings in JSON.",
)
@click.option(
    "--queries", type=EXISTING, help="Topics or native queries, where judgments name their texts."
)
@click.option("--measures", default=MEASURES, show_default=True, help="Names of ir_measures.")
@click.option(
    "--rel",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Relevant from this grade on.",
)
@click.option(
    "--per-query", "each", is_flag=True, help="Every query's value too, as trec_eval -q prints it."
)
@click.option(
    "--order", type=click.Choice(["score", "rank", "file"]), default="score", show_default=True
)
@DUPLICATES
@TRAILING
@rating_options
def command(
    runs: tuple[Path, ...],
    judgments: Path,
    queries: Path | None,
    measures: str,
    rel: int,
    each: bool,
    order: str,
    duplicates: str,
    trailing: str,
    columns: tuple[str, ...],
    grades: tuple[str, ...],
    sheet: str | None,
    number_ids: bool,
) -> None:
    """Measures RUNS against judgments: run, measure, queries, mean, one line each.

    With --per-query as trec_eval -q prints it, one run after the other: measure (by trec_eval's
    name where it has one), query, value; then runid, num_q and the means for the query "all".

    A query without results counts 0; one without a relevant item is left out of the mean. Order:
    by score, ties by id descending (trec_eval's rule), or as --order says. Gain: max(grade, 0).
    """
    form = rating_form(columns, grades, sheet, number_ids)
    names = split_measures(measures)
    if not names:
        raise ParameterError("no measure", where="--measures", expected="such as nDCG@10,R@100")
    read = {
        path: read_run(path, order=order, duplicates=duplicates, trailing=trailing) for path in runs
    }
    qrels = read_qrels(
        judgments,
        form=form,
        queries=_known(queries, read.values()),
        tell=lambda said: say(f"{judgments.name}: {said}", err=True),
    )
    # Programs read these lines, unless somebody sits there.
    spelt = printable if is_terminal(sys.stdout) else str
    for path, run in read.items():
        _refuse_strangers(path, run, judgments, qrels)
        _tell_unjudged(path, run, qrels)
        tell_unanswered(path.name, qrels["query_id"], run["query_id"])
        tell_alike(path.name, [run["doc_id"], qrels["evidence_id"]])
        tell_alike(path.name, [run["query_id"], qrels["query_id"]])
        values = per_query(run, qrels, names, rel=rel)
        _tell_conditions(path, values, order, rel)
        for line in (trec_lines if each else _means)(values, names, path.name, spelt=spelt):
            click.echo(line)


def _known(queries: Path | None, runs: Iterable[pl.DataFrame]) -> dict[str, str | None]:
    """Query id to text where a file holds the texts; else the ids that the runs answer."""
    if queries is not None:
        return read_query_texts(queries)
    return dict.fromkeys(sorted({query for run in runs for query in run["query_id"]}))


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
        say(f"{path.name}: {len(unjudged)} queries without judgments: {names}", err=True)


def tell_unanswered(name: str, judged: Iterable[str], answered: Iterable[str]) -> None:
    """Judged queries without results count 0: rightly, or because an id was written otherwise."""
    asked = set(judged)
    missing = sorted(asked.difference(answered))
    if missing:
        said = f"{len(missing)} of {len(asked)} judged queries without results, which count 0"
        say(f"{name}: {said}: {first_three(missing)}", err=True)


def tell_alike(name: str, ids: Iterable[pl.Series]) -> None:
    """Ids that look the same and are not: they do not join, whatever a reader sees."""
    pairs = alike({*chain.from_iterable(ids)})
    if pairs:
        shown = first_three([" = ".join(map(ascii, pair)) for pair in pairs])
        said = "ids differ from another only by blanks or Unicode normal form, and do not join"
        say(f"{name}: {len(pairs)} {said}: {shown}", err=True)


def _tell_conditions(path: Path, values: pl.DataFrame, order: str, rel: int) -> None:
    """Beside the table, not in it: its lines stay those that trec_eval's readers know."""
    queries = values.group_by("query_id").agg(pl.col("value").is_not_null().any())
    left_out = queries.height - int(queries["value"].sum())
    say(
        f"{path.name}: order {ORDERS[order]}; gain max(grade, 0); relevant from {rel}; unjudged "
        f"irrelevant; {queries.height - left_out} of {queries.height} judged queries in the means, "
        f"left out {left_out} with nothing relevant",
        err=True,
    )


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


def _means(values: pl.DataFrame, names: list[str], run: str, *, spelt: Spelling) -> Iterator[str]:
    for name in names:
        known = values.filter(pl.col("measure") == name)["value"].drop_nulls().to_list()
        mean = f"{sum(known) / len(known):.4f}" if known else "undefined"
        yield f"{spelt(run)}\t{name}\tall ({len(known)})\t{mean}"
