"""The fused order from scores: one integer key per item, sorted; exact ties by the contract."""

import numpy as np

from pipeline.sweep.arrays import Reals, Wholes

LAST = np.int64(np.iinfo(np.int64).max)


def fused_order(scores: Reals, returned: Wholes, depth: int) -> Wholes:
    """The columns of each row's items, highest score first, equal scores by column.

    A key holds a score's leading bits, turned so that higher scores sort first, and in place of
    its last bits the column. Where the lost bits would have decided, the row is sorted again by
    its whole scores.

    Args:
        scores: (queries, columns), finite.
        returned: (queries,), how many leading columns hold items; they come first.
        depth: how many are wanted.

    Returns:
        (queries, at most depth) columns; past a row's last item, empty cells in any order.
    """
    columns = scores.shape[1]
    if not columns:
        return np.zeros(scores.shape, dtype=np.int64)
    there = np.arange(columns) < returned[:, None]
    scores = np.where(there, scores + 0.0, -np.inf)  # + 0.0: -0.0 and 0.0 are one score
    tail = np.int64((1 << (columns - 1).bit_length()) - 1)
    bits = scores.view(np.int64)
    keys = ~(bits ^ ((bits >> 63) & LAST)) & ~tail
    keys |= np.arange(columns)
    keys.sort(axis=1)
    order: Wholes = keys & tail
    ranked = scores.take(order + _row_starts(scores))
    wrong = (ranked[:, 1:] > ranked[:, :-1]).any(axis=1)
    if wrong.any():
        order[wrong] = np.argsort(-scores[wrong], axis=1, kind="stable")
    return order[:, :depth]


def _row_starts(scores: Reals) -> Wholes:
    starts: Wholes = np.arange(len(scores))[:, None] * scores.shape[1]
    return starts
