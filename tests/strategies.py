"""The Hypothesis vocabulary: rankings, candidates, weights, contracts."""

import polars as pl
from hypothesis import strategies as st

from pipeline.fusion import METHODS, Contract

IDS = st.sampled_from(["a", "b", "c", "d", "e", "é", "\uffff", "𐀀", "10", "9", "A"])
BRANCHES = ("bm25", "dense", "graph")
FUSING = tuple(name for name in METHODS if name != "branch")
CANDIDATES = {
    "branch": pl.String(),
    "query_id": pl.String(),
    "rank": pl.Int64(),
    "doc_id": pl.String(),
    "evidence_id": pl.String(),
    "source_id": pl.String(),
    "score": pl.Float64(),
}

# What breaks readers: blanks of all kinds, line ends of other systems, quotes, signs, numbers.
AWKWARD = (
    *(
        "\u2028",
        "\u2029",
        "\x85",
        "\r",
        "\n",
        "\r\n",
        "\t",
        "\ufeff",
        "\x0b",
        "\x0c",
        "\x1c",
        "\x00",
    ),
    *('"', "'", ",", ";", "|", "#", "\\", "<", "&amp;", "=", "\ufeff", "é", "𐀀"),
    *("007", "-0", "1e5", "NaN", "null"),
)


def texts(least: int = 0) -> st.SearchStrategy[str]:
    """Texts that UTF-8 can hold, awkward pieces among them."""
    letters = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)
    pieces = st.lists(st.one_of(st.sampled_from(AWKWARD), letters), min_size=least, max_size=4)
    return pieces.map("".join)


def words() -> st.SearchStrategy[str]:
    """Ids that can stand in a TREC file: no blank in them, no # or byte order mark in front."""
    return texts(least=1).map(lambda text: "".join(text.split()).lstrip("#\ufeff") or "a")


def rankings(most: int = 8) -> st.SearchStrategy[list[str]]:
    """One ranked list of ids, each once; may be empty."""
    return st.lists(IDS, max_size=most, unique=True)


def several_rankings(most: int = 4) -> st.SearchStrategy[list[list[str]]]:
    """A few ranked lists."""
    return st.lists(rankings(), min_size=1, max_size=most)


def rank_constants() -> st.SearchStrategy[float]:
    """Rank constants that are allowed."""
    return st.one_of(st.integers(1, 200), st.floats(1, 100_000))


def positive_weights() -> st.SearchStrategy[float]:
    """Weights above 0."""
    return st.floats(0.01, 10)


@st.composite
def candidates(draw: st.DrawFn, branches: tuple[str, ...] = BRANCHES) -> pl.DataFrame:
    """The table `candidates`: some branches, some queries, several documents per evidence."""
    evidence = draw(st.fixed_dictionaries({}, optional=dict.fromkeys("abcde", IDS)))
    rows = []
    for branch in branches:
        for query in draw(st.lists(st.sampled_from(["q1", "q2", "q10"]), unique=True)):
            ids = draw(rankings())
            scores = draw(st.lists(st.integers(0, 6), min_size=len(ids), max_size=len(ids)))
            for rank, (name, score) in enumerate(
                zip(ids, sorted(scores, reverse=True), strict=True), start=1
            ):
                group = evidence.get(name, name)
                rows.append((branch, query, rank, name, group, f"s{ord(group[0]) % 3}", score))
    return pl.DataFrame(rows, schema=CANDIDATES, orient="row")


@st.composite
def contracts(
    draw: st.DrawFn,
    methods: tuple[str, ...] = FUSING,
    branches: tuple[str, ...] = BRANCHES,
) -> Contract:
    """Fusion contracts of every method, level and rule, over some of the branches."""
    name = draw(st.sampled_from(methods))
    method = METHODS[name]
    chosen = draw(st.lists(st.sampled_from(branches), min_size=1, unique=True))
    weight = positive_weights() if method.takes_weights else st.just(1.0)
    return Contract.of(
        name,
        rank_constant=draw(rank_constants()) if method.takes_rank_constant else None,
        weights={branch: draw(weight) for branch in chosen},
        depths={branch: draw(st.integers(1, 9)) for branch in chosen},
        level=draw(st.sampled_from(["document", "evidence", "source"])),
        missing=draw(st.sampled_from(["skip", "past_depth"])),
        output_depth=draw(st.integers(1, 12)),
        order=draw(st.permutations(chosen)) if method.takes_order else (),
        minima=dict.fromkeys(branches, -1.0),
    )
