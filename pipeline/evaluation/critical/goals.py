"""What a judgment is wanted to do: lift every L over the limit, or push one down to it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pipeline.evaluation.bounds.ratio import Reals
from pipeline.evaluation.critical.lows import Bounds

Turns = Literal["pass", "from_pass"]
Progress = Callable[[Bounds], Reals]


@dataclass(frozen=True, slots=True)
class Goal:
    """Where L is to go.

    Args:
        limit: what L is held against.
        rival: the place of the rival whose L is to fall to the limit; None: all are to exceed it.
    """

    limit: float
    rival: int | None = None

    @property
    def turns(self) -> Turns:
        """What the gate would do."""
        return "pass" if self.rival is None else "from_pass"

    def reached(self, lows: Reals) -> bool:
        """Whether these lower bounds, one for each rival, turn the gate."""
        if self.rival is None:
            return bool((lows > self.limit).all())
        return bool(lows[self.rival] <= self.limit)

    def progresses(self, start: Bounds) -> tuple[Progress, ...]:
        """Ways to tell which of many changes is the best next one.

        A first large gain widens the interval more than it lifts the mean, so that L by itself
        would never set out: the mean is a second guide.

        Args:
            start: the bounds before any change.
        """
        if self.rival is None:
            short = start.lows <= self.limit
            return self._lows_short, lambda bounds: bounds.means[..., short].sum(axis=-1)
        rival = self.rival
        return lambda bounds: -bounds.lows[..., rival], lambda bounds: -bounds.means[..., rival]

    def _lows_short(self, bounds: Bounds) -> Reals:
        short: Reals = np.minimum(bounds.lows - self.limit, 0.0)
        return np.asarray(short.sum(axis=-1), np.float64)
