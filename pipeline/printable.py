"""Text as a terminal may be shown it: whoever names a query must not steer the screen."""

NO_BREAK = "\u00a0"  # ours, in intervals; a terminal shows it as the blank that it is


def printable(text: str) -> str:
    r"""The text, with every sign that a terminal would obey or hide written as its escape.

    Those are control signs (escape sequences, line ends, tabs), overrides of the direction,
    blanks that are not seen, halves of surrogate pairs: all that Python does not call printable.

    Args:
        text: one line; a line end in it becomes `\n`, so that it stays one.
    """
    if text.isprintable():
        return text
    return "".join(
        sign if sign.isprintable() or sign == NO_BREAK else _escaped(sign) for sign in text
    )


def _escaped(sign: str) -> str:
    return sign.encode("unicode_escape").decode("ascii")
