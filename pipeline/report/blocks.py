"""What a section of the page is made of; the template knows how each is drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

Tone = Literal["", "good", "bad", "open", "muted", "chosen", "id"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table.

    Args:
        text: what stands in it; escaped when drawn.
        tone: what it says beside its words; never the only carrier of a meaning.
        number: whether it is aligned as a number.
    """

    text: str
    tone: Tone = ""
    number: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table; the first cell of each row names the row.

    Args:
        caption: what it shows.
        columns: headings.
        rows: cells, or plain text.
        note: how to read it, under it.
        folded: the caption opens it.
    """

    kind: ClassVar[str] = "table"
    caption: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell | str]]
    note: str = ""
    folded: bool = False

    @property
    def cells(self) -> list[list[Cell]]:
        """The rows, every cell a Cell."""
        return [[c if isinstance(c, Cell) else Cell(c) for c in row] for row in self.rows]

    @property
    def numeric(self) -> list[bool]:
        """For each column, whether its cells are numbers: headings stand over them."""
        columns = zip(*self.cells, strict=True) if self.rows else [()] * len(self.columns)
        return [bool(column) and all(cell.number for cell in column) for column in columns]


@dataclass(frozen=True, slots=True)
class Chart:
    """A picture: inline SVG made by `pipeline.report.charts`, with its words.

    Args:
        caption: what it shows, and how to read it.
        svg: trusted markup, all text in it escaped.
    """

    kind: ClassVar[str] = "chart"
    caption: str
    svg: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Plain sentences."""

    kind: ClassVar[str] = "paragraph"
    text: str


@dataclass(frozen=True, slots=True)
class Facts:
    """Terms and what is said of each.

    Args:
        rows: (term, saying).
        caption: what they are about; opens them where folded.
        folded: whether they are closed at first.
    """

    kind: ClassVar[str] = "facts"
    rows: Sequence[tuple[str, str]]
    caption: str = ""
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Blocks that stand side by side where there is room."""

    kind: ClassVar[str] = "row"
    blocks: Sequence["Block"]


Block = Table | Chart | Paragraph | Facts | Row


@dataclass(frozen=True, slots=True)
class Section:
    """One section of the page.

    Args:
        id: its anchor.
        title: its heading.
        question: what it answers.
        blocks: what it shows.
    """

    id: str
    title: str
    question: str
    blocks: Sequence[Block]
