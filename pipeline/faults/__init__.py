"""Faults injected into branches' replies, each in a file of its own; see `INJECTED`."""

from collections.abc import Mapping

from pipeline.faults.dropout import DROPOUT
from pipeline.faults.duplicates import DUPLICATES
from pipeline.faults.empty import EMPTY
from pipeline.faults.error import ERROR
from pipeline.faults.fault import Fault, Hit, inject
from pipeline.faults.filter_empties import FILTER_EMPTIES
from pipeline.faults.filter_ignored import FILTER_IGNORED
from pipeline.faults.intermittent import INTERMITTENT
from pipeline.faults.slow import SLOW
from pipeline.faults.stale import STALE
from pipeline.faults.truncated import TRUNCATED
from pipeline.faults.wrong_order import WRONG_ORDER

__all__ = ["INJECTED", "Fault", "Hit", "in_words", "inject"]

INJECTED: Mapping[str, Fault] = {
    "dropout": DROPOUT,
    "slow": SLOW,
    "intermittent": INTERMITTENT,
    "error": ERROR,
    "empty": EMPTY,
    "truncated": TRUNCATED,
    "duplicates": DUPLICATES,
    "stale": STALE,
    "wrong_order": WRONG_ORDER,
    "filter_empties": FILTER_EMPTIES,
    "filter_ignored": FILTER_IGNORED,
}


def in_words(fault: str) -> str:
    """A fault of the table FAULTS in a few words: `slow:bm25` is "bm25 slower than its budget"."""
    name, _, branches = fault.partition(":")
    if name not in INJECTED:
        return fault
    return INJECTED[name].words.format(" and ".join(branches.split("+")))
