"""Colours by meaning: drawn as placeholders, written as the page's own variables.

The page decides what `--gain` looks like in light, in the dark and on paper; matplotlib only
sees hexadecimal colours that stand for the names.
"""

from collections.abc import Mapping

INK, MUTED, RULE = "#0a0001", "#0a0002", "#0a0003"
GAIN, LOSS, OPEN, ACCENT = "#0a0004", "#0a0005", "#0a0006", "#0a0007"
BAND, TIED = "#0a0008", "#0a0009"
HEAT = tuple(f"#0a001{step}" for step in range(7))

VARIABLES: Mapping[str, str] = {
    INK: "--ink",
    MUTED: "--muted",
    RULE: "--rule",
    GAIN: "--good",
    LOSS: "--bad",
    OPEN: "--open",
    ACCENT: "--accent",
    BAND: "--band",
    TIED: "--tied",
    **{colour: f"--heat-{step}" for step, colour in enumerate(HEAT)},
}


def heat_step(value: float, low: float, high: float) -> int:
    """Which of the heat's steps a value is on, from 0 at `low` to the last at `high`."""
    if high <= low:
        return len(HEAT) - 1
    return min(int((value - low) / (high - low) * len(HEAT)), len(HEAT) - 1)
