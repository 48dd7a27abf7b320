"""Numbers as a reader meets them: four places, a sign where a difference is meant."""

from pipeline.report.blocks import Cell, Tone

MISSING = "–"


def value(number: float | None, places: int = 4) -> str:
    """A figure, or a dash where there is none."""
    return MISSING if number is None else f"{_unsigned_zero(number, places):.{places}f}"


def signed(number: float | None, places: int = 4) -> str:
    """A difference; zero has no sign."""
    if number is None:
        return MISSING
    rounded = _unsigned_zero(number, places)
    return f"{rounded:+.{places}f}" if rounded else f"{0:.{places}f}"


def share(part: float, whole: float) -> str:
    """A part of a whole in per cent, or a dash of nothing."""
    return f"{part / whole:.1%}" if whole else MISSING


def p_value(number: float | None) -> str:
    """A p-value; very small ones are only said to be so."""
    if number is None:
        return MISSING
    return "< 0.0001" if number < 0.0001 else f"{number:.4f}"


def count(number: int, one: str, many: str | None = None) -> str:
    """`1 query`, `2 queries`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def cell(text: str | int, tone: Tone = "") -> Cell:
    """A cell aligned as a number."""
    return Cell(f"{text:,}" if isinstance(text, int) else text, tone, number=True)


def difference(number: float | None, *, better: bool = True) -> Cell:
    """A signed cell whose tone says gain or loss.

    Args:
        number: the difference.
        better: whether more of it is a gain.
    """
    text = signed(number)
    if number is None or not text.startswith(("+", "-")):
        return cell(text)
    return cell(text, "good" if text.startswith("+") == better else "bad")


def _unsigned_zero(number: float, places: int) -> float:
    return round(number, places) + 0.0
