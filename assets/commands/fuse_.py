"""`rankgate fuse`: a fused run file, without a study."""

from pathlib import Path

import click
import polars as pl

from assets.commands.measure_ import DUPLICATES, TRAILING, tell_alike
from assets.terminal import say
from pipeline.collection import read_run, write_run
from pipeline.collection.trec import real
from pipeline.errors import InputError, ParameterError, first_three
from pipeline.fusion import METHODS, Contract, fuse

# A run file does not tell the least score that its engine could give.
UNKNOWN_MINIMA = "convex_tmm"
FUSIONS = sorted(
    name for name, method in METHODS.items() if not method.own_scores and name != UNKNOWN_MINIMA
)


@click.command()
@click.argument("runs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--method",
    type=click.Choice(FUSIONS),
    default="rrf",
    show_default=True,
)
@click.option("--rank-constant", type=float, default=60, show_default=True, help="k of RRF.")
@click.option("--weights", help="One weight for each run, parted by commas (default: equal).")
@click.option("--depth", type=int, default=1000, show_default=True, help="Cut each run here.")
@click.option("--output-depth", type=int, default=1000, show_default=True)
@click.option(
    "--order", type=click.Choice(["score", "rank", "file"]), default="score", show_default=True
)
@click.option(
    "--distances",
    multiple=True,
    type=click.Path(path_type=Path),
    help="One of RUNS whose smaller scores are the better ones; may stand several times.",
)
@DUPLICATES
@TRAILING
@click.option("-o", "--output", required=True, type=click.Path(dir_okay=False, path_type=Path))
def command(
    runs: tuple[Path, ...],
    method: str,
    rank_constant: float,
    weights: str | None,
    depth: int,
    output_depth: int,
    order: str,
    distances: tuple[Path, ...],
    duplicates: str,
    trailing: str,
    output: Path,
) -> None:
    """Fuses RUNS into one TREC run file.

    The order of RUNS says which begins a round-robin union; no other method depends on it. The
    file's scores are 1, 0.5, 0.333, … (one over the rank), not the fused ones: these tie, and tools
    break ties differently. An output that ends in .jsonl is JSON Lines with the fused scores; .gz
    is gzipped.
    """
    _refuse_own_input(output, runs)
    _refuse_strangers(distances, runs)
    names = _names(runs)
    given = dict(zip(names, _weights(weights, len(names)), strict=True))
    contract = Contract.of(
        method,
        rank_constant=rank_constant if METHODS[method].takes_rank_constant else None,
        weights=given,
        depths=dict.fromkeys(names, depth),
        level="document",
        output_depth=output_depth,
        order=[name for name in names if given[name]] if METHODS[method].takes_order else (),
    )
    read = [
        read_run(
            path,
            order=order,
            duplicates=duplicates,
            trailing=trailing,
            higher_is_better=path not in distances,
        ).select(pl.lit(name).alias("branch"), pl.all(), pl.col("doc_id").alias("source_id"))
        for name, path in zip(names, runs, strict=True)
    ]
    lists = pl.concat(read)
    if lists.is_empty():
        raise InputError(
            "no results in any of the runs",
            where=first_three(runs),
            expected="at least one line",
            next_command="look at how they were written",
        )
    write_run(output, fuse(lists, contract))
    _tell_missing(lists, names)
    tell_alike(output.name, [lists["doc_id"]])
    tell_alike(output.name, [lists["query_id"]])
    say(f"{output}: {contract.method} of {', '.join(names)}")


def _tell_missing(lists: pl.DataFrame, names: list[str]) -> None:
    """Queries that a run lacks are fused from the others, and it is said."""
    queries = set(lists["query_id"])
    lacking = {
        name: sorted(queries - set(lists.filter(pl.col("branch") == name)["query_id"]))
        for name in names
    }
    for name, missing in lacking.items():
        if missing:
            of = f"{len(missing)} of {len(queries)} queries"
            say(f"{name}: no list for {of}: {first_three(missing)}", err=True)


def _refuse_own_input(output: Path, runs: tuple[Path, ...]) -> None:
    if output.resolve() in {path.resolve() for path in runs}:
        raise ParameterError(
            "the output would replace a run it is made from",
            where="--output",
            found=output,
            expected="another file",
        )


def _refuse_strangers(distances: tuple[Path, ...], runs: tuple[Path, ...]) -> None:
    strangers = [path for path in distances if path not in runs]
    if strangers:
        raise ParameterError(
            "not one of the runs",
            where="--distances",
            found=first_three(strangers),
            expected=first_three(runs),
        )


def _names(runs: tuple[Path, ...]) -> list[str]:
    """The runs' file names; numbered where two are the same."""
    names = [path.name for path in runs]
    return names if len(set(names)) == len(names) else [f"{i}:{n}" for i, n in enumerate(names)]


def _weights(text: str | None, number: int) -> list[float]:
    if text is None:
        return [1.0] * number
    try:
        weights = [real(part.strip().encode()) for part in text.split(",")]
    except ValueError:
        raise ParameterError(
            "not numbers", where="--weights", found=text, expected="0.7,0.3"
        ) from None
    if len(weights) != number:
        raise ParameterError(
            "wrong number of weights", where="--weights", found=len(weights), expected=number
        )
    return weights
