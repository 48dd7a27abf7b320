"""The sweep's arrays against the reference: fuse, then measure, one configuration at a time."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import polars as pl
import pytest
import rows
import strategies
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.errors import ContractError
from pipeline.fusion import METHODS, Configuration, fuse
from pipeline.measures import per_query
from pipeline.params import FusionParams
from pipeline.sweep import kernel, measuring
from pipeline.sweep.measuring import measure_configurations, measure_grid
from pipeline.sweep.truth import Judged, judge_queries
from pipeline.tables import DEV_JUDGMENTS

MEASURES = [
    "nDCG@3",
    "nDCG",
    "R@5",
    "P@2",
    "P(rel=2)@4",
    "Judged@3",
    "R(judged_only=True)@3",
    "RBP(p=0.5)@4",
    "RR@4",
    "AP",
    "Success@1",
    "ZeroHit@2",
    "Bpref",
    "P(judged_only=True)@2",
    "EvidenceCoverage@3",
    "AllEvidence@3",
]
EIGHT = tuple("abcdefgh")
QUERIES = ("q1", "q2", "q10", "nowhere")


def judgments(grades: dict[tuple[str, str], int]) -> pl.DataFrame:
    return rows.table(
        DEV_JUDGMENTS,
        [
            {"query_id": q, "evidence_id": e, "grade": g, "status": "judged"}
            for (q, e), g in grades.items()
        ],
    )


def known(
    grades: dict[tuple[str, str], int], required: dict[str, list[str]] | None = None
) -> Judged:
    splits = rows.splits(dict.fromkeys(QUERIES, "dev"))
    queries = rows.queries(dict.fromkeys(QUERIES, "text"), required_evidence=required or {})
    return judge_queries(splits, judgments(grades), queries, rel=1)


def reference(
    candidates: pl.DataFrame,
    configuration: Configuration,
    grades: dict[tuple[str, str], int],
    required: dict[str, list[str]],
    fusion: FusionParams,
) -> dict[tuple[str, str], float | None]:
    needed = [(q, e) for q, pieces in required.items() for e in pieces]
    values = per_query(
        fuse(candidates, configuration.contract(fusion)),
        judgments(grades),
        MEASURES,
        queries=known(grades).queries,
        required=pl.DataFrame(
            needed, schema={"query_id": pl.String, "evidence_id": pl.String}, orient="row"
        ),
        repeats="first_gains",
    )
    return {(query, measure): value for query, measure, value in values.rows()}


def swept(
    candidates: pl.DataFrame,
    configuration: Configuration,
    judged: Judged,
    fusion: FusionParams,
) -> dict[tuple[str, str], float | None]:
    values = measure_configurations(
        candidates, [configuration], judged, measures=MEASURES, fusion=fusion
    )
    return {
        (query, measure): None if value != value else float(value)
        for measure, line in zip(MEASURES, values[0], strict=True)
        for query, value in zip(judged.queries, line, strict=True)
    }


@st.composite
def gapped(draw: st.DrawFn) -> pl.DataFrame:
    """Candidates of one to eight branches, ranks with gaps, rows in any order."""
    branches = EIGHT[: draw(st.integers(1, 8))]
    listed = draw(strategies.candidates(branches=branches))
    stretched = listed.with_columns(pl.col("rank") * draw(st.integers(1, 3)))
    return stretched.sample(fraction=1.0, shuffle=True, seed=draw(st.integers(0, 99)))


@st.composite
def labels(draw: st.DrawFn) -> dict[tuple[str, str], int]:
    pair = st.tuples(st.sampled_from(QUERIES), strategies.IDS)
    return draw(st.dictionaries(pair, st.integers(-1, 3), max_size=25))


@settings(max_examples=60, deadline=None)
@given(
    candidates=gapped(),
    contract=strategies.contracts(branches=EIGHT),
    alone=st.booleans(),
    grades=labels(),
    required=st.dictionaries(
        st.sampled_from(QUERIES), st.lists(strategies.IDS, min_size=1, unique=True), max_size=2
    ),
)
def test_every_value_is_the_references_to_the_last_bit(
    candidates: pl.DataFrame,
    contract: object,
    alone: bool,
    grades: dict[tuple[str, str], int],
    required: dict[str, list[str]],
) -> None:
    configuration = Configuration(
        contract.method, contract.rank_constant, contract.weights, contract.depths, contract.order
    )
    if alone:
        name, depth = contract.depths[0]
        configuration = Configuration.of("branch", weights={name: 1}, depths={name: depth})
    fusion = FusionParams(
        level=contract.level,
        missing=contract.missing,
        output_depth=contract.output_depth,
        minima=dict(contract.minima),
    )
    expected = reference(candidates, configuration, grades, required, fusion)
    assert swept(candidates, configuration, known(grades, required), fusion) == expected


def test_a_hundred_configurations_together_are_each_as_by_themselves() -> None:
    lists = {
        ("a", "q1"): ["x", "y", "z"],
        ("b", "q1"): ["z", "w", "x"],
        ("a", "q2"): ["y"],
        ("b", "q10"): ["w", "y"],
    }
    grades = {("q1", "z"): 2, ("q1", "w"): 1, ("q2", "y"): 1, ("q10", "x"): 3}
    candidates, judged, fusion = rows.candidates(lists), known(grades), FusionParams()
    points = [
        Configuration.of(
            method,
            rank_constant=k if METHODS[method].takes_rank_constant else None,
            weights={"a": share, "b": 10 - share},
            depths={"a": depth, "b": 3},
        )
        for method in ("rrf", "isr", "borda", "convex_minmax", "convex_zscore")
        for k in (1, 60)
        for share in (2, 5)
        for depth in (1, 2, 3)
    ]
    together = measure_configurations(candidates, points, judged, measures=MEASURES, fusion=fusion)
    for point, values in zip(points, together, strict=True):
        alone = measure_configurations(
            candidates, [point], judged, measures=MEASURES, fusion=fusion
        )
        assert values.tobytes() == alone[0].tobytes()


def test_depth_of_a_list_decides_what_can_be_found_and_cutoffs_do_not() -> None:
    lists = {("a", "q1"): list("pxymz"), ("b", "q1"): list("quvmw")}
    judged = known({("q1", "m"): 1})
    measures = ["RR@1", "RR@3", "RR@5"]

    def at(depth: int) -> list[float]:
        point = Configuration.of(
            "rrf", rank_constant=60, weights={"a": 1, "b": 1}, depths={"a": depth, "b": depth}
        )
        values = measure_configurations(
            rows.candidates(lists), [point], judged, measures=measures, fusion=FusionParams()
        )
        return [float(value) for value in values[0, :, 0]]

    assert at(5) == [1.0, 1.0, 1.0]
    assert at(3) == [0.0, 0.0, 0.0]


def test_a_query_that_one_branch_lacks_is_still_measured() -> None:
    lists = {("a", "q1"): ["x"], ("b", "q1"): ["x"], ("a", "q2"): ["y"]}
    judged = known({("q1", "x"): 1, ("q2", "y"): 1, ("nowhere", "x"): 1})
    point = Configuration.of("rrf", weights={"a": 1, "b": 1}, depths={"a": 9, "b": 9})
    values = measure_configurations(
        rows.candidates(lists), [point], judged, measures=["RR"], fusion=FusionParams()
    )
    assert list(judged.queries) == ["nowhere", "q1", "q2"]
    assert values[0, 0].tolist() == [0.0, 1.0, 1.0]


def test_sums_of_three_contributions_tie_in_any_order_of_branches() -> None:
    places = {"m": (1, 2, 7), "n": (7, 1, 2)}
    lists = {
        (branch, "q1"): [
            next((d for d, ranks in places.items() if ranks[place] == rank), f"{branch}{rank}")
            for rank in range(1, 8)
        ]
        for place, branch in enumerate("abc")
    }
    point = Configuration.of(
        "rrf", rank_constant=60, weights=dict.fromkeys("abc", 1), depths=dict.fromkeys("abc", 9)
    )
    values = measure_configurations(
        rows.candidates(lists),
        [point],
        known({("q1", "m"): 1}),
        measures=["RR@1"],
        fusion=FusionParams(),
    )
    assert values.item() == 1.0


def test_a_method_on_scores_names_the_branch_without() -> None:
    candidates = rows.candidates({("a", "q1"): ["x"], ("b", "q1"): ["x"]}).with_columns(
        score=pl.when(pl.col("branch") == "a").then("score")
    )
    point = Configuration.of("convex_minmax", weights={"a": 1, "b": 1}, depths={"a": 9, "b": 9})
    with pytest.raises(ContractError, match="branch 'b'"):
        measure_configurations(
            candidates, [point], known({("q1", "x"): 1}), measures=["RR"], fusion=FusionParams()
        )


def long_lists(branches: int, depth: int, documents: int, *, seed: int) -> pl.DataFrame:
    """Lists longer than what is sorted whole; scores fall, some are equal, evidence repeats."""
    random = np.random.default_rng(seed)
    lists = [
        {
            "branch": "abcdefgh"[branch],
            "query_id": query,
            "rank": rank,
            "doc_id": f"d{document:04}",
            "evidence_id": f"e{document // 2:04}",
            "source_id": f"s{document // 9:04}",
            "score": float(-(rank // 3)),
        }
        for branch in range(branches)
        for query in ("q1", "q2", "q10")
        if (branch, query) != (0, "q2")  # one branch has no list for it
        for rank, document in enumerate(
            random.permutation(documents)[: depth - 40 * (query == "q10")], start=1
        )
    ]
    return pl.DataFrame(lists)


@pytest.mark.parametrize("method", sorted(set(METHODS) - {"branch"}))
@pytest.mark.parametrize(
    ("level", "missing", "output_depth"), [("evidence", "skip", 40), ("document", "past_depth", 90)]
)
def test_long_lists_of_which_the_top_is_wanted_have_the_references_values(
    method: str, level: str, missing: str, output_depth: int
) -> None:
    candidates = long_lists(3, 130, 400, seed=5)
    evidence = [f"e{number:04}" for number in range(0, 200, 7)]
    grades = {(q, e): 1 + n % 2 for n, e in enumerate(evidence) for q in ("q1", "q2", "q10")}
    fusion = FusionParams(
        level=level, missing=missing, output_depth=output_depth, minima=dict.fromkeys("abc", -99.0)
    )
    weighted = METHODS[method].takes_weights
    for weights in ((1, 1, 1), (5, 2, 3)) if weighted else ((1, 1, 1),):
        point = Configuration.of(
            method,
            rank_constant=60 if METHODS[method].takes_rank_constant else None,
            weights=dict(zip("abc", weights, strict=True)),
            depths={"a": 130, "b": 110, "c": 130},
        )
        expected = reference(candidates, point, grades, {}, fusion)
        assert swept(candidates, point, known(grades), fusion) == expected


def test_threads_and_a_file_for_the_values_change_no_bit() -> None:
    candidates = long_lists(2, 60, 200, seed=1)
    judged = known({(q, f"e{n:04}"): 1 for q in ("q1", "q2", "q10") for n in range(0, 90, 5)})
    points = [
        Configuration.of(
            "rrf", rank_constant=k, weights={"a": w, "b": 10 - w}, depths={"a": 60, "b": 60}
        )
        for k in (1, 60)
        for w in range(1, 10)
    ]
    one, two, filed = (
        measure_grid(
            candidates, points, judged, measures=MEASURES, fusion=FusionParams(), **options
        )
        for options in ({"threads": 1}, {"threads": 2}, {"threads": 2, "kept": 0})
    )
    whole = one.some(0, len(points))
    assert np.isfinite(whole).any()
    assert whole.tobytes() == two.some(0, len(points)).tobytes()
    assert whole.tobytes() == filed.some(0, len(points)).tobytes()
    assert (one.undefined == filed.undefined).all()
    parts = list(filed.parts(rows=3 * len(MEASURES) * len(judged.queries)))
    assert [len(values) for _, values in parts] == [3] * 6
    assert np.concatenate([values for _, values in parts]).tobytes() == whole.tobytes()


@pytest.mark.parametrize("method", ["rrf", "convex_minmax"])
def test_how_many_configurations_are_tried_at_once_changes_no_bit(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    candidates = long_lists(4, 60, 200, seed=2)
    judged = known({(q, f"e{n:04}"): 1 for q in ("q1", "q2", "q10") for n in range(0, 90, 5)})
    points = [
        Configuration.of(
            method,
            weights=dict(zip("abcd", (w, 8 - w, 3, 5), strict=True)),
            depths=dict.fromkeys("abcd", 60),
        )
        for w in range(1, 8)
    ]

    def found(cells: int) -> bytes:
        monkeypatch.setattr(kernel, "BATCH_CELLS", cells)
        return measure_configurations(
            candidates, points, judged, measures=MEASURES, fusion=FusionParams()
        ).tobytes()

    # One by one; a few at a time, of less than 240 cells each; all together.
    assert len({found(cells) for cells in (1, 960, 400_000)}) == 1


def test_a_failure_in_a_thread_is_the_users_error() -> None:
    candidates = long_lists(2, 60, 200, seed=1)
    twice = pl.concat([candidates, candidates.head(1).with_columns(rank=pl.lit(99, pl.Int64))])
    point = Configuration.of("rrf", weights={"a": 1, "b": 1}, depths={"a": 99, "b": 60})
    for threads in (1, 2):
        with pytest.raises(ContractError, match="a document stands twice in a list"):
            measure_grid(
                twice,
                [point],
                known({("q1", "e0001"): 1}),
                measures=["RR"],
                fusion=FusionParams(),
                threads=threads,
            )


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_is_told_within_a_block_and_adds_up(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []
    lengths: list[int] = []

    @contextmanager
    def progress(_: str, length: int, *, unit: str) -> Iterator[Callable[[int], None]]:
        assert unit == "rankings"
        lengths.append(length)
        yield told.append

    monkeypatch.setattr(measuring, "progress", progress)
    judged = known({(q, "e0001"): 1 for q in ("q1", "q2", "q10")})
    sets = [{"a": w, "b": 10 - w} for w in range(1, 10)] + [{"a": 1}, {"b": 1}]
    points = [
        Configuration.of("rrf", rank_constant=60, weights=one, depths=dict.fromkeys(one, 60))
        for one in sets
    ]
    measure_grid(
        long_lists(2, 60, 200, seed=1),
        points,
        judged,
        measures=["RR"],
        fusion=FusionParams(),
        threads=threads,
    )
    assert lengths == [len(judged.queries) * 11]
    assert sum(told) == lengths[0]
    # Both branches together, and each by itself: three times in each block of queries.
    assert len(told) % 3 == 0
    assert len(told) >= 3
