"""Holm's correction, for tables that people read."""

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """p values adjusted for being looked at together.

    The i-th smallest of m is multiplied by m − i + 1, none falls below a smaller one's, none
    exceeds 1 (Holm 1979).

    Args:
        p_values: of one family; None (no p value) takes no part.

    Returns:
        Adjusted values, in the order given; None stays None.
    """
    adjusted: list[float | None] = [None] * len(p_values)
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    highest = 0.0
    for step, (p, place) in enumerate(known):
        highest = max(highest, min(1.0, p * (len(known) - step)))
        adjusted[place] = highest
    return adjusted
