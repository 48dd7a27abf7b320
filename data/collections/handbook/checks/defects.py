"""What must not be: each function yields one sentence for each defect that it finds."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date

from checks.promises import CRITICAL_SLICES, SLICES
from checks.records import Handbook, eligible, grades_of

TENANTS = {
    tenant: frozenset(groups.split())
    for tenant, groups in {
        "ondravel": "hr finance legal leadership engineering support operations facilities field",
        "marrowick": "dispatch quality fleet office",
    }.items()
}
STOP_WORDS = {
    locale: frozenset(words.split())
    for locale, words in {
        "en": "the and is of to in for not you it a with on that",
        "de": "der die das und ist nicht ein eine mit für auf wer den im zu",
        "fr": "le la les et est des une un pour dans pas qui à du au",
        "es": "el la los y es de una un para en no que con se por",
    }.items()
}
FIELDS = {
    "documents": ("doc_id", "text", "evidence_id", "source_id", "locale", "kind"),
    "queries": ("query_id", "text", "as_of", "locale"),
}


def incomplete(handbook: Handbook) -> Iterator[str]:
    """Records without a field that every one of them has."""
    tables = {"documents": handbook.documents, "queries": handbook.queries}
    tables |= {f"judgments/{name}": rows for name, rows in handbook.rounds.items()}
    for table, rows in tables.items():
        for number, row in enumerate(rows, start=1):
            fields = FIELDS.get(table, ("query_id", "evidence_id"))
            missing = [field for field in fields if not row.get(field)]
            if missing:
                yield f"{table}.jsonl:{number}: no {', '.join(missing)}"


def repeated_ids(handbook: Handbook) -> Iterator[str]:
    """Ids, and one assessor's opinions of one pair in one round, that occur more than once."""
    keys: list[tuple[object, ...]] = [(row["doc_id"],) for row in handbook.documents]
    keys += [(row["query_id"],) for row in handbook.queries]
    keys += [
        (name, row["query_id"], row["evidence_id"], row.get("assessor"))
        for name, row in handbook.opinions()
    ]
    yield from (f"{key} occurs {count} times" for key, count in Counter(keys).items() if count > 1)


def dangling_links(handbook: Handbook) -> Iterator[str]:
    """Links and successors that lead nowhere, or back to where they start."""
    known = {row["doc_id"] for row in handbook.documents}
    for row in handbook.documents:
        targets = [link["to"] for link in row.get("links", [])]
        targets += [row["superseded_by"]] if "superseded_by" in row else []
        for target in targets:
            if target not in known or target == row["doc_id"]:
                yield f"{row['doc_id']}: leads to {target}"


def wrong_dates(handbook: Handbook) -> Iterator[str]:
    """Dates that are none, periods that end before they begin, successors that came earlier."""
    begins = {row["doc_id"]: row.get("valid_from", "") for row in handbook.documents}
    for row in [*handbook.documents, *handbook.queries]:
        for field in ("valid_from", "valid_to", "as_of"):
            if field in row and not _is_day(row[field]):
                yield f"{row.get('doc_id', row.get('query_id'))}: {field} is {row[field]}"
        if row.get("valid_from", "") >= row.get("valid_to", "9999"):
            yield f"{row['doc_id']}: from {row['valid_from']} to {row['valid_to']}"
        if begins.get(row.get("superseded_by", ""), "9999") < row.get("valid_from", ""):
            yield f"{row['doc_id']}: superseded by something older, {row['superseded_by']}"


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except (TypeError, ValueError):
        return False


def unknown_access(handbook: Handbook) -> Iterator[str]:
    """Tenants and groups that do not exist, and groups without a tenant."""
    for row in [*handbook.documents, *handbook.queries]:
        groups = TENANTS.get(row.get("tenant", ""), frozenset())
        foreign = set(row.get("groups", [])) - groups
        if foreign or ("tenant" in row and row["tenant"] not in TENANTS):
            yield f"{row.get('doc_id', row.get('query_id'))}: {row.get('tenant')} {sorted(foreign)}"


def unknown_slices(handbook: Handbook) -> Iterator[str]:
    """Slices that the recipe does not define."""
    for query in handbook.queries:
        for name in set(query.get("slices", [])) - {*CRITICAL_SLICES, *SLICES}:
            yield f"{query['query_id']}: slice {name}"


def foreign_locales(handbook: Handbook) -> Iterator[str]:
    """Longer texts whose stop words are clearly another language's than the locale says."""
    for row in [*handbook.documents, *handbook.queries]:
        words = row["text"].lower().split()
        counts = {name: sum(word in stops for word in words) for name, stops in STOP_WORDS.items()}
        own = counts.get(row["locale"], -1)
        long_enough = len(words) >= (30 if "doc_id" in row else 9) or own < 0
        if long_enough and max(counts.values()) > 1.3 * own + 1:
            likely = max(counts, key=lambda name: counts[name])
            yield f"{row.get('doc_id', row.get('query_id'))}: {row['locale']} looks like {likely}"


def malformed_judgments(handbook: Handbook) -> Iterator[str]:
    """Judgments of nothing, off the scale, or with neither a grade nor a valid status."""
    asked, carriers = handbook.asked(), handbook.carriers()
    for name, row in handbook.opinions():
        known = row["query_id"] in asked and row["evidence_id"] in carriers
        grade, status = row.get("grade"), row.get("status")
        graded = type(grade) is int and 0 <= grade <= 3 and status is None
        if not known or not (graded or (grade is None and status in ("unknown", "abstained"))):
            yield f"{name}: {row}"


def unreachable_evidence(handbook: Handbook) -> Iterator[str]:
    """Required evidence that the asker cannot get, or that its author did not grade 2 or 3."""
    carriers = handbook.carriers()
    authored = grades_of(handbook.rounds.get("author", []))
    for query in handbook.queries:
        required = query.get("required_evidence", [])
        if bool(required) != query.get("answerable", True):
            yield f"{query['query_id']}: {len(required)} required, not what answerable says"
        for evidence in required:
            if not any(eligible(document, query) for document in carriers.get(evidence, [])):
                yield f"{query['query_id']}: {evidence} is not retrievable by its principal"
            if max(authored.get((query["query_id"], evidence), [0])) < 2:
                yield f"{query['query_id']}: {evidence} has no author's grade of 2 or 3"


def answered_unanswerables(handbook: Handbook) -> Iterator[str]:
    """Unanswerable queries with a grade of 2 or more; a page that only helps (1) is no answer."""
    unanswerable = {row["query_id"] for row in handbook.queries if not row.get("answerable", True)}
    for name, row in handbook.opinions():
        if row["query_id"] in unanswerable and (row.get("grade") or 0) >= 2:
            yield f"{name}: {row['query_id']} {row['evidence_id']} has grade {row['grade']}"


DEFECTS: tuple[Callable[[Handbook], Iterator[str]], ...] = (
    repeated_ids,
    dangling_links,
    wrong_dates,
    unknown_access,
    unknown_slices,
    foreign_locales,
    malformed_judgments,
    unreachable_evidence,
    answered_unanswerables,
)
