"""Authorization: whether forbidden evidence appears anywhere."""

from pipeline.report.blocks import Block, Cell, Paragraph, Section, Table
from pipeline.report.numbers import cell, count
from pipeline.report.sections.filters import canaries, filters
from pipeline.report.stored import Stored


def authorization(stored: Stored) -> Section:
    """Rows checked and forbidden in every stored list, and where the forbidden ones are."""
    found = stored.authorization
    if not found.get("applies"):
        said = "No document names a tenant, a group or a date: there is nothing to forbid."
        blocks: list[Block] = [Paragraph(said)]
    else:
        blocks = [Paragraph(_verdict(stored)), _checked(stored), *_where(stored)]
        blocks += [*canaries(stored.authorization), *filters(stored.authorization)]
    return Section(
        "authorization",
        "Authorization",
        "Does anybody see what they may not see at their date?",
        blocks,
    )


def _verdict(stored: Stored) -> str:
    number = int(stored.authorization["forbidden"])
    if not number:
        return "No forbidden row in any stored list. Documents decide, collapsed members included."
    return f"{count(number, 'forbidden row')}. Nothing outweighs it."


def _checked(stored: Stored) -> Table:
    return Table(
        "Every stored list, row by row",
        ["list", "rows", "forbidden"],
        [
            [name.replace("_", " "), cell(one["rows"]), _forbidden(one["forbidden"])]
            for name, one in sorted(stored.authorization["checked"].items())
        ],
    )


def _forbidden(number: int) -> Cell:
    return cell(number, "bad" if number else "good")


def _where(stored: Stored) -> list[Block]:
    rows = stored.authorization["where"]
    if not rows:
        return []
    total = int(stored.authorization["forbidden"])
    return [
        Table(
            f"Where: {len(rows)} of {count(total, 'row')}",
            ["list", "system", "query", "why"],
            [
                [
                    row["list"],
                    row["system"] or "",
                    Cell(row["query_id"], "id"),
                    row["reason"],
                ]
                for row in rows
            ],
            folded=len(rows) > 10,
            note="Which documents: data/operations/forbidden.parquet. This page shows none of "
            "them, and withholds them where a list would.",
        )
    ]
