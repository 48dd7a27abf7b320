"""Where evidence was lost, which judgments decide, and what a context holds."""

from pipeline.tables.table import FLAG, REAL, TEXT, WHOLE, Table

# Where each piece of wanted evidence (relevant, or required) stood on its way to the context.
# stage: corpus, filter, candidates (one row for each branch, as deep as is known), collapse (level
# source only), fusion, rerank. rank: null where it is not there. depth: how much it lets through.
TRACES = Table(
    "evaluation/traces",
    {
        "split": TEXT,
        "query_id": TEXT,
        "evidence_id": TEXT,
        "stage": TEXT,
        "branch": TEXT,  # "" but in candidates
        "rank": WHOLE,
        "depth": WHOLE,
        "kept": FLAG,
    },
    key=("split", "query_id", "evidence_id", "stage", "branch"),
    nullable=frozenset({"rank", "depth"}),
)

# Wanted evidence that the context lacks (against: ""), and evidence that a rival ranks higher on
# a query that is lost to it, each with the stage that lost it: see `LOST_AT`.
DIAGNOSIS = Table(
    "evaluation/diagnosis",
    {
        "system": TEXT,  # selected, reranked
        "against": TEXT,
        "split": TEXT,
        "query_id": TEXT,
        "evidence_id": TEXT,
        "grade": WHOLE,  # null: required, and not judged
        "lost_at": TEXT,
        "branch": TEXT,  # which of them ranks it highest, to whatever depth is known
        "depth": WHOLE,  # how deep that branch was fused; null where it takes no part
        "depth_needed": WHOLE,  # how deep it had to be; null where no branch is known to have it
        "fused_rank": WHOLE,
        "final_rank": WHOLE,
        "against_rank": WHOLE,
    },
    key=("system", "against", "split", "query_id", "evidence_id"),
    nullable=frozenset(
        {"grade", "branch", "depth", "depth_needed", "fused_rank", "final_rank", "against_rank"}
    ),
)

# In the order of the chain, judgment aside.
LOST_AT = (
    "corpus",
    "filter",
    "candidates",
    "collapse",
    "fusion",
    "rerank",
    "context",
    "judgment",
)

# A smallest set found of unjudged pairs whose judgment could turn the primary gate.
CRITICAL = Table(
    "evaluation/critical",
    {
        "split": TEXT,
        "place": WHOLE,  # from 1: with it and all before it, low is what it is
        "query_id": TEXT,
        "evidence_id": TEXT,
        "grade": WHOLE,  # the one that would turn it
        "low": REAL,  # least lower t bound of the gain on what must be beaten
        "turns": TEXT,  # pass: L would rise over the limit; from_pass: fall to it
    },
    key=("split", "query_id", "evidence_id"),
    order=("split", "place"),
)

# The primary comparisons without the judgments that one branch alone brought into the pool.
POOL_BIAS = Table(
    "evaluation/pool_bias",
    {
        "without": TEXT,  # the branch; "" with all judgments
        "baseline": TEXT,
        "split": TEXT,
        "measure": TEXT,
        "dropped": WHOLE,  # judgments
        "dropped_relevant": WHOLE,
        "delta": REAL,
        "low": REAL,
        "high": REAL,
        "queries": WHOLE,
        "groups": WHOLE,
        "nonzero_groups": WHOLE,
    },
    key=("without", "baseline", "split", "measure"),
    nullable=frozenset({"delta", "low", "high"}),
)

CONTEXTS = Table(
    "evaluation/contexts",
    {"query_id": TEXT, "rank": WHOLE, "doc_id": TEXT, "evidence_id": TEXT},
    key=("query_id", "rank"),
)
