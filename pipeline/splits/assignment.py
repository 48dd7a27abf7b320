"""New queries onto sides; queries that have one stay."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import polars as pl

from pipeline.errors import ParameterError, first_three
from pipeline.params import Params, SplitsParams
from pipeline.splits.allocation import allocate
from pipeline.splits.group import Group
from pipeline.splits.grouping import Grouping, group_queries
from pipeline.splits.refusals import refuse_few_groups, refuse_to_split
from pipeline.splits.sides import Part, Side, by_query

# Where a new query is tied to both sides, equal numbers: rather dev than test.
PREFERENCE = ("dev", "train", "reserve", "crossfit", "test")


def split_queries(
    queries: pl.DataFrame,
    judgments: pl.DataFrame,
    documents: pl.DataFrame,
    params: Params,
    recorded: Sequence[Side] = (),
) -> list[Side]:
    """Puts queries that have no side yet on one.

    An official `split` is honoured. A query tied to queries that have a side joins them (the
    side of most of them, where they lie on several). The remaining groups are allocated whole,
    so that all queries together come close to the declared shares, strata spread.

    Args:
        queries: table QUERIES, all of them.
        judgments: table JUDGMENTS; used where no declared key ties queries together.
        documents: table DOCUMENTS.
        params: `splits`, `collection`, `seed`.
        recorded: the record as it is.

    Returns:
        Sides of the new queries only, sorted by query; the same for any order of rows.

    Raises:
        ParameterError: the queries cannot be split; names `splits.independent: true`.
        RecordError: the record contradicts itself.
    """
    known = by_query(recorded)
    shares = shares_by_part(params.splits)
    grouping = group_queries(queries, judgments, documents, params)
    refuse_to_split(grouping)
    fixed = {query: known[query].part for query in grouping.component if query in known}
    fixed |= {
        query: part for query, part in official(queries, params).items() if query not in known
    }
    strata = strata_of(queries, params.splits)
    placed = _join(grouping, fixed)
    free = [
        Group(name, tuple(strata[query] for query in members))
        for name, members in grouping.members.items()
        if not fixed.keys() & set(members)
    ]
    refuse_few_groups(grouping, len(free), sorted(set(shares) - set(placed.values())))
    if free:
        occupied = _occupied(placed, strata, shares)
        allocated = allocate(free, shares, seed=params.seed, occupied=occupied)
        placed |= {
            query: allocated[name]
            for query, name in grouping.component.items()
            if name in allocated
        }
    refuse_empty_parts(placed.values(), shares)
    return _sides(grouping, placed, known)


def shares_by_part(splits: SplitsParams) -> dict[Part, float]:
    """The declared shares, positive ones only; under crossfit dev and test become the folds."""
    shares = {side: share for side, share in sorted(splits.shares.items()) if share > 0}
    if splits.protocol == "holdout":
        return {Part(side): share for side, share in shares.items()}
    crossed = shares.pop("dev", 0.0) + shares.pop("test", 0.0)
    if not crossed:
        raise ParameterError(
            "no share is left for crossfit",
            where="splits.shares",
            found=dict(splits.shares),
            expected="a positive share of dev and test together",
        )
    folds = {Part("crossfit", fold): crossed / splits.folds for fold in range(splits.folds)}
    return {**folds, **{Part(side): share for side, share in shares.items()}}


def official(queries: pl.DataFrame, params: Params) -> dict[str, Part]:
    """Query to the side that the collection itself gives it.

    Raises:
        ParameterError: an official dev or test under protocol crossfit.
    """
    given = queries.select("query_id", "split").drop_nulls().sort("query_id")
    crossed = given.filter(pl.col("split").is_in(["dev", "test"]))
    if crossed.height and params.splits.protocol == "crossfit":
        raise ParameterError(
            "the collection has an official split",
            where="splits.protocol",
            found=f"crossfit, and {crossed.height} queries with split dev or test",
            expected="holdout",
            next_command="write splits.protocol: holdout, or import without the split",
        )
    return {query: Part(side) for query, side in given.rows()}


def strata_of(queries: pl.DataFrame, splits: SplitsParams) -> dict[str, str]:
    """Query to its stratum: its slices together, or one stratum for all."""
    given = queries.select("query_id", "slices").sort("query_id").rows()
    by_slices = splits.stratify_by == "slices"
    return {query: "+".join(sorted(slices or ())) if by_slices else "" for query, slices in given}


def refuse_empty_parts(parts: Iterable[Part], shares: Mapping[Part, float]) -> None:
    """Refuses sides of which one with a positive share has no query.

    Raises:
        ParameterError: names the sides.
    """
    empty = sorted(set(shares) - set(parts))
    if empty:
        raise ParameterError(
            "a side with a positive share has no query",
            where="splits.shares",
            found=f"nothing on {first_three([part.name for part in empty])}",
            expected="queries on every declared side",
            next_command="declare the sides and folds that the queries fill, or add queries",
        )


def _join(grouping: Grouping, fixed: Mapping[str, Part]) -> dict[str, Part]:
    """Queries with a side, and those tied to them."""
    placed = dict(fixed)
    for members in grouping.members.values():
        parts = Counter(fixed[query] for query in members if query in fixed)
        if parts:
            joined = min(parts, key=lambda part: (-parts[part], PREFERENCE.index(part.side), part))
            placed |= {query: joined for query in members if query not in fixed}
    return placed


def _occupied(
    placed: Mapping[str, Part], strata: Mapping[str, str], shares: Mapping[Part, float]
) -> dict[Part, list[str]]:
    occupied: dict[Part, list[str]] = {part: [] for part in shares}
    for query in sorted(placed):
        if placed[query] in occupied:
            occupied[placed[query]].append(strata[query])
    return occupied


def _sides(grouping: Grouping, placed: Mapping[str, Part], known: Mapping[str, Side]) -> list[Side]:
    sides = []
    for members in grouping.members.values():
        names: dict[Part, str] = {}
        for query in members:
            if query in known:
                name = known[query].group_id
                names[placed[query]] = min(names.get(placed[query], name), name)
        for query in members:
            if query not in known:
                part = placed[query]
                fold = part.fold if part.side == "crossfit" else None
                sides.append(Side(query, names.setdefault(part, query), part.side, fold))
    return sorted(sides, key=lambda side: side.query_id)
