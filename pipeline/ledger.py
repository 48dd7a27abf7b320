"""The ledger of test openings: which selection was opened on which test set, and at what level.

A line is only ever appended. The same selection on the same test set is one opening, however
often it is read; what tells two selections apart is what was chosen and how it retrieves and
fuses, never the data it was judged on.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import polars as pl

from pipeline.errors import RecordError
from pipeline.identity import digest_json
from pipeline.params import Params

TESTED = ("test", "crossfit")
"""The sides whose values stay sealed until they are opened."""


@dataclass(frozen=True, slots=True)
class Opening:
    """One line of the ledger.

    Args:
        test_set: hash of the test set (see `test_set_hash`).
        selection: hash of what was opened (see `selection_hash`).
        configuration: id, method, rank_constant, weights, depths: enough to rebuild it; under
            crossfit also `folds`, the same for each fold.
        opened_at: ISO 8601, as the command wrote it.
        limits: the gates' limits at that moment, so that a later change shows; None where the
            line does not tell.
    """

    test_set: str
    selection: str
    configuration: Mapping[str, Any]
    opened_at: str
    limits: Mapping[str, Any] | None = None

    def line(self) -> dict[str, Any]:
        """The line as it stands in the record."""
        known = {} if self.limits is None else {"limits": dict(self.limits)}
        return {
            "test_set": self.test_set,
            "selection": self.selection,
            "configuration": dict(self.configuration),
            "opened_at": self.opened_at,
            **known,
        }


def parse_ledger(
    lines: Iterable[Mapping[str, Any]], *, where: object = "data/ledger.jsonl"
) -> list[Opening]:
    """Openings from the lines of the record, in the order of their moments.

    Lines that two branches of git appended stand in the record as they were merged, which says
    nothing of which selection was opened first.

    Raises:
        RecordError: a line lacks a key or holds one too many, or a value is of the wrong kind.
    """
    found = [_opening(line, f"{where}:{number}") for number, line in enumerate(lines, start=1)]
    return sorted(found, key=_moment)  # of one moment: as they stand


def _moment(opening: Opening) -> datetime:
    moment = datetime.fromisoformat(opening.opened_at)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _opening(line: Mapping[str, Any], where: str) -> Opening:
    keys = ("test_set", "selection", "configuration", "opened_at")
    if set(line) - {"limits"} != set(keys):
        raise RecordError(
            "not a test opening", where=where, found=sorted(line), expected=", ".join(keys)
        )
    for key in ("test_set", "selection", "opened_at"):
        if not isinstance(line[key], str) or not line[key]:
            raise RecordError(
                f"{key} is no text", where=where, found=repr(line[key]), expected="a string"
            )
    configuration = line["configuration"]
    if not isinstance(configuration, Mapping) or not {"method", "weights"} <= set(configuration):
        raise RecordError(
            "the configuration cannot be rebuilt",
            where=where,
            found=repr(configuration),
            expected="a mapping of id, method, rank_constant, weights, depths",
        )
    _refuse_undated(line["opened_at"], where)
    limits = line.get("limits")
    if "limits" in line and not isinstance(limits, Mapping):
        raise RecordError(
            "limits are no mapping", where=where, found=repr(limits), expected="key to limit"
        )
    return Opening(**{key: line[key] for key in keys}, limits=limits)


def _refuse_undated(opened_at: str, where: str) -> None:
    try:
        datetime.fromisoformat(opened_at)
    except ValueError:
        raise RecordError(
            "opened_at is no date", where=where, found=opened_at, expected="ISO 8601"
        ) from None


def moment_of_next(ledger: Sequence[Opening], test_set: str, now: datetime) -> str:
    """When a new opening is said to be: now, and not before an earlier one of the same test set.

    A clock that was set back would have it stand before them, at their level.

    Args:
        ledger: the record, in its order.
        test_set: whose openings count.
        now: what the clock says.
    """
    earlier = [_moment(line) for line in ledger if line.test_set == test_set]
    return max([now.replace(microsecond=0), *earlier]).astimezone(UTC).isoformat()


def opening_line(
    selection: Mapping[str, Any], *, opened_at: str, limits: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The line that opens the test for a selection (the content of selection.json)."""
    kept = ("id", "method", "rank_constant", "weights", "depths")
    configuration: dict[str, Any] = {key: selection["configuration"][key] for key in kept}
    if selection["folds"] is not None:
        configuration["folds"] = {
            fold: {key: chosen[key] for key in kept} for fold, chosen in selection["folds"].items()
        }
    hashes = selection["hashes"]
    test_set, chosen = hashes["test_set"], hashes["selection"]
    return Opening(test_set, chosen, configuration, opened_at, limits).line()


