"""Can this study answer? How many query groups there are, and what they could show."""

import math
from collections.abc import Iterator, Mapping

import polars as pl

from assets.checking.findings import Finding
from assets.checking.inputs import Inputs
from assets.checking.spread import Spread, dev_values, spread_of
from assets.checking.vetoes import veto_findings
from assets.folder import StudyFolder
from assets.other_openings import other_openings
from pipeline.collection import Collection
from pipeline.gates.interval import GROUPS
from pipeline.ledger import alpha_at, openings_of, test_set_hash
from pipeline.params import Params
from pipeline.parts import SIDES
from pipeline.query_states import RANKED, STATES, query_states
from pipeline.splits import Splits
from pipeline.splits.grouping import group_queries
from pipeline.splits.ties import counted_groups, grouping_text, told
from pipeline.statistics.headroom import highest_low
from pipeline.statistics.power import smallest_detectable
from pipeline.systems import SELECTED


def answer_findings(folder: StudyFolder, params: Params, inputs: Inputs) -> Iterator[Finding]:
    """Queries and groups by side and state, and the smallest gain that each protocol would see.

    Args:
        folder: the study; its stored dev results tell the spread, where there are any.
        params: protocol, question, alpha, limits.
        inputs: collection, sides and ledger, as far as they could be read.
    """
    if inputs.collection is None or inputs.splits is None:
        return
    yield Finding("fact", _grouping(inputs.collection, inputs.splits, params))
    ranked = _ranked_sides(inputs.collection, inputs.splits, params)
    yield from _sides(ranked)
    test_set = test_set_hash(inputs.splits.splits, inputs.collection.queries)
    opened = len(openings_of(inputs.ledger, test_set))
    alpha = alpha_at(params.evaluation.alpha, opened + 1)
    if opened:
        yield Finding("fact", f"this test set was opened for {opened} selection(s)")
    yield from (Finding("warning", line) for line in other_openings(folder, test_set))
    values = dev_values(folder, params)
    spread = spread_of(values, inputs.splits)
    for protocol, groups in _groups(ranked, params).items():
        yield _detectable(protocol, groups, spread, alpha, params)
    yield from _unresolvable(ranked, values, inputs.splits, alpha, params)
    yield from veto_findings(inputs.collection, ranked, values, inputs.splits, alpha, params)


def _grouping(collection: Collection, splits: Splits, params: Params) -> str:
    """Queries, groups and the reason; and the recorded groups, where these are others."""
    grouping = group_queries(collection.queries, collection.judgments, collection.documents, params)
    recorded = splits.splits["group_id"].n_unique()
    if recorded == len(grouping.members):
        return told(grouping, "rankgate init --independent, in another folder")
    line = grouping_text(grouping)
    return f"{line}; data/sides.jsonl has them in {counted_groups(recorded)}, and these stay"


def _ranked_sides(collection: Collection, splits: Splits, params: Params) -> pl.DataFrame:
    """query_id, group_id, split, state."""
    labels = pl.concat([splits.dev_judgments, splits.test_judgments]).unique(maintain_order=True)
    states = query_states(collection.queries, labels, rel=params.collection.rel)
    return splits.splits.join(states, on="query_id").sort("split", "query_id")


def _sides(ranked: pl.DataFrame) -> Iterator[Finding]:
    for (side,), rows in ranked.group_by("split", maintain_order=True):
        counts = rows.group_by("state").len()
        known = dict(counts.iter_rows())
        states = ", ".join(
            f"{known[one]} {one.replace('_', ' ')}" for one in STATES if one in known
        )
        groups = rows["group_id"].n_unique()
        yield Finding("fact", f"{side}: {rows.height} queries in {groups} groups; {states}")


def _groups(ranked: pl.DataFrame, params: Params) -> dict[str, int]:
    """Groups of ranked queries that would be tested, under each protocol."""
    usable = ranked.filter((pl.col("state") == RANKED) & pl.col("split").is_in(_STUDIED))
    total = usable["group_id"].n_unique()
    crossfit = {"crossfit": total}
    if params.splits.protocol == "holdout":
        tested = usable.filter(pl.col("split") == "test")["group_id"].n_unique()
        return {"holdout": tested, **crossfit}
    shares = params.splits.shares
    both = shares.get("dev", 0.0) + shares.get("test", 0.0)
    return {"holdout": round(total * shares.get("test", 0.0) / both), **crossfit}


_STUDIED = sorted({side for sides in SIDES.values() for side in sides})


def _detectable(
    protocol: str, groups: int, spread: Spread, alpha: float, params: Params
) -> Finding:
    chosen = protocol == params.splits.protocol
    asked = _asked(params)
    if groups < GROUPS:
        text = f"{groups} groups are tested; an interval gate needs {GROUPS} to pass"
        return Finding("warning" if chosen else "fact", f"{protocol}: {text}")
    effect = smallest_detectable(spread.deviation / math.sqrt(groups), groups, alpha)
    seen = "not known" if effect is None else f"{asked + effect:.4f}"
    text = (
        f"{protocol}: with {groups} groups at level {alpha:.4g} a true difference of {seen} passes"
        f" the limit {asked:g} in 80 % of studies ({spread.source})"
    )
    return Finding("fact", text)


def _asked(params: Params) -> float:
    primary = params.decision.primary
    return primary.margin if params.question == "improve" else -primary.tolerance


def _unresolvable(
    ranked: pl.DataFrame,
    values: Mapping[str, pl.DataFrame],
    splits: Splits,
    alpha: float,
    params: Params,
) -> Iterator[Finding]:
    """Baselines so strong on dev that not even the best system could exceed the limit."""
    for name, rows in values.items():
        known = rows.join(ranked, on="query_id", how="semi")
        if name == SELECTED or known.is_empty():
            continue
        best = highest_low(known, splits.splits.select("query_id", "group_id"), alpha)
        if best is not None and best <= _asked(params):
            text = (
                f"unresolvable against {name} on dev's queries: even the best result imaginable "
                f"would prove a gain of no more than {best:.4f}, and more than "
                f"{_asked(params):g} is asked for"
            )
            yield Finding("warning", text)
