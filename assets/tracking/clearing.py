"""Nothing leaves the study's folder that operations did not clear."""

from assets.results import Results
from pipeline.clearance import cleared, refuse_uncleared
from pipeline.storage import read_json

# What the pages are told beside tables of figures: documents that could name an id.
TOLD = ("decision/decision.json", "selection/selection.json", "snapshot/manifest.json")


def refuse_uncleared_results(results: Results) -> None:
    """Refuses to tell of results that operations did not clear.

    Raises:
        ContractError: the stored lists are not those that were audited, or what would be told
            names a document beside a query that may not see it.
    """
    forbidden = results.table("forbidden")
    cleared(results.table("runs"), results.read("authorization"), forbidden)
    for file in TOLD:
        content = read_json(results.folder.data / file)
        refuse_uncleared(content, forbidden, where=f"data/{file}")
    for key in results.versions:
        told = f"data/{'/'.join(key)}/summary.json"
        refuse_uncleared(results.summary(key), forbidden, where=told)
