"""Which listed documents no command may show: what leaves a study is cleared first."""

import polars as pl

from assets.artifacts import stored
from assets.folder import StudyFolder
from pipeline.clearance import AGAIN, cleared
from pipeline.eligibility import is_restricted
from pipeline.errors import ContractError
from pipeline.forbidden import ROW, forbidden

PAIR = ("query_id", "doc_id")


def refused_pairs(folder: StudyFolder, runs: pl.DataFrame) -> pl.DataFrame:
    """The documents of stored lists that must not be shown beside their query.

    What operations found, in whatever list; and what the snapshot's own rules forbid now, should
    they have been read again since.

    Args:
        folder: a study whose operations are there.
        runs: RUNS, as stored.

    Returns:
        query_id, doc_id; each pair once, sorted.

    Raises:
        ContractError: these are not the lists that operations audited.
        MissingError: operations did not run yet.
    """
    authorization = stored(folder, "authorization")
    found: pl.DataFrame = stored(folder, "forbidden")
    documents: pl.DataFrame = stored(folder, "documents")
    if is_restricted(documents) and not authorization["applies"]:
        raise ContractError(
            "lists that operations did not clear",
            where="operations/authorization.json",
            found="a collection that restricted nothing",
            expected="an audit of these documents",
            next_command=AGAIN,
        )
    cleared(runs, authorization, found)
    now = forbidden(runs.select(ROW), documents, stored(folder, "queries"))
    return pl.concat([found.select(PAIR), now.select(PAIR)]).unique().sort(PAIR)
