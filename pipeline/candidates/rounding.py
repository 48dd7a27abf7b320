"""Scores rounded to six significant digits, all of a list at once."""

import numpy as np
import numpy.typing as npt

from pipeline.storage import round_significant

Reals = npt.NDArray[np.float64]

DIGITS = 6
# Powers of ten up to here are exact in 64 bits, so one division or product rounds correctly.
POWERS = np.array([float(f"1e{power}") for power in range(23)])
LOWEST, HIGHEST = 1e-16, 1e21


def six_digits(values: Reals) -> Reals:
    """`round_significant` of each, to the last bit; a negative zero becomes zero.

    A whole number of six digits and a power of ten, both exact, give the nearest float in one
    step, as reading the decimal does. Only where the digits cut off are within rounding of one
    half, and beyond the exact powers, the decimal is written and read.

    Args:
        values: any.
    """
    lengths = np.abs(values)
    plain = (lengths >= LOWEST) & (lengths < HIGHEST)
    known = np.where(plain, lengths, 1.0)
    places = DIGITS - 1 - np.floor(np.log10(known)).astype(np.int64)
    power, up = POWERS[np.abs(places)], places >= 0
    scaled = np.where(up, known * power, known / power)
    whole = np.rint(scaled)
    rounded: Reals = np.copysign(np.where(up, whole / power, whole * power), values)
    half = np.abs(scaled - np.floor(scaled) - 0.5) < 1e-6
    unsure = half | ~plain | (scaled < 10.0 ** (DIGITS - 1)) | (scaled >= 10.0**DIGITS)
    for place in np.flatnonzero(unsure).tolist():
        rounded[place] = round_significant(float(values[place]), DIGITS)
    # Adding 0.0 turns a negative zero into zero: one value, one spelling.
    return rounded + 0.0
