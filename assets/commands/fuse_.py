"""`rankgate fuse`: a fused run file, without a study."""

from pathlib import Path

import click
import polars as pl

from assets.commands.measure_ import DUPLICATES, TRAILING
from pipeline.collection import read_run, write_run
from pipeline.errors import ParameterError
from pipeline.fusion import METHODS, Contract, fuse

FUSIONS = sorted(name for name, method in METHODS.items() if not method.own_scores)


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
    duplicates: str,
    trailing: str,
    output: Path,
) -> None:
    """Fuses RUNS into one TREC run file, scores strictly decreasing so that every tool agrees.

    An output that ends in .jsonl is JSON Lines with the fused scores; .gz is gzipped.
    """
    _refuse_own_input(output, runs)
    names = _names(runs)
    contract = Contract.of(
        method,
        rank_constant=rank_constant if METHODS[method].takes_rank_constant else None,
        weights=dict(zip(names, _weights(weights, len(names)), strict=True)),
        depths=dict.fromkeys(names, depth),
        level="document",
        output_depth=output_depth,
    )
    read = [
        read_run(path, order=order, duplicates=duplicates, trailing=trailing).select(
            pl.lit(name).alias("branch"), pl.all(), pl.col("doc_id").alias("source_id")
        )
        for name, path in zip(names, runs, strict=True)
    ]
    write_run(output, fuse(pl.concat(read), contract))
    click.echo(f"{output}: {contract.method} of {', '.join(names)}")


def _refuse_own_input(output: Path, runs: tuple[Path, ...]) -> None:
    if output.resolve() in {path.resolve() for path in runs}:
        raise ParameterError(
            "the output would replace a run it is made from",
            where="--output",
            found=output,
            expected="another file",
        )


def _names(runs: tuple[Path, ...]) -> list[str]:
    """The runs' file names; numbered where two are the same."""
    names = [path.name for path in runs]
    return names if len(set(names)) == len(names) else [f"{i}:{n}" for i, n in enumerate(names)]


def _weights(text: str | None, number: int) -> list[float]:
    if text is None:
        return [1.0] * number
    try:
        weights = [float(part) for part in text.split(",")]
    except ValueError:
        raise ParameterError(
            "not numbers", where="--weights", found=text, expected="0.7,0.3"
        ) from None
    if len(weights) != number:
        raise ParameterError(
            "wrong number of weights", where="--weights", found=len(weights), expected=number
        )
    return weights
