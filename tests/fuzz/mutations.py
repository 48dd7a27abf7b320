"""What happens to files: bytes flipped, cut, doubled, put in; other ends of lines; gzipped."""

import gzip
from collections.abc import Callable
from random import Random

Mutation = Callable[[Random, bytes], bytes]

# Pieces that have broken readers somewhere.
PIECES = (
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\x00", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\x1f\x8b\x08"),
    *(
        b"\r\n",
        b"\r",
        b"\n\n",
        b"\x0b",
        b"\x0c",
        b"\x85",
        b"\xe2\x80\xa8",
        b"\xc2\xa0",
        b"\t",
        b" ",
    ),
    *(b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1e999", b"1e-999", b"0x10", b"1_000", b"+1"),
    *(b"9" * 400, b"9" * 5000, b"-0", b"0.1", b"1,5", b"007", b"9007199254740993", b"true"),
    *(b"null", b"{}", b"[]", b'""', b'"', b"'", b"\\", b"\\ud800", b"\\udc00\\ud800", b"\\u0000"),
    *(b"[" * 3000, b'{"a":' * 3000, b"#", b"<", b">", b"</top>", b"<top>", b"&#xD800;", b"&amp;"),
    *(b",", b";", b"=", b":", b"|", b"2024-02-30", b"0001-01-01T00:00:00+23:59", b"x" * 70_000),
    *(b'"doc_id":', b'"query_id":', b'"grade":1,', b'"_id":', b'"text":"t",', b'"metadata":[],'),
)


def _place(random: Random, content: bytes) -> int:
    return random.randrange(len(content) + 1)


def _span(random: Random, content: bytes) -> tuple[int, int]:
    start = _place(random, content)
    return start, min(len(content), start + random.choice((1, 2, 5, 20, 100)))


def flip(random: Random, content: bytes) -> bytes:
    """One byte becomes another."""
    if not content:
        return content
    place = random.randrange(len(content))
    return content[:place] + bytes([random.randrange(256)]) + content[place + 1 :]


def insert(random: Random, content: bytes) -> bytes:
    """A piece stands somewhere."""
    place = _place(random, content)
    return content[:place] + random.choice(PIECES) + content[place:]


def replace(random: Random, content: bytes) -> bytes:
    """A piece stands instead of a few bytes."""
    start, end = _span(random, content)
    return content[:start] + random.choice(PIECES) + content[end:]


def delete(random: Random, content: bytes) -> bytes:
    """A few bytes are gone."""
    start, end = _span(random, content)
    return content[:start] + content[end:]


def double(random: Random, content: bytes) -> bytes:
    """A few bytes stand twice."""
    start, end = _span(random, content)
    return content[:end] + content[start:]


def truncate(random: Random, content: bytes) -> bytes:
    """The end is gone."""
    return content[: _place(random, content)]


def shuffle_lines(random: Random, content: bytes) -> bytes:
    """Lines in another order, some of them twice."""
    lines = content.splitlines(keepends=True)
    return b"".join(random.choices(lines, k=len(lines))) if lines else content


def line_ends(random: Random, content: bytes) -> bytes:
    """The line ends of another system."""
    return content.replace(b"\n", random.choice((b"\r\n", b"\r", b"\n\r\n")))


def mark(random: Random, content: bytes) -> bytes:
    """A byte order mark in front, of this or another encoding."""
    return random.choice((b"\xef\xbb\xbf", b"\xff\xfe", b"\xef\xbb\xbf\xef\xbb\xbf")) + content


def recode(random: Random, content: bytes) -> bytes:
    """Another encoding."""
    text = content.decode("utf-8", "replace")
    return text.encode(random.choice(("utf-16", "latin-1", "cp1252")), "replace")


def pack(random: Random, content: bytes) -> bytes:
    """Gzipped, whole or hurt."""
    packed = gzip.compress(content, mtime=0)
    hurt = random.choice((None, None, truncate, flip, delete, insert))
    return packed if hurt is None else hurt(random, packed)


MUTATIONS: tuple[Mutation, ...] = (
    *(flip, insert, replace, delete, double, flip, insert, replace, delete, double),
    *(truncate, shuffle_lines, line_ends, mark, recode, pack),
)


def mutated(random: Random, content: bytes) -> bytes:
    """The content after none to five mutations."""
    for _ in range(random.choice((0, 1, 1, 1, 2, 2, 3, 5))):
        content = random.choice(MUTATIONS)(random, content)
    return content
