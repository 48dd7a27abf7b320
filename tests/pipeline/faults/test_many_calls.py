"""A million calls with random faults, through what decides and fuses in a study."""

import sys
from collections import Counter

import numpy as np
import polars as pl
import pytest

from pipeline.acceptance import accept
from pipeline.acceptance.replies import LIST
from pipeline.operations.answering import answer, out_of_order, unanswered
from pipeline.operations.shares import Share
from pipeline.operations.striking import OUT
from pipeline.serving import PARTIAL
from tests.pipeline.faults.simulated import (
    CONFIGURATION,
    FUSION,
    TENANTS,
    Calls,
    known_service,
    make_calls,
    slowly,
)

CALLS, BATCH = 1_000_000, 100_000


def answered(calls: Calls):
    accepted = accept(calls.replies, calls.known)
    asked = calls.known.group.select("query_id").sort("query_id")
    share = Share(CONFIGURATION, asked)
    out = accepted.states.filter(pl.col("status").is_in(OUT)).select(LIST)
    return accepted, share, answer([share], accepted.lists, out, FUSION)


def forbidden(run: pl.DataFrame) -> int:
    """Told from the ids themselves: their owner, and who asks in turn."""
    asks = pl.col("query_id").str.slice(1).cast(pl.Int64) % len(TENANTS)
    tenant = asks.replace_strict(dict(enumerate(one or "nobody" for one in TENANTS)))
    owner = pl.col("doc_id").str.split("-").list.first()
    return run.filter((owner != "open") & (owner != tenant)).height


def unmarked(calls: Calls, accepted) -> int:
    """Calls whose list is another than that of the healthy branch, and nothing says so."""
    place = [*LIST, "rank", "doc_id"]
    was, now = calls.healthy.lists.select(place), accepted.lists.select(place)
    moved = pl.concat([was.join(now, on=place, how="anti"), now.join(was, on=place, how="anti")])
    silent = accepted.states.filter(pl.col("mark").is_null())
    return moved.join(silent, on=LIST, how="semi").height


def look(calls: Calls) -> Counter[str]:
    accepted, share, run = answered(calls)
    alone, wrong = out_of_order([share], accepted.lists, run, FUSION)
    partial = accepted.states.filter(pl.col("status").is_in(sorted(PARTIAL)))
    found = run["query_id"].n_unique()
    return Counter(
        calls=share.queries.height,
        answered=found,
        empty=share.queries.join(run, on="query_id", how="anti").height,
        partial=partial["query_id"].n_unique(),
        from_one_branch=alone,
        out_of_its_order=len(wrong),
        lost=len(unanswered([share], accepted.lists, run)),
        forbidden=forbidden(run),
        unmarked=unmarked(calls, accepted),
        **{f"mark {name}": n for name, n in accepted.states["mark"].value_counts().rows() if name},
    )


@pytest.mark.slow
def test_a_million_calls_lose_nothing_show_nothing_forbidden_and_hide_nothing(capsys):
    known = known_service(BATCH)
    rng = np.random.default_rng(20260)
    total: Counter[str] = Counter()
    for _ in range(CALLS // BATCH):
        total += look(make_calls(known, rng))
    with capsys.disabled():
        sys.stdout.write(f"\n{dict(sorted(total.items()))}\n")
    assert total["calls"] == total["answered"] + total["empty"] == CALLS
    bad = ("lost", "forbidden", "unmarked", "out_of_its_order")
    assert {name: total[name] for name in bad} == dict.fromkeys(bad, 0)
    assert min(total["partial"], total["from_one_branch"], total["empty"]) > 10_000


def test_calls_are_answered_as_one_by_one_in_plain_python():
    calls = make_calls(known_service(600), np.random.default_rng(1))
    accepted, _, run = answered(calls)
    names = calls.known.group["query_id"].sort().to_list()
    lists = dict(run.sort("query_id", "rank").group_by("query_id").agg("doc_id").rows())
    used = set(accepted.lists.select(LIST).unique().rows())
    for name, expected, branches in slowly(calls, names):
        assert lists.get(name, []) == expected
        assert {branch: (branch, name) in used for branch in branches} == branches


@pytest.mark.parametrize("broken", ["forbidden", "stale", "unknown"])
def test_what_is_looked_for_would_be_found(broken, monkeypatch):
    """A service that does not look at one thing is caught by the same counting."""
    from pipeline.acceptance import accepting

    tests = accepting._tests

    def blind(known):
        names = list(accepting.MARKS)
        return [
            test if name != broken else pl.lit(None, pl.String())
            for name, test in zip(names, tests(known), strict=True)
        ]

    monkeypatch.setattr(accepting, "_tests", blind)
    found = look(make_calls(known_service(600), np.random.default_rng(1)))
    assert bool(found["forbidden"]) == (broken == "forbidden")
