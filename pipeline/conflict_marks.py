"""What git writes into a file where two sides of a merge contradict each other."""

MARKS = (b"<<<<<<< ", b"||||||| ", b">>>>>>> ")
PARTING = b"======="
FOUND = "a mark that git left of a conflict"


def is_mark(line: bytes) -> bool:
    """Whether a line, without its end, is such a mark and nothing else."""
    return line.startswith(MARKS) or line.rstrip(b"\r") == PARTING


def first_mark(content: bytes) -> int | None:
    """The number of the line, from 1, where the first conflict begins; None without any."""
    lines = enumerate(content.split(b"\n"), start=1)
    return next((number for number, line in lines if line.startswith(MARKS[0])), None)
