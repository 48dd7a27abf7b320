"""What a person reads of an import: what came, what was left behind, what is declared."""

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from pipeline.collection import ImportReport
from pipeline.collection.declared import Declared
from pipeline.errors import first_three
from pipeline.manifest import manifest_of
from pipeline.params import CollectionParams

# Names of files that may hold judgments, gzipped or not.
LIKELY = re.compile(r"(?i)(?:^|/)qrels[^/]*$|\.(?:qrels|tsv|csv)(?:\.gz)?$")
UNSEEN = "ids_alike"  # differ by what nobody sees, so that they are spelt out
# What a manifest notices that a person importing should know.
NOTICED = {
    "text_twins": "clusters of documents with the same text and different evidence",
    UNSEEN: "ids that differ from another only by blanks or Unicode normal form (never joined)",
    "judged_evidence_without_document": "judged evidence without a document (kept)",
    "judged_queries_unknown": "judged queries that are not among the queries",
    "superseded_by_unknown": "superseding documents that are not in the corpus",
    "required_evidence_unknown": "required evidence that is not in the corpus",
}
ORIGINS = {
    "said": "as you say",
    "source": "as the source declares",
    "occurs": "the grades that occur",
    "default": "the default",
}


def told(report: ImportReport) -> Iterator[str]:
    """What was read, what was left behind and why, what is declared."""
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in report.counts.items())
    yield f"{report.path}: {counts}"
    for reason, count in report.dropped.items():
        ids = report.listed.get(reason, [])
        yield f"left behind: {count} {reason}" + (f": {first_three(ids)}" if ids else "")
    if report.unread:
        yield f"not read: {first_three(report.unread)}"
    yield from (f"note: {note}" for note in report.notes)
    yield _declared(report.declared)


def lacking(report: ImportReport, folder: Path) -> Iterator[str]:
    """Where no judgments were found: the unread file that looks like some, and how to take it.

    Args:
        report: what the import did.
        folder: the one it read.
    """
    if not report.collection.judgments.is_empty():
        return
    likely = [name for name in report.unread if LIKELY.search(name)]
    # Named as judgments before what only has the ending of a table.
    likely.sort(key=lambda name: (not Path(name).name.lower().startswith("qrels"), name))
    found = f"; {likely[0]} looks like some" if likely else ""
    given = f"--judgments {folder / likely[0]}" if likely else "--judgments PATH"
    again = f"to take them remove {report.path} and import again with {given}"
    yield f"note: no judgments were found{found}: {again}"


def _declared(declared: Declared) -> str:
    low, high = declared.scale
    values = {"regime": declared.regime, "scale": f"{low} {high}", "rel": str(declared.rel)}
    said = [f"{name} {value} ({ORIGINS[declared.origin[name]]})" for name, value in values.items()]
    said += [f"grade {foreign} is {ours}" for foreign, ours in sorted(declared.grades.items())]
    unsaid = [f"--{name}" for name in values if declared.origin[name] != "said"]
    return f"declared: {', '.join(said)}" + (f"; else {', '.join(unsaid)}" if unsaid else "")


def declaration_flags(declared: Declared) -> str:
    """The options of `init` that say the same, where they differ from its defaults."""
    usual = CollectionParams(path=".")
    low, high = declared.scale
    flags = [f"--regime {declared.regime}"] if declared.regime != usual.regime else []
    flags += [f"--scale {low} {high}"] if declared.scale != usual.scale else []
    flags += [f"--rel {declared.rel}"] if declared.rel != usual.rel else []
    flags += [f"--grade {foreign}={ours}" for foreign, ours in sorted(declared.grades.items())]
    return " ".join(flags)


def noticed(report: ImportReport) -> list[str]:
    """What is no error and worth knowing: twins, ids that dangle; the first three of each."""
    manifest = manifest_of(report.collection, report.declared.params())
    found: Mapping[str, Mapping[str, object]] = manifest["noticed"]
    return [
        f"noticed: {found[key]['count']} {words}, for instance "
        + _first(found[key]["first"], ascii if key == UNSEEN else str)
        for key, words in NOTICED.items()
        if found[key]["count"]
    ]


def _first(offenders: object, spelt: Callable[[object], str]) -> str:
    """The first three, clusters joined by `=`."""
    shown = list(offenders)[:3] if isinstance(offenders, list) else []
    clusters = [one if isinstance(one, list) else [one] for one in shown]
    return "; ".join(" = ".join(map(spelt, cluster)) for cluster in clusters)
