"""PostgreSQL with pgvector: RRF written out in SQL, as pgvector's own example has it."""

from collections.abc import Iterator, Mapping

from pipeline.fusion.configuration import Configuration
from pipeline.fusion.dialects.dialect import Dialect
from pipeline.fusion.methods import METHODS, Method

_SHARE = "SELECT id,"


def _rrf(_: Configuration) -> Method:
    """Sum of w / (k + rank), rank from 1, by a full join."""
    return METHODS["rrf"]


def _refusals(_: Configuration) -> Iterator[str]:
    yield from ()


def _snippet(configuration: Configuration, kinds: Mapping[str, str], wanted: int) -> str:
    """Branches are numbered: their names need not be names in SQL."""
    depths, constant = dict(configuration.depths), configuration.rank_constant
    lists = ",\n".join(
        _list(number, name, kinds[name], depths[name])
        for number, name in enumerate(configuration.branches, start=1)
    )
    rows = "\n  UNION ALL\n".join(
        f"  {_SHARE} {weight!r} / ({constant!r} + rank) AS share FROM branch_{number}"
        for number, (_, weight) in enumerate(configuration.weights, start=1)
    )
    return (
        f"WITH {lists},\nshares AS (\n{rows}\n)\n"
        "SELECT id, SUM(share) AS score FROM shares\n"
        f"GROUP BY id ORDER BY score DESC, id LIMIT {wanted};"
    )


def _list(number: int, name: str, kind: str, depth: int) -> str:
    order = (
        "embedding <=> :query_vector"
        if kind == "dense"
        else "ts_rank_cd(text_search, plainto_tsquery('english', :query)) DESC"
    )
    matching = (
        "" if kind == "dense" else "\n  WHERE text_search @@ plainto_tsquery('english', :query)"
    )
    return (
        f"branch_{number} AS (  -- {name} ({kind})\n"
        f"  {_SHARE} ROW_NUMBER() OVER (ORDER BY {order}, id) AS rank\n"
        f"  FROM documents{matching}\n  ORDER BY rank LIMIT {depth}\n)"
    )


PGVECTOR = Dialect(
    title="PostgreSQL with pgvector",
    source="pgvector/pgvector-python: examples/hybrid_search/rrf.py",
    methods={"rrf": _rrf},
    refusals=_refusals,
    snippet=_snippet,
    notes=("rank is ROW_NUMBER, not RANK: no two items of a list share a rank",),
)
