"""What stands beside the comparisons: who found what, equal work, branch value, agreement."""

from pipeline.tables.table import FLAG, REAL, TEXT, WHOLE, Table

# found_by: the branches that hold it, joined by "+"; "none" where no branch does.
COMPLEMENTARITY = Table(
    "evaluation/complementarity",
    {"split": TEXT, "slice": TEXT, "found_by": TEXT, "queries": WHOLE, "evidence": WHOLE},
    key=("split", "slice", "found_by"),
)

# The slices shown on each open side, with their ranked queries.
SLICE_MEMBERS = Table(
    "evaluation/slices",
    {"split": TEXT, "slice": TEXT, "query_id": TEXT, "derived": FLAG},
    key=("split", "slice", "query_id"),
)

# Unjudged evidence at its best or worst for the selected configuration. any: the t interval's least
# L and greatest U over all assignments of grades, without a delta; tried: the gate's over a few.
BOUNDS = Table(
    "evaluation/bounds",
    {
        "baseline": TEXT,
        "split": TEXT,
        "measure": TEXT,
        "view": TEXT,  # non_relevant, condensed, worst, best, any, tried, plausible
        "delta": REAL,
        "low": REAL,
        "high": REAL,
        "exact": FLAG,
        "joining": WHOLE,  # any, tried: queries outside the mean that grades could bring into it
    },
    key=("baseline", "split", "measure", "view"),
    nullable=frozenset({"delta", "low", "high"}),
)

# kind: cut (the selected fusion at depths that one branch has, against each branch), summed and
# other (against each branch at the sum of the fused depths, and at each other branch's).
# reranked_…: the same, all that is fetched in a recorded reranker's order.
# measure: the primary one, or R, of all that is fetched. fetched: what the fusion asks for.
EQUAL_WORKS = Table(
    "evaluation/equal_work",
    {
        "kind": TEXT,
        "system": TEXT,
        "baseline": TEXT,
        "split": TEXT,
        "measure": TEXT,
        "depth": WHOLE,  # the baseline's
        "fetched": WHOLE,
        "ours": REAL,
        "theirs": REAL,
        "delta": REAL,
        "low": REAL,
        "high": REAL,
        "queries": WHOLE,
        "groups": WHOLE,
        "nonzero_groups": WHOLE,
        "standard_error": REAL,
        "missing": TEXT,  # why there are no values
    },
    key=("kind", "system", "baseline", "split", "measure", "depth"),
    nullable=frozenset({"ours", "theirs", "delta", "low", "high", "standard_error", "missing"}),
)

# What each branch brings: relevant evidence that it alone holds within the depth it is fused to,
# queries with relevant evidence of which no other branch holds any, and what the selected
# configuration loses of the primary measure without it.
BRANCH_VALUE = Table(
    "evaluation/branch_value",
    {
        "split": TEXT,
        "slice": TEXT,  # "" is all queries
        "branch": TEXT,
        "evidence": WHOLE,  # held by it
        "unique_evidence": WHOLE,
        "unique_queries": WHOLE,
        "delta": REAL,
        "low": REAL,
        "high": REAL,
        "queries": WHOLE,
        "groups": WHOLE,
    },
    key=("split", "slice", "branch"),
    nullable=frozenset({"delta", "low", "high"}),
)

# Where agreement costs: ranked queries on which fusion pushes a branch's first place out of the
# primary cutoff, below something that several branches hold and none holds first.
AGREEMENT = Table(
    "evaluation/agreement",
    {
        "split": TEXT,
        "branch": TEXT,
        "queries": WHOLE,  # with a first place
        "pushed_out": WHOLE,
        "relevant": WHOLE,  # of those pushed out
        "not_relevant": WHOLE,
        "unjudged": WHOLE,
    },
    key=("split", "branch"),
)
