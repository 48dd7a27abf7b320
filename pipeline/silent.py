"""Silent degradation: a recorded branch that looks dead for a part of its run.

Nothing in a run says so: lists are merely empty for many queries in a row, or suddenly share no
document with any other branch's. Queries are taken in the order of their ids, numbers counted as
numbers: services are asked in such an order more often than in any other.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from pipeline.params import Params, RecordedBranch

# What by chance would happen less often is told; so many queries in a row at the least.
CHANCE = 1e-4
ROW = 5
# Of a list's first TOP documents, the share that any other branch lists; a sudden loss leaves at
# most REMAINS of what is usual.
TOP = 10
REMAINS = 0.25

# States in which a branch said by itself that something went wrong: not silent.
_SAID = ("timeout", "error", "partial", "filtered")

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Silence:
    """A part of a run in which branches look dead.

    Args:
        branches: those of which at least one does, sorted.
        sign: `nothing` (empty lists in a row) or `overlap` (sudden loss of it).
        first: the first query.
        last: the last query.
        queries: how many.
        chance: an upper bound on how often as much would happen by chance.
        text: the finding in one sentence.
    """

    branches: tuple[str, ...]
    sign: str
    first: str
    last: str
    queries: int
    chance: float
    text: str

    def record(self) -> dict[str, object]:
        """As it stands in a summary."""
        return asdict(self) | {"branches": list(self.branches)}


def silences(
    candidates: pl.DataFrame, candidate_queries: pl.DataFrame, params: Params
) -> list[Silence]:
    """Every part of a recorded branch's run in which it looks dead.

    Args:
        candidates: CANDIDATES, all branches.
        candidate_queries: CANDIDATE_QUERIES.
        params: which branches are recorded.

    Returns:
        Findings, by branch; empty lists before overlap.
    """
    recorded = [n for n, one in params.candidates.items() if isinstance(one, RecordedBranch)]
    found, lost = list[Silence](), list[_Loss]()
    for name in sorted(recorded):
        asked = _asked(name, candidate_queries)
        found += _nothing(name, asked)
        overlap = _overlap(name, asked, candidates)
        for first, last, chance in _losses(overlap["share"].to_numpy()):
            ids = overlap["query_id"]
            lost.append(_Loss(name, ids[first], ids[last], last - first + 1, chance))
    return [*found, *map(_apart, _together(lost))]


@dataclass(frozen=True, slots=True)
class _Loss:
    branch: str
    first: str
    last: str
    queries: int
    chance: float

    def meets(self, other: "_Loss") -> bool:
        """Whether both are about the same part of the queries."""
        mine, theirs = (by_number(self.first), by_number(self.last)), by_number(other.first)
        return mine[0] <= by_number(other.last) and theirs <= mine[1]


def _together(losses: Sequence[_Loss]) -> list[list[_Loss]]:
    """Two branches that part from each other lose the same overlap: one finding."""
    groups: list[list[_Loss]] = []
    for loss in losses:
        same = [group for group in groups if group[0].meets(loss)]
        if same:
            same[0].append(loss)
        else:
            groups.append([loss])
    return groups


def by_number(query_id: str) -> tuple[tuple[int, int | str], ...]:
    """A key that puts q2 before q10."""
    parts = re.split(r"(\d+)", query_id)
    return tuple((0, int(part)) if part.isdecimal() else (1, part) for part in parts if part)


def chance_of_row(row: int, nothing: int, queries: int) -> float:
    """An upper bound on the chance of so many empty lists in a row, were they anywhere.

    The expected number of places where a row starts: (n - r + 1) · Π (m - j) / (n - j), j < r,
    for m empty lists among n.
    """
    logs = sum(math.log((nothing - j) / (queries - j)) for j in range(row))
    return min(1.0, (queries - row + 1) * math.exp(logs))


def _asked(name: str, states: pl.DataFrame) -> pl.DataFrame:
    """query_id, returned; of queries that nothing is said to have gone wrong with."""
    mine = states.filter((pl.col("branch") == name) & ~pl.col("status").is_in(_SAID))
    order = sorted(range(mine.height), key=lambda place: by_number(mine["query_id"][place]))
    return mine.select("query_id", "returned")[order]


def _nothing(name: str, asked: pl.DataFrame) -> Iterator[Silence]:
    empty = (asked["returned"] == 0).to_numpy()
    ids, total = asked["query_id"], int(empty.sum())
    if total == len(ids) and total:
        yield Silence(
            (name,), "nothing", ids[0], ids[-1], total, 0.0, f"{name} lists nothing for any query"
        )
        return
    for first, last in _rows(empty):
        count = last - first + 1
        chance = chance_of_row(count, total, len(ids))
        if count >= ROW and chance < CHANCE:
            text = (
                f"{name} lists nothing for {count} queries in a row, {ids[first]} to {ids[last]}, "
                f"and for {total - count} of the other {len(ids) - count}: it looks dead there"
            )
            yield Silence((name,), "nothing", ids[first], ids[last], count, chance, text)


def _rows(flags: npt.NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """First and last place of each row of flags."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], flags, [False])).astype(np.int8)))
    yield from zip(edges[::2].tolist(), (edges[1::2] - 1).tolist(), strict=True)


