"""Every table of a study: columns in order, types, key, sort order.

A table is checked once at each border: when a stage reads it and before a stage writes it.
Inside a stage frames are trusted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from pipeline.errors import ContractError, first_three

Type = pl.DataType

TEXT, WHOLE, REAL, FLAG = pl.String(), pl.Int64(), pl.Float64(), pl.Boolean()
MOMENT = pl.Datetime("us", "UTC")
TEXTS = pl.List(pl.String())
LINKS = pl.List(pl.Struct({"to": pl.String(), "kind": pl.String()}))
VARIANTS = pl.List(pl.Struct({"kind": pl.String(), "text": pl.String()}))


@dataclass(frozen=True, slots=True)
class Table:
    """One table: where it lies under `data/`, its columns, its key and its order.

    Args:
        path: path under `data/`, without suffix; `{branch}` and `{name}` are filled in.
        columns: column name to type, in the order they are written.
        key: columns that together occur once.
        order: columns it is sorted by; the key where empty.
        nullable: columns that may hold nulls.
        wide: further columns `PREFIX_…` of these prefixes follow (one per branch).
    """

    path: str
    columns: Mapping[str, Type]
    key: tuple[str, ...]
    order: tuple[str, ...] = ()
    nullable: frozenset[str] = frozenset()
    wide: Mapping[str, Type] = field(default_factory=dict)

    def empty(self) -> pl.DataFrame:
        """The table with no rows."""
        return pl.DataFrame(schema=dict(self.columns))

    def check(self, frame: pl.DataFrame, *, where: object = None) -> pl.DataFrame:
        """The frame in this table's columns, types and order.

        Returns:
            The frame, columns in order, sorted by `order` (or the key).

        Raises:
            ContractError: a column is missing or too many, a type differs, a null, NaN or
                infinite value stands where none may, or the key repeats.
        """
        place = where or self.path
        names = self._names(frame, place)
        typed = frame.select(self._cast(frame, name, place) for name in names)
        self._refuse_nulls(typed, place)
        self._refuse_unreal(typed, place)
        strict = self.key and not self.order and not self.nullable.intersection(self.key)
        if strict and rises(typed, self.key):
            return typed
        self._refuse_repeats(typed, place)
        return typed.sort(self.order or self.key, nulls_last=True, maintain_order=True)

    def _names(self, frame: pl.DataFrame, where: object) -> list[str]:
        prefixes = tuple(f"{prefix}_" for prefix in self.wide)
        extra = [c for c in frame.columns if c not in self.columns]
        strangers = [c for c in extra if not (prefixes and c.startswith(prefixes))]
        missing = [c for c in self.columns if c not in frame.columns]
        if missing or strangers:
            raise ContractError(
                "wrong columns",
                where=where,
                found=f"missing {missing}, unknown {strangers}",
                expected=", ".join(self.columns),
            )
        return [*self.columns, *extra]

    def _type(self, name: str) -> Type:
        if name in self.columns:
            return self.columns[name]
        return next(kind for prefix, kind in self.wide.items() if name.startswith(f"{prefix}_"))

    def _cast(self, frame: pl.DataFrame, name: str, where: object) -> pl.Expr:
        found, expected = frame.schema[name], self._type(name)
        numbers = found.is_numeric() and expected.is_numeric()
        if found == expected or found == pl.Null or (numbers and not found.is_float()):
            return pl.col(name).cast(expected)
        raise ContractError(
            f"column {name!r} has the wrong type", where=where, found=found, expected=expected
        )

    def _refuse_nulls(self, frame: pl.DataFrame, where: object) -> None:
        for name in self.columns:
            if name not in self.nullable and frame[name].null_count():
                raise ContractError(
                    f"column {name!r} has nulls",
                    where=where,
                    found=f"{frame[name].null_count()} of {frame.height} rows",
                    expected="a value in every row",
                )

    def _refuse_unreal(self, frame: pl.DataFrame, where: object) -> None:
        for name, kind in frame.schema.items():
            if kind.is_float() and not frame[name].is_finite().fill_null(True).all():
                raise ContractError(
                    f"column {name!r} has NaN or infinite values",
                    where=where,
                    expected="finite numbers",
                )

    def _refuse_repeats(self, frame: pl.DataFrame, where: object) -> None:
        if not self.key:
            return
        repeated = frame.filter(pl.struct(self.key).is_duplicated())
        if repeated.height:
            raise ContractError(
                f"rows repeat the key ({', '.join(self.key)})",
                where=where,
                found=first_three(repeated.select(self.key).unique(maintain_order=True).rows()),
                expected="each key once",
            )


# A document of this kind is there to be seen by nobody: wherever it turns up, a filter failed.
CANARY = "canary"


def rises(frame: pl.DataFrame, key: Sequence[str]) -> bool:
    """Whether each row's key is greater than the one before: then it is sorted, and distinct.

    What is read and written is, nearly always; hashing and sorting it costs many times more.

    Args:
        frame: any.
        key: columns without nulls.
    """
    greater, equal = pl.lit(False), pl.lit(True)
    for name in key:
        before = pl.col(name).shift(1)
        greater = greater | (equal & (pl.col(name) > before))
        equal = equal & (pl.col(name) == before)
    return bool(frame.select(greater.slice(1).all()).item())


DOCUMENTS = Table(
    "snapshot/documents",
    {
        "doc_id": TEXT,
        "evidence_id": TEXT,
        "source_id": TEXT,
        "title": TEXT,
        "text": TEXT,
        "start": WHOLE,
        "end": WHOLE,
        "tenant": TEXT,
        "groups": TEXTS,
        "valid_from": MOMENT,
        "valid_to": MOMENT,
        "superseded_by": TEXT,
        "locale": TEXT,
        "links": LINKS,
        "entities": TEXTS,
        "kind": TEXT,
    },
    key=("doc_id",),
    nullable=frozenset(
        {
            "title",
            "text",
            "start",
            "end",
            "tenant",
            "groups",
            "valid_from",
            "valid_to",
            "superseded_by",
            "locale",
            "links",
            "entities",
            "kind",
        }
    ),
)

QUERIES = Table(
    "snapshot/queries",
    {
        "query_id": TEXT,
        "text": TEXT,
        "conversation": TEXT,
        "template": TEXT,
        "entity": TEXT,
        "source_family": TEXT,
        "paraphrase_of": TEXT,
        "independent": FLAG,
        "split": TEXT,
        "slices": TEXTS,
        "tenant": TEXT,
        "groups": TEXTS,
        "as_of": MOMENT,
        "locale": TEXT,
        "required_evidence": TEXTS,
        "answerable": FLAG,
        "weight": REAL,
        "variants": VARIANTS,
    },
    key=("query_id",),
    nullable=frozenset(
        {
            "text",
            "conversation",
            "template",
            "entity",
            "source_family",
            "paraphrase_of",
            "independent",
            "split",
            "slices",
            "tenant",
            "groups",
            "as_of",
            "locale",
            "required_evidence",
            "answerable",
            "weight",
            "variants",
        }
    ),
)

# One row per assessor's opinion; status is judged (with a grade), unknown or abstained.
JUDGMENTS = Table(
    "snapshot/judgments",
    {
        "query_id": TEXT,
        "evidence_id": TEXT,
        "grade": WHOLE,
        "status": TEXT,
        "assessor": TEXT,  # "" where nobody is named
        "assessor_kind": TEXT,
        "note": TEXT,
        "round": TEXT,  # the file's name without .jsonl; "" for judgments inside queries.jsonl
        "line": WHOLE,  # in that file; decides which of one round's opinions is the latest
    },
    key=("query_id", "evidence_id", "assessor", "round"),
    nullable=frozenset({"grade", "assessor_kind", "note"}),
)

# A recorded run as it was read: position is the row in the file, rank and score as written there.
RECORDED_RUN = Table(
    "snapshot/runs/{name}",
    {"query_id": TEXT, "position": WHOLE, "rank": WHOLE, "doc_id": TEXT, "score": REAL},
    key=("query_id", "position"),
    nullable=frozenset({"rank", "score"}),
)

RECORDED_QUERIES = Table(
    "snapshot/runs/{name}.queries",
    {"query_id": TEXT, "status": TEXT, "took_ms": REAL, "snapshot": TEXT, "filters": TEXT},
    key=("query_id",),
    nullable=frozenset({"took_ms", "snapshot", "filters"}),
)

VECTORS = Table(
    "snapshot/vectors/{name}",  # NAME.documents, NAME.queries
    {"id": TEXT, "vector": pl.List(pl.Float32())},
    key=("id",),
)

SPLITS = Table(
    "splits/splits",
    {"query_id": TEXT, "group_id": TEXT, "split": TEXT, "fold": WHOLE},
    key=("query_id",),
    nullable=frozenset({"fold"}),
)

# One row per pair: the opinions of all assessors made one by the declared rule.
QRELS_COLUMNS: Mapping[str, Type] = {
    "query_id": TEXT,
    "evidence_id": TEXT,
    "grade": WHOLE,
    "status": TEXT,
}


def _qrels(path: str) -> Table:
    return Table(
        path, QRELS_COLUMNS, key=("query_id", "evidence_id"), nullable=frozenset({"grade"})
    )


DEV_JUDGMENTS = _qrels("splits/dev_judgments")
TEST_JUDGMENTS = _qrels("splits/test_judgments")

_LISTED: Mapping[str, Type] = {
    "query_id": TEXT,
    "rank": WHOLE,
    "doc_id": TEXT,
    "evidence_id": TEXT,
    "source_id": TEXT,
    "score": REAL,
}

BRANCH_CANDIDATES = Table(
    "candidates/{branch}/candidates",
    _LISTED,
    key=("query_id", "rank"),
    nullable=frozenset({"score"}),
)

BRANCH_QUERIES = Table(
    "candidates/{branch}/queries",
    {"query_id": TEXT, "status": TEXT, "returned": WHOLE, "eligible": WHOLE, "filter": TEXT},
    key=("query_id",),
    nullable=frozenset({"eligible", "filter"}),
)

# All branches' tables in one frame, as later stages read them.
CANDIDATES = Table(
    "candidates",
    {"branch": TEXT, **_LISTED},
    key=("branch", "query_id", "rank"),
    nullable=frozenset({"score"}),
)

CANDIDATE_QUERIES = Table(
    "candidates",
    {"branch": TEXT, **BRANCH_QUERIES.columns},
    key=("branch", "query_id"),
    nullable=BRANCH_QUERIES.nullable,
)

# What a branch returned when it was asked again, where `operations.probes` asks for it. Names:
# unfiltered (no filter at all), as_others (query_id's words on behalf of asked_as, itself
# included, beside canaries), canaries_unfiltered (the same without a filter: would they be found?),
# noise (beside documents that answer nothing), punctuation (the same words in quotation marks),
# repeated_identifier (rare identifiers repeated on their own pages).
_PROBED: Mapping[str, Type] = {
    "probe": TEXT,
    "query_id": TEXT,
    "asked_as": TEXT,
    "rank": WHOLE,
    "doc_id": TEXT,
}

PROBES = Table(
    "candidates/{branch}/probes",
    _PROBED,
    key=("probe", "query_id", "asked_as", "rank"),
)

BRANCH_PROBES = Table(
    "candidates",
    {"branch": TEXT, **_PROBED},
    key=("branch", *PROBES.key),
)

POOL = Table(
    "pool/pool",
    {"query_id": TEXT, "evidence_id": TEXT, "status": TEXT},
    key=("query_id", "evidence_id"),
)

POOL_STATUSES = ("judged", "unknown", "abstained", "unjudged")

# judged and returned are counts of items at that cutoff, summed over the split's queries; low and
# high are bounds of their ratio, by query group.
COVERAGE = Table(
    "pool/coverage",
    {
        "system": TEXT,
        "split": TEXT,
        "cutoff": WHOLE,
        "judged": WHOLE,
        "returned": WHOLE,
        "low": REAL,
        "high": REAL,
    },
    key=("system", "split", "cutoff"),
    nullable=frozenset({"low", "high"}),
)

COMPOSITION = Table(
    "pool/composition",
    {"kind": TEXT, "queries": WHOLE, "pairs": WHOLE, "judged": WHOLE},
    key=("kind",),
)

CONFIGURATIONS = Table(
    "sweep/configurations",
    {"configuration": TEXT, "method": TEXT, "rank_constant": REAL},
    key=("configuration",),
    nullable=frozenset({"rank_constant"}),
    wide={"weight": REAL, "depth": WHOLE},
)

# Which configurations belong to which grid: declared, convex (a tuned comparator), branches.
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
            "percentile_low",
            "percentile_high",
            "bca_low",
            "bca_high",
            "largest_group",
            "design_effect",
            "without_one_low",
            "without_one_high",
            "highest_low",
            "p_paired",
        }
    ),
)

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

# Unjudged evidence at its best or worst for the selected configuration.
BOUNDS = Table(
    "evaluation/bounds",
    {
        "baseline": TEXT,
        "split": TEXT,
        "measure": TEXT,
        "view": TEXT,  # non_relevant, condensed, worst, best, plausible
        "delta": REAL,
        "low": REAL,
        "high": REAL,
        "exact": FLAG,
    },
    key=("baseline", "split", "measure", "view"),
    nullable=frozenset({"delta", "low", "high"}),
)

# kind: cut (the selected fusion at depths that one branch has, against each branch), summed and
# other (against each branch at the sum of the fused depths, and at each other branch's).
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
# recorded milliseconds: never one of each.
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
RECORDED_TIMES = Table(
    "snapshot/runs",
    {"branch": TEXT, "query_id": TEXT, "took_ms": REAL},
    key=("branch", "query_id"),
)
