"""What the data card promises, counted."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from statistics import fmean as mean

from checks.records import Handbook, Row, eligible, grades_of, pair_of, query_groups

READ_WHOLE = ("author", "pool")  # triage saw openings only, deep titles only
CRITICAL_SLICES = ("exact_identifier", "paraphrase")
SLICES = (
    "acronym",
    "negation",
    "multi_evidence",
    "freshness",
    "numeric",
    "locale_de",
    "locale_fr",
    "locale_es",
    "cross_lingual",
    "access_scope",
    "lookalike_tenant",
    "ambiguous_entity",
    "unanswerable",
    "conversation",
    "keyword",
    "typo",
    "hard",
)


@dataclass(frozen=True, slots=True)
class Promise:
    """What the card says, what was counted, and whether it is enough."""

    name: str
    figure: str
    kept: bool


def sizes(handbook: Handbook) -> list[Promise]:
    """How much there is of everything."""
    documents, queries = handbook.documents, handbook.queries
    superseded = sum("superseded_by" in row for row in documents)
    return [
        _at_least("passages", len(documents), 1000),
        _at_least("superseded passages", superseded, 40),
        _at_least("republished copies", len(documents) - len(handbook.carriers()), 50),
        _at_least("queries", len(queries), 600),
        _at_least("queries with variants", sum("variants" in row for row in queries), 60),
        _at_least("tenants", len({row["tenant"] for row in documents if "tenant" in row}), 2),
        _at_least("public passages", sum("tenant" not in row for row in documents), 100),
        _at_least("locales of passages", len({row["locale"] for row in documents}), 4),
        _at_least("locales of queries", len({row["locale"] for row in queries}), 4),
    ]


def grouping(handbook: Handbook) -> list[Promise]:
    """How many groups of queries there are, and how large the largest is."""
    members = Counter(query_groups(handbook).values())
    share = max(members.values()) / len(handbook.queries)
    return [
        _at_least("query groups", len(members), 200),
        Promise("share of the largest group", f"{share:.2%} (under 5 %)", share < 0.05),
    ]


def slices(handbook: Handbook) -> list[Promise]:
    """Groups of each critical slice, queries of every other one."""
    group = query_groups(handbook)
    found: dict[str, list[str]] = defaultdict(list)
    for query in handbook.queries:
        for name in query.get("slices", []):
            found[name].append(query["query_id"])
    critical = [
        _at_least(f"groups of {name}", len({group[query] for query in found[name]}), 120)
        for name in CRITICAL_SLICES
    ]
    return critical + [_at_least(f"queries of {name}", len(found[name]), 20) for name in SLICES]


def recurrence(handbook: Handbook) -> list[Promise]:
    """Share of the runs of eight words, names and numbers masked, that other evidence has too."""
    texts = {
        evidence: max((row["text"] for row in rows), key=len)
        for evidence, rows in handbook.carriers().items()
    }
    runs = [run for text in texts.values() for run in _runs(text, handbook.names)]
    recurring = sum(count for count in Counter(runs).values() if count > 1)
    share = recurring / max(1, len(runs))
    figure = f"{share:.2%} of {len(runs):,} (under 1 %)"
    return [Promise("8-word runs that recur across evidence", figure, share < 0.01)]


def _runs(text: str, names: frozenset[str]) -> set[tuple[str, ...]]:
    words = re.findall(r"\w+(?:[-'’.,:/]\w+)*", text.lower())
    masked = [
        "#" if any(letter.isdigit() for letter in word) else "@" if word in names else word
        for word in words
    ]
    return {tuple(masked[start : start + 8]) for start in range(len(masked) - 7)}


def visibility(handbook: Handbook) -> list[Promise]:
    """How many judgments are of evidence that the asker may not see."""
    asked, carriers = handbook.asked(), handbook.carriers()
    hidden = sum(
        not any(eligible(document, asked[query_id]) for document in carriers[evidence_id])
        for query_id, evidence_id in (pair_of(row) for _, row in handbook.opinions())
        if query_id in asked and evidence_id in carriers
    )
    return [Promise("judgments of invisible evidence", f"{hidden} (none)", hidden == 0)]


def statuses(handbook: Handbook) -> list[Promise]:
    """Shares of unknown and abstained over the pairs of all rounds, and of the second round."""
    opinions = [row for _, row in handbook.opinions()]
    pairs = {pair_of(row) for row in opinions}
    open_ones = len(pairs - {pair_of(row) for row in opinions if row.get("grade") is not None})
    counted = Counter(row.get("status") for row in opinions)
    second = {pair_of(row) for row in handbook.rounds.get("second", [])}
    read = {pair_of(row) for name, row in handbook.opinions() if name in READ_WHOLE}
    return [
        Promise("pairs that nobody graded", f"{open_ones:,} of {len(pairs):,}", kept=True),
        _unknown(counted["unknown"], len(opinions)),
        _share("abstained", counted["abstained"], len(opinions), 0.01),
        _share("pairs judged again in the second round", len(second & read), len(read), 0.20),
    ]


def agreement(one: Sequence[Row], other: Sequence[Row]) -> tuple[int, float, float] | None:
    """Pairs graded in both rounds, exact share, and kappa with quadratic weights.

    kappa = 1 - E[(a - b)^2] / E'[(a - b)^2], where E' takes a and b independently (Cohen 1968).
    """
    left, right = grades_of(one), grades_of(other)
    both = [grades for pair in left.keys() & right for grades in product(left[pair], right[pair])]
    if not both:
        return None
    observed = mean((a - b) ** 2 for a, b in both)
    ones, others = Counter(a for a, _ in both), Counter(b for _, b in both)
    apart = sum((a - b) ** 2 * ones[a] * others[b] for a, b in product(ones, others))
    exact = mean(a == b for a, b in both)
    return len(both), exact, 1 - observed * len(both) ** 2 / apart if apart else 1.0


def agreements(handbook: Handbook) -> list[Promise]:
    """Agreement of each two rounds, low or not; the second round must have something to compare."""
    told = []
    for one, other in combinations(handbook.rounds, 2):
        found = agreement(handbook.rounds[one], handbook.rounds[other])
        if found:
            count, exact, kappa = found
            figure = f"{exact:.1%} exact, weighted kappa {kappa:.3f}, {count:,} pairs"
            told.append(Promise(f"agreement of {one} and {other}", figure, kept=True))
    compared = any("second" in promise.name for promise in told)
    figure = "as above" if compared else "none"
    return [*told, Promise("agreement with the second round", figure, compared)]


def _unknown(part: int, whole: int) -> Promise:
    """The recipe aimed at 5 %; the readers found few texts that leave a grade open."""
    share = part / max(1, whole)
    return Promise("unknown", f"{share:.1%} of {whole:,} (the recipe aimed at 5%)", part > 0)


def _at_least(name: str, count: int, least: int) -> Promise:
    return Promise(name, f"{count:,} (at least {least:,})", count >= least)


def _share(name: str, part: int, whole: int, least: float) -> Promise:
    share = part / max(1, whole)
    return Promise(name, f"{share:.1%} of {whole:,} (at least {least:.0%})", share >= least)


PROMISES: tuple[Callable[[Handbook], list[Promise]], ...] = (
    sizes,
    grouping,
    slices,
    recurrence,
    visibility,
    statuses,
    agreements,
)
