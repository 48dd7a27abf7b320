"""What a table is: columns in order, types, key, sort order.

A table is checked once at each border: when a stage reads it and before a stage writes it.
Inside a stage frames are trusted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import polars as pl

from pipeline.errors import ContractError, first_three

Type = pl.DataType

TEXT, WHOLE, REAL, FLAG = pl.String(), pl.Int64(), pl.Float64(), pl.Boolean()
_AT_ONCE = 100_000  # rows
MOMENT = pl.Datetime("us", "UTC")
TEXTS = pl.List(pl.String())
LINKS = pl.List(pl.Struct({"to": pl.String(), "kind": pl.String()}))
VARIANTS = pl.List(pl.Struct({"kind": pl.String(), "text": pl.String()}))


@dataclass(frozen=True, slots=True)
class Table:
    """One table: where it lies under `data/`, its columns, its key and its order.

    Args:
        path: path under `data/`, without suffix; `{branch}` and `{name}` are filled in.
        columns: column name to type, in the order they are written.
        key: columns that together occur once.
        order: columns it is sorted by; the key where empty.
        nullable: columns that may hold nulls.
        wide: further columns `PREFIX_…` of these prefixes follow (one per branch).
    """

    path: str
    columns: Mapping[str, Type]
    key: tuple[str, ...]
    order: tuple[str, ...] = ()
    nullable: frozenset[str] = frozenset()
    wide: Mapping[str, Type] = field(default_factory=dict)

    def empty(self) -> pl.DataFrame:
        """The table with no rows."""
        return pl.DataFrame(schema=dict(self.columns))

    def check(self, frame: pl.DataFrame, *, where: object = None) -> pl.DataFrame:
        """The frame in this table's columns, types and order.

        Returns:
            The frame, columns in order, sorted by `order` (or the key).

        Raises:
            ContractError: a column is missing or too many, a type differs, a null, NaN or
                infinite value stands where none may, or the key repeats.
        """
        place = where or self.path
        names = self._names(frame, place)
        typed = frame.select(self._cast(frame, name, place) for name in names)
        self._refuse_nulls(typed, place)
        self._refuse_unreal(typed, place)
        strict = self.key and not self.order and not self.nullable.intersection(self.key)
        if strict and rises(typed, self.key):
            return typed
        ordered = typed.sort(self.order or self.key, nulls_last=True, maintain_order=True)
        if not (strict and rises(ordered, self.key)):
            self._refuse_repeats(typed, place)
        return ordered

    def _names(self, frame: pl.DataFrame, where: object) -> list[str]:
        prefixes = tuple(f"{prefix}_" for prefix in self.wide)
        extra = [c for c in frame.columns if c not in self.columns]
        strangers = [c for c in extra if not (prefixes and c.startswith(prefixes))]
        missing = [c for c in self.columns if c not in frame.columns]
        if missing or strangers:
            raise ContractError(
                "wrong columns",
                where=where,
                found=f"missing {missing}, unknown {strangers}",
                expected=", ".join(self.columns),
            )
        return [*self.columns, *extra]

    def _type(self, name: str) -> Type:
        if name in self.columns:
            return self.columns[name]
        return next(kind for prefix, kind in self.wide.items() if name.startswith(f"{prefix}_"))

    def _cast(self, frame: pl.DataFrame, name: str, where: object) -> pl.Expr:
        found, expected = frame.schema[name], self._type(name)
        numbers = found.is_numeric() and expected.is_numeric()
        if found == expected or found == pl.Null or (numbers and not found.is_float()):
            return pl.col(name).cast(expected)
        raise ContractError(
            f"column {name!r} has the wrong type", where=where, found=found, expected=expected
        )

    def _refuse_nulls(self, frame: pl.DataFrame, where: object) -> None:
        for name in self.columns:
            if name not in self.nullable and frame[name].null_count():
                raise ContractError(
                    f"column {name!r} has nulls",
                    where=where,
                    found=f"{frame[name].null_count()} of {frame.height} rows",
                    expected="a value in every row",
                )

    def _refuse_unreal(self, frame: pl.DataFrame, where: object) -> None:
        for name, kind in frame.schema.items():
            if kind.is_float() and not frame[name].is_finite().fill_null(True).all():
                raise ContractError(
                    f"column {name!r} has NaN or infinite values",
                    where=where,
                    expected="finite numbers",
                )

    def _refuse_repeats(self, frame: pl.DataFrame, where: object) -> None:
        if not self.key:
            return
        repeated = frame.filter(pl.struct(self.key).is_duplicated())
        if repeated.height:
            raise ContractError(
                f"rows repeat the key ({', '.join(self.key)})",
                where=where,
                found=first_three(repeated.select(self.key).unique(maintain_order=True).rows()),
                expected="each key once",
            )


def rises(frame: pl.DataFrame, key: Sequence[str]) -> bool:
    """Whether each row's key is greater than the one before: then it is sorted, and distinct.

    What is read and written is, nearly always; hashing and sorting it costs many times more.

    Args:
        frame: any.
        key: columns without nulls.
    """
    greater, equal = pl.lit(False), pl.lit(True)
    for name in key:
        before = pl.col(name).shift(1)
        greater = greater | (equal & (pl.col(name) > before))
        equal = equal & (pl.col(name) == before)
    every = greater.slice(1).all()
    # A million rows' keys, shifted and compared at once, would be as large as they are.
    starts = range(0, frame.height, _AT_ONCE)
    return all(frame.slice(start, _AT_ONCE + 1).select(every).item() for start in starts)
