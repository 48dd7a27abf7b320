"""Faults, forbidden evidence, time and cost."""

from pipeline.tables.table import REAL, TEXT, WHOLE, Table

FAULTS = Table(
    "operations/faults",
    {
        "fault": TEXT,
        "system": TEXT,
        "split": TEXT,
        "measure": TEXT,
        "value": REAL,
        "delta": REAL,
        "empties": WHOLE,
        "partials": WHOLE,
        "queries": WHOLE,
        "fallbacks": WHOLE,  # answered without a branch that gave nothing to use
        "affected": WHOLE,  # queries with a list that the fault changed
        "affected_value": REAL,
        "unaffected_value": REAL,
        "unmarked": WHOLE,  # affected, and no reply says so; there must be none
        "emptied": WHOLE,  # queries that go unanswered, and are answered without the fault
        "emptied_low": REAL,  # one-sided 1 - alpha bounds of their share
        "emptied_high": REAL,
        "floor": REAL,  # the share of the measure to keep; null where none is declared
        "above": REAL,  # mean of (value - floor * value without the fault), more being better
        "above_low": REAL,  # the gate's one-sided 1 - alpha bounds
        "above_high": REAL,
        "counted_low": REAL,  # the lower bound by counting the groups that lose
        "groups": WHOLE,  # query groups compared; 0 where no floor is declared
        "moved_groups": WHOLE,  # of these, how many hold a query whose value changed
    },
    key=("fault", "system", "split", "measure"),
    nullable=frozenset(
        {
            "value",
            "delta",
            "affected_value",
            "unaffected_value",
            "emptied_low",
            "emptied_high",
            "floor",
            "above",
            "above_low",
            "above_high",
            "counted_low",
        }
    ),
)

# The fault of the rows that the others are held against.
NO_FAULT = "none"

# What its query's principal may not see at the query's date, in whatever stored list.
FORBIDDEN = Table(
    "operations/forbidden",
    {
        "list": TEXT,
        "system": TEXT,  # "" where the list belongs to no system
        "query_id": TEXT,
        "doc_id": TEXT,
        "reason": TEXT,
    },
    key=("list", "system", "query_id", "doc_id"),
)

# mode: warm, cold, recorded; callers: null where the recorded service does not tell.
# component: see `pipeline.times.components`. low and high are one-sided 1 - alpha bounds.
LATENCY = Table(
    "operations/latency",
    {
        "system": TEXT,
        "component": TEXT,
        "mode": TEXT,
        "callers": WHOLE,
        "percentile": WHOLE,
        "milliseconds": REAL,
        "low": REAL,
        "high": REAL,
        "calls": WHOLE,
    },
    key=("system", "component", "mode", "callers", "percentile"),
    nullable=frozenset({"callers", "low", "high"}),
)

# The system's percentile over the baseline's, in calls of one run of `rankgate time`, or of
# recorded milliseconds (without bounds): never one of each.
LATENCY_RATIOS = Table(
    "operations/latency_ratios",
    {
        "system": TEXT,
        "baseline": TEXT,
        "component": TEXT,
        "mode": TEXT,
        "callers": WHOLE,
        "percentile": WHOLE,
        "ratio": REAL,
        "low": REAL,
        "high": REAL,
        "calls": WHOLE,
    },
    key=("system", "baseline", "mode", "callers", "percentile"),
    nullable=frozenset({"callers", "low", "high"}),
)

# quantity: requests, requests:BRANCH, candidates, documents, context_tokens; value: per query.
# source: record (counted by `rankgate time`) or lists (of the stored lists of all queries).
COST = Table(
    "operations/cost",
    {"system": TEXT, "quantity": TEXT, "source": TEXT, "value": REAL, "queries": WHOLE},
    key=("system", "quantity", "source"),
)

# The selected fusion with its branches cut to a depth. p50 and p95: warm, one caller, end to end.
DEPTHS = Table(
    "operations/depths",
    {
        "depth": WHOLE,
        "split": TEXT,
        "measure": TEXT,
        "value": REAL,
        "delta": REAL,
        "candidates": REAL,
        "calls": WHOLE,
        "p50": REAL,
        "p95": REAL,
        "p95_low": REAL,
        "p95_high": REAL,
    },
    key=("depth", "split", "measure"),
    nullable=frozenset({"value", "delta", "calls", "p50", "p95", "p95_low", "p95_high"}),
)

# What recorded branches say of their own time.
# The states of the index that runs say they were answered from, and for how many queries.
RECORDED_SNAPSHOTS = Table(
    "snapshot/runs",
    {"branch": TEXT, "snapshot": TEXT, "queries": WHOLE},
    key=("branch", "snapshot"),
)

RECORDED_TIMES = Table(
    "snapshot/runs",
    {"branch": TEXT, "query_id": TEXT, "took_ms": REAL},
    key=("branch", "query_id"),
)
