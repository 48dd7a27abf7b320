"""The grid and what each of its points is worth on dev."""

from pipeline.tables.table import FLAG, REAL, TEXT, WHOLE, Table

CONFIGURATIONS = Table(
    "sweep/configurations",
    {"configuration": TEXT, "method": TEXT, "rank_constant": REAL},
    key=("configuration",),
    nullable=frozenset({"rank_constant"}),
    wide={"weight": REAL, "depth": WHOLE},
)

# recall: share of a query's relevant evidence that the fused branches hold together at this depth.
# Empty where one depth is declared, or all of them are in the grid.
DEPTH_RECALL = Table(
    "sweep/depth_recall",
    {"depth": WHOLE, "query_id": TEXT, "recall": REAL},
    key=("depth", "query_id"),
)

# Which configurations belong to which grid: declared, convex (a tuned comparator), branches;
# under mode search declared:depth-D at a depth that bootstrap samples of dev would have chosen.
GRIDS = Table(
    "sweep/grids",
    {"grid": TEXT, "configuration": TEXT},
    key=("grid", "configuration"),
)

RESULTS = Table(
    "sweep/results",
    {
        "configuration": TEXT,
        "measure": TEXT,
        "value": REAL,
        "delta_to_best": REAL,
        "standard_error": REAL,
        "tied": FLAG,
    },
    key=("configuration", "measure"),
    nullable=frozenset({"value", "delta_to_best", "standard_error"}),
)

SWEEP_PER_QUERY = Table(
    "sweep/per_query",
    {"configuration": TEXT, "query_id": TEXT, "measure": TEXT, "value": REAL},
    key=("configuration", "query_id", "measure"),
    nullable=frozenset({"value"}),
)
