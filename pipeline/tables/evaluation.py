"""Systems, their lists, their values and how they compare."""

from pipeline.tables.table import REAL, TEXT, WHOLE, Table

RUNS = Table(
    "evaluation/runs",
    {
        "system": TEXT,
        "query_id": TEXT,
        "rank": WHOLE,
        "doc_id": TEXT,
        "evidence_id": TEXT,
        "score": REAL,
    },
    key=("system", "query_id", "rank"),
    nullable=frozenset({"score"}),
)

SYSTEMS = Table(
    "evaluation/systems",
    {
        "system": TEXT,
        "role": TEXT,
        "split": TEXT,
        "measure": TEXT,
        "value": REAL,
        "low": REAL,
        "high": REAL,
        "queries": WHOLE,
        "groups": WHOLE,
        "tied_queries": WHOLE,  # queries whose value hangs on the order of items of equal score
        "tied_low": REAL,  # the least value over the orders of tied items
        "tied_high": REAL,
    },
    key=("system", "split", "measure"),
    nullable=frozenset({"value", "low", "high", "tied_queries", "tied_low", "tied_high"}),
)

PER_QUERY = Table(
    "evaluation/per_query",
    {"system": TEXT, "split": TEXT, "query_id": TEXT, "measure": TEXT, "value": REAL},
    key=("system", "split", "query_id", "measure"),
    nullable=frozenset({"value"}),
)

# Families of tests that are corrected together: all queries and the slices that somebody declared,
# and the slices that were derived from the queries.
FAMILIES = ("declared", "derived")

# What is shown beside a gate's interval, and decides nothing.
BESIDE_INTERVAL = (
    "percentile_low",
    "percentile_high",
    "bca_low",
    "bca_high",
    "largest_group",
    "design_effect",
    "without_one_low",
    "without_one_high",
)

COMPARISONS = Table(
    "evaluation/comparisons",
    {
        "system": TEXT,
        "baseline": TEXT,
        "split": TEXT,
        "slice": TEXT,  # "" is all queries
        "measure": TEXT,
        "delta": REAL,
        "low": REAL,
        "high": REAL,
        "p": REAL,
        "p_holm": REAL,
        "wins": WHOLE,
        "losses": WHOLE,
        "ties": WHOLE,
        "queries": WHOLE,
        "groups": WHOLE,
        "detectable": REAL,
        "standard_error": REAL,
        "nonzero_groups": WHOLE,
        "t_low": REAL,
        "t_high": REAL,
        "boot_low": REAL,  # bootstrap-t
        "boot_high": REAL,
        "percentile_low": REAL,
        "percentile_high": REAL,
        "bca_low": REAL,
        "bca_high": REAL,
        "largest_group": REAL,  # its share of the queries
        "design_effect": REAL,
        "without_one_low": REAL,  # the least delta without one of the groups
        "without_one_high": REAL,
        "highest_low": REAL,  # the highest L of a gain that any outcome could reach
        "p_paired": REAL,  # exact paired test of shares; null where the measure is none
        "family": TEXT,  # of p_holm, within split and measure: declared, derived
        "family_tests": WHOLE,  # p values in it
    },
    key=("system", "baseline", "split", "slice", "measure"),
    nullable=frozenset(
        {
            "delta",
            "low",
            "high",
            "p",
            "p_holm",
            "detectable",
            "standard_error",
            "t_low",
            "t_high",
            "boot_low",
            "boot_high",
            *BESIDE_INTERVAL,
            "highest_low",
            "p_paired",
        }
    ),
)