def openings_of(ledger: Sequence[Opening], test_set: str) -> list[str]:
    """The distinct selections opened on a test set, in the order of their first opening."""
    return list(dict.fromkeys(line.selection for line in ledger if line.test_set == test_set))


def opening_of(ledger: Sequence[Opening], test_set: str, selection: str) -> int | None:
    """Which opening of the test set this selection is, counted from 1; None while sealed."""
    opened = openings_of(ledger, test_set)
    return opened.index(selection) + 1 if selection in opened else None


def last_of(ledger: Sequence[Opening], test_set: str) -> Opening | None:
    """The last line for a test set, or None."""
    return next((line for line in reversed(ledger) if line.test_set == test_set), None)


def alpha_at(alpha: float, opening: int) -> float:
    """The level at which the m-th selection opened on one test set is judged.

    The first at α, the m-th (m ≥ 2) at α·6/(π²m²); all together stay below 1.4 α, since the
    sum over m ≥ 2 of 6/(π²m²) is 1 − 6/π² < 0.4.

    Raises:
        RecordError: openings are counted from 1.
    """
    if opening < 1:
        raise RecordError("no such opening", found=opening, expected="1 or more")
    return alpha if opening == 1 else alpha * 6 / (math.pi**2 * opening**2)


def test_set_hash(splits: pl.DataFrame, queries: pl.DataFrame) -> str:
    """The hash of a test set: the ids and texts of its queries, sorted by id.

    Args:
        splits: SPLITS; the test side, or under crossfit all of its queries.
        queries: QUERIES.
    """
    tested = splits.filter(pl.col("split").is_in(TESTED)).select("query_id")
    texts = tested.join(queries, on="query_id", how="left").sort("query_id")
    return digest_json(texts.select("query_id", "text").rows())


test_set_hash.__test__ = False  # type: ignore[attr-defined]  # pytest takes the name for a test


def selection_hash(frozen: Mapping[str, Any], params: Params) -> str:
    """The hash of a selection: what was frozen, the fusion contract, all branches' parameters.

    All branches, also those that the configuration leaves out: they are what it is compared
    with, and a weaker rival is another question put to the same test.

    Args:
        frozen: method, rank_constant, weights, depths of the configuration; under crossfit the
            procedure instead (see `procedure`).
    """
    contract = params.fusion.model_dump(mode="json", exclude={"branches"})
    branches = {name: b.model_dump(mode="json") for name, b in params.candidates.items()}
    return digest_json({"frozen": dict(frozen), "fusion": contract, "branches": branches})


NO_GRID = {"measures", "memory_gb"}  # of the section sweep: they choose no point


def procedure(splits: pl.DataFrame, params: Params) -> dict[str, Any]:
    """What a crossfit selection is: the grid, the rule, and the folds it was repeated over."""
    folds = splits.filter(pl.col("split") == "crossfit").sort("query_id")
    return {
        "branches": list(params.fused_branches),
        "production": params.production,
        "grid": {
            name: sorted(set(value)) if isinstance(value, list) else value
            for name, value in params.sweep.model_dump(mode="json", exclude=NO_GRID).items()
        },
        "rule": params.selection.model_dump(mode="json", include={"measure", "stable_share"}),
        "limits": params.decision.model_dump(mode="json", include={"slices", "latency"}),
        "folds": folds.select("query_id", "fold").rows(),
    }
