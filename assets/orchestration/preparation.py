"""What an unattended run needs before `dvc repro`: sides for new queries, times where asked."""

from assets.folder import StudyFolder
from assets.processes import dvc
from assets.records import assign_new_queries
from assets.timing import lacks_times, measure_times

# Times may bar a slow branch, and the next selection is then another one, to be timed again.
ROUNDS = 2


def prepare(folder: StudyFolder) -> None:
    """Puts new query groups on sides; measures times where a latency limit has none.

    Times are of the present selection, so that is reproduced first.

    Raises:
        RankgateError: the queries cannot be split, a stage failed, or nothing can be timed.
    """
    assign_new_queries(folder)
    if folder.params.decision.latency is None:
        return
    for _ in range(ROUNDS):
        dvc(folder.root, "repro", "selection")
        if not lacks_times(folder):
            return
        measure_times(folder)
