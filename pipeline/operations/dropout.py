"""Each branch of the selected configuration dropped in turn: what is left of the answers?"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import polars as pl

from pipeline.choices import final_choice, fold_choices
from pipeline.fusion import Configuration, collapse
from pipeline.params import FusionParams
from pipeline.parts import TEST, Part
from pipeline.serving import surviving
from pipeline.systems import rank_system

RANKED = ["query_id", "rank", "doc_id", "evidence_id", "score"]
NOTHING = pl.DataFrame(
    schema={
        "query_id": pl.String,
        "rank": pl.Int64,
        "doc_id": pl.String,
        "evidence_id": pl.String,
        "score": pl.Float64,
    }
)


@dataclass(frozen=True, slots=True)
class Share:
    """The queries that one frozen configuration answers: all, or under crossfit a fold's."""

    configuration: Configuration
    candidates: pl.DataFrame


def shares(
    part: Part, selection: Mapping[str, Any], candidates: pl.DataFrame, splits: pl.DataFrame
) -> list[Share]:
    """What answers the part's queries; nothing where no configuration was selected.

    Args:
        part: the queries; under crossfit the test is answered fold by fold.
        selection: selection.json.
        candidates: CANDIDATES.
        splits: SPLITS, with folds.
    """
    folds = fold_choices(selection) if part.split == TEST else {}
    # Several folds may have chosen the same configuration: each still answers its own queries.
    chosen = [
        (choice.selected, splits.filter(pl.col("fold") == fold))
        for fold, choice in sorted(folds.items())
    ] or [(final_choice(selection).selected, part.queries)]
    asked = candidates.join(part.queries, on="query_id", how="semi")
    return [
        Share(configuration, asked.join(queries, on="query_id", how="semi"))
        for configuration, queries in chosen
        if configuration is not None
    ]


def answer(parts: Iterable[Share], fusion: FusionParams, *, out: str | None = None) -> pl.DataFrame:
    """The selected system's lists, with a branch out or with all.

    Weights of the remaining branches are scaled up to 1. One branch left keeps its own order;
    none left answers nothing.

    Args:
        parts: what answers which queries.
        fusion: the fixed part of the contract.
        out: the branch that gives nothing.

    Returns:
        query_id, rank, doc_id, evidence_id, score; sorted by query_id, rank.
    """
    runs = [NOTHING]
    for one in parts:
        left = remaining(one.configuration, out)
        if left is not None:
            runs.append(rank_system(left, one.candidates, fusion))
    return pl.concat(runs).sort("query_id", "rank")


def remaining(configuration: Configuration, out: str | None) -> Configuration | None:
    """The configuration without a branch; None where it was the only one."""
    return surviving(configuration, [name for name in configuration.branches if name != out])


def out_of_order(parts: Sequence[Share], fusion: FusionParams, *, out: str) -> list[str]:
    """Queries whose only remaining branch does not keep its own order; there must be none.

    Returns:
        Query ids, sorted; of configurations that leave more than one branch none is checked.
    """
    wrong: set[str] = set()
    for one in parts:
        left = [name for name in one.configuration.branches if name != out]
        if len(left) == 1:
            wrong |= set(_differing(one, fusion, out, left[0]))
    return sorted(wrong)


def _differing(one: Share, fusion: FusionParams, out: str, branch: str) -> Iterator[str]:
    own = collapse(
        one.candidates.filter(pl.col("branch") == branch),
        level=fusion.level,
        depth=dict(one.configuration.depths)[branch],
        duplicates=fusion.duplicates,
    ).filter(pl.col("rank") <= fusion.output_depth)
    both = own.select("query_id", "rank", "doc_id").join(
        answer([one], fusion, out=out).select("query_id", "rank", answered="doc_id"),
        on=["query_id", "rank"],
        how="full",
        coalesce=True,
    )
    yield from both.filter(pl.col("doc_id").ne_missing(pl.col("answered")))["query_id"].unique()