def _overlap(name: str, asked: pl.DataFrame, candidates: pl.DataFrame) -> pl.DataFrame:
    """query_id, share; of queries that this branch and another list something for."""
    mine = candidates.filter((pl.col("branch") == name) & (pl.col("rank") <= TOP))
    others = candidates.filter(pl.col("branch") != name).select("query_id", "doc_id").unique()
    both = mine.join(others.with_columns(shared=pl.lit(1.0)), on=["query_id", "doc_id"], how="left")
    shares = (
        both.join(others, on="query_id", how="semi")
        .group_by("query_id")
        .agg(share=pl.col("shared").fill_null(0.0).mean())
    )
    return asked.join(shares, on="query_id", how="inner", maintain_order="left")


def _losses(shares: Values) -> Iterator[tuple[int, int, float]]:
    """First and last place of the part in which least is shared, where that is no chance."""
    count = shares.size
    lengths = _lengths(count)
    if not lengths:
        return
    total = np.concatenate(([0.0], np.cumsum(shares)))
    tried = sum(count - length + 1 for length in lengths)
    best: tuple[float, int, int] | None = None
    for length in lengths:
        inside = (total[length:] - total[:-length]) / length
        outside = (total[-1] - inside * length) / (count - length)
        drop = (outside - inside) * math.sqrt(length * (count - length) / count)
        drop[(inside > REMAINS * outside) | (outside <= 0)] = -np.inf
        first = int(np.argmax(drop))
        if best is None or drop[first] > best[0]:
            best = (float(drop[first]), first, first + length - 1)
    if best is None or not math.isfinite(best[0]):
        return
    chance = _chance(shares, best[1], best[2], tried)
    if chance < CHANCE:
        yield best[1], best[2], chance


def _lengths(count: int) -> Sequence[int]:
    """Window lengths that grow by a half, from ROW to half of the queries."""
    lengths = []
    length = ROW
    while length <= count // 2:
        lengths.append(length)
        length = max(length + 1, length * 5 // 4)
    return lengths


def _chance(shares: Values, first: int, last: int, tried: int) -> float:
    """Welch's one-sided t test of inside against outside, times the windows tried."""
    from scipy.stats import ttest_ind

    inside = shares[first : last + 1]
    outside = np.concatenate((shares[:first], shares[last + 1 :]))
    if inside.std() == 0:
        # Nothing varies inside: what lies outside tells how wide shares scatter.
        spread = outside.std(ddof=1)
        if spread == 0:
            return 0.0
        from scipy.stats import norm

        z = (outside.mean() - inside.mean()) / (
            spread * math.sqrt(1 / inside.size + 1 / outside.size)
        )
        return float(min(1.0, tried * norm.sf(z)))
    test = ttest_ind(inside, outside, equal_var=False, alternative="less")
    return float(min(1.0, tried * test.pvalue))


def _apart(losses: Sequence[_Loss]) -> Silence:
    sure = min(losses, key=lambda one: (one.chance, one.branch))
    names = tuple(sorted(one.branch for one in losses))
    verb, blame = ("shares", "it") if len(names) == 1 else ("share", "one of them")
    text = (
        f"{' and '.join(names)} suddenly {verb} hardly a document with the other branches for "
        f"about {sure.queries} queries in a row, {sure.first} to {sure.last}: "
        f"{blame} looks dead there"
    )
    return Silence(names, "overlap", sure.first, sure.last, sure.queries, sure.chance, text)
