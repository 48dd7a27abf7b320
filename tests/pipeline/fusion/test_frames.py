"""Fusion of whole frames: worked examples, faults of the trade, laws, a slow twin."""

import logging
import subprocess
import sys

import polars as pl
import pytest
from fusion_twin import slow_fuse
from hypothesis import given
from hypothesis import strategies as st
from listing import even, lists, scored
from polars.testing import assert_frame_equal
from strategies import candidates, contracts, several_rankings

from pipeline.errors import ContractError
from pipeline.fusion import METHODS, Contract, fuse, reciprocal_rank_fusion
from pipeline.measures import per_query

SCORE_BASED = [name for name, method in METHODS.items() if method.needs_scores]


def test_a_fused_score_is_the_weighted_sum_of_reciprocals():
    fused = fuse(
        lists(bm25={"q1": ["x", "y", "d"]}, dense={"q1": ["d", "z"]}),
        Contract.of("rrf", weights={"bm25": 3, "dense": 1}, depths={"bm25": 9, "dense": 9}),
    )
    assert fused.columns == [
        "query_id",
        "rank",
        "doc_id",
        "evidence_id",
        "score",
        "best_rank",
        "members",
    ]
    first = fused.row(0, named=True)
    assert first["doc_id"] == "d"
    assert first["score"] == 0.75 / 63 + 0.25 / 61
    assert (first["rank"], first["best_rank"], first["members"]) == (1, 1, ["d"])


def test_ranks_start_at_1_and_absent_documents_get_no_made_up_rank():
    found = scored(
        lists(dense={"q1": ["p1", "p2", "p3", "m"]}, sparse={"q1": ["s1", "s2", "s3", "m"]}),
        even("rrf", "dense", "sparse"),
    )
    assert list(found) == ["m", "p1", "s1", "p2", "s2", "p3", "s3"]
    assert found["m"] == 2 * 0.5 / 64
    assert found["p1"] == 0.5 / 61


@pytest.mark.parametrize("constant", [1, 10, 60, 1000])
def test_a_branch_of_weight_0_takes_no_part(constant):
    both = lists(bm25={"q1": ["A", "B"]}, dense={"q1": ["Z", "A"], "q2": ["Z"]})
    contract = Contract.of(
        "rrf",
        rank_constant=constant,
        weights={"bm25": 1, "dense": 0},
        depths={"bm25": 9, "dense": 9},
    )
    assert scored(both, contract) == {"A": 1 / (constant + 1), "B": 1 / (constant + 2)}
    assert scored(both, contract) == scored(both, even("rrf", "bm25", rank_constant=constant))
    assert fuse(both, contract)["query_id"].unique().to_list() == ["q1"]


def test_the_order_of_branches_breaks_no_exact_tie():
    ranks = {"M": (1, 2, 7), "N": (7, 1, 2)}
    for names in (["a", "b", "c"], ["c", "a", "b"], ["b", "c", "a"]):
        rows = [
            {"branch": branch, "query_id": "q1", "rank": rank, "doc_id": doc}
            for doc, places in ranks.items()
            for branch, rank in zip(names, places, strict=True)
        ]
        fillers = [
            {"branch": b, "query_id": "q1", "rank": r, "doc_id": f"{b}{r}"}
            for b in names
            for r in range(1, 8)
            if not any(row["branch"] == b and row["rank"] == r for row in rows)
        ]
        frame = pl.DataFrame(rows + fillers).with_columns(
            evidence_id="doc_id", source_id="doc_id", score=pl.lit(None, pl.Float64)
        )
        found = scored(frame, even("rrf", *names))
        assert list(found)[:2] == ["M", "N"]
        assert found["M"] == found["N"]


def test_depth_is_a_part_of_the_contract_and_outputs_are_prefixes_of_one_list():
    both = lists(bm25={"q1": ["p", "a", "b", "m", "c"]}, dense={"q1": ["q", "d", "e", "m", "f"]})
    deep = list(scored(both, even("rrf", "bm25", "dense", depth=5)))
    assert deep[0] == "m"
    shallow = scored(both, even("rrf", "bm25", "dense", depth=3))
    assert "m" not in shallow
    assert list(shallow)[:2] == ["p", "q"]
    for cut in (1, 3, 5):
        assert (
            list(scored(both, even("rrf", "bm25", "dense", depth=5, output_depth=cut)))
            == (deep[:cut])
        )


def test_a_query_missing_from_one_run_stays_and_is_counted(caplog):
    both = lists(a={"q1": ["x"], "q2": ["y"]}, b={"q1": ["x"]})
    with caplog.at_level(logging.INFO):
        fused = fuse(both, even("rrf", "a", "b"))
    assert fused["query_id"].to_list() == ["q1", "q2"]
    assert "1 of 4 (branch, query) pairs have no list" in caplog.text


def test_ranks_are_those_of_the_admissible_list():
    # x was excluded before fusion: its place in bm25 is not kept free.
    found = scored(
        lists(bm25={"q1": ["a", "b"]}, dense={"q1": ["b", "a"]}), even("rrf", "bm25", "dense")
    )
    assert list(found) == ["a", "b"]
    assert found["a"] == found["b"] == 0.5 / 61 + 0.5 / 62
    gap = lists(bm25={"q1": ["x", "a", "b"]}).filter(pl.col("doc_id") != "x")
    assert scored(gap, even("rrf", "bm25")) == {"a": 1 / 61, "b": 1 / 62}


def test_equal_texts_under_two_ids_stay_two_documents():
    found = scored(
        lists(bm25={"q1": ["d1", "d3"]}, dense={"q1": ["d2", "d3"]}), even("rrf", "bm25", "dense")
    )
    assert found == {"d3": 1 / 62, "d1": 0.5 / 61, "d2": 0.5 / 61}


def test_three_branches_with_one_namespace_make_one_document():
    found = scored(
        lists(
            bm25={"q1": ["doc-12", "doc-9"]},
            dense={"q1": ["doc-12", "doc-2"]},
            graph={"q1": ["doc-12"]},
        ),
        even("rrf", "bm25", "dense", "graph"),
    )
    assert next(iter(found)) == "doc-12"
    assert found["doc-12"] == pytest.approx(1 / 61, rel=1e-11)  # a third of 3/61


def test_a_source_has_one_vote_per_branch_however_many_passages_it_has():
    source = {"D1#1": "D1", "D1#2": "D1", "D1#3": "D1", "D2#1": "D2"}
    fused = fuse(
        lists(source=source, bm25={"q1": list(source)}, dense={"q1": ["D2#1"]}),
        even("rrf", "bm25", "dense", level="source"),
    )
    assert fused["doc_id"].to_list() == ["D2#1", "D1#1"]
    assert fused["score"].to_list() == [0.5 / 61 + 0.5 / 62, 0.5 / 61]
    assert fused["members"].to_list() == [["D2#1"], ["D1#1", "D1#2", "D1#3"]]


def test_the_representative_is_the_member_with_the_best_rank_in_any_list():
    evidence = {"e1": "E", "e2": "E"}
    fused = fuse(
        lists(evidence=evidence, bm25={"q1": ["x", "e1"]}, dense={"q1": ["e2", "e1"]}),
        even("rrf", "bm25", "dense"),
    )
    first = fused.row(0, named=True)
    assert (first["doc_id"], first["evidence_id"], first["best_rank"]) == ("e2", "E", 1)
    assert first["members"] == ["e2", "e1"]


def test_ties_of_score_and_best_rank_go_to_the_smaller_code_point():
    names = ["𐀀", "\uffff", "é", "Z", "10", "9"]
    frame = lists(**{f"b{i}": {"q1": [name]} for i, name in enumerate(names)})
    found = scored(frame, even("rrf", *(f"b{i}" for i in range(6))))
    assert list(found) == ["10", "9", "Z", "é", "\uffff", "𐀀"]


def test_past_depth_ranks_a_missing_document_at_the_declared_depth_plus_1():
    found = scored(
        lists(a={"q1": ["x", "y"]}, b={"q1": ["y"]}),
        Contract.of(
            "rrf",
            rank_constant=1,
            weights={"a": 1, "b": 1},
            depths={"a": 2, "b": 5},
            missing="past_depth",
        ),
    )
    assert found == {"y": 0.5 / 2 + 0.5 / 3, "x": 0.5 / 2 + 0.5 / 7}


def test_a_document_twice_is_refused_with_its_place():
    frame = lists(a={"q1": ["x", "y"]}).with_columns(doc_id=pl.lit("x"))
    with pytest.raises(ContractError, match=r"stands twice.*\('a', 'q1', 'x', 2"):
        fuse(frame, even("rrf", "a"))


def test_keep_first_keeps_the_first_logs_the_rest_and_renumbers_before_the_cut(caplog):
    frame = lists(a={"q1": ["x", "y", "z", "w"]}).with_columns(
        doc_id=pl.Series(["x", "x", "z", "w"]), evidence_id=pl.Series(["x", "x", "z", "w"])
    )
    found = scored(frame, even("rrf", "a", depth=2, duplicates="keep_first"))
    assert found == {"x": 1 / 61, "z": 1 / 62}
    assert "1 repeated documents dropped: ('a', 'q1', 2, 'x')" in caplog.text


def test_a_branch_by_itself_keeps_its_order_and_scores():
    frame = lists(a={"q1": {"x": 1.0, "y": 5.0, "z": 1.0}}, b={"q1": ["k"]})
    assert scored(frame, even("branch", "a")) == {"x": 1.0, "y": 5.0, "z": 1.0}
    assert list(scored(frame, even("branch", "a"))) == ["x", "y", "z"]
    assert scored(frame, even("branch", "b")) == {"k": None}


def test_nothing_listed_is_an_empty_table():
    fused = fuse(lists(a={"q1": ["x"]}), even("rrf", "b"))
    assert fused.height == 0
    assert fused.schema["members"] == pl.List(pl.String)


WRONG_RANKS = {
    "below 1": pl.Series([0, 1]),
    "negative": pl.Series([-1, 1]),
    "repeated": pl.Series([1, 1]),
    "not whole": pl.Series([1.0, 1.5]),
    "not a number": pl.Series([1.0, float("nan")]),
    "null": pl.Series([1, None]),
    "text": pl.Series(["1", "2"]),
}


@pytest.mark.parametrize("rank", WRONG_RANKS.values(), ids=WRONG_RANKS)
def test_a_rank_that_is_no_place_is_refused(rank):
    with pytest.raises(ContractError, match="rank"):
        fuse(lists(a={"q1": ["x", "y"]}).with_columns(rank=rank), even("rrf", "a"))


def test_whole_ranks_written_as_decimals_are_taken():
    frame = lists(a={"q1": ["x", "y"]})
    written = frame.with_columns(pl.col("rank").cast(pl.Float64))
    assert_frame_equal(fuse(written, even("rrf", "a")), fuse(frame, even("rrf", "a")))


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -float("inf")])
def test_a_score_that_is_no_number_is_refused_whatever_the_method(score):
    frame = lists(a={"q1": {"x": 1.0, "y": score}})
    with pytest.raises(ContractError, match=r"a score is refused; found \('a', 'q1', 'y'"):
        fuse(frame, even("rrf", "a"))


@pytest.mark.parametrize("method", SCORE_BASED)
def test_a_branch_without_scores_is_an_error_of_methods_on_scores(method):
    frame = lists(a={"q1": {"x": 1.0}}, b={"q1": ["x"]})
    with pytest.raises(ContractError, match="branch 'b': a score-based method needs scores"):
        fuse(frame, even(method, "a", "b", minima={"a": 0, "b": 0}))


@pytest.mark.parametrize("column", ["branch", "query_id", "doc_id", "evidence_id"])
def test_null_ids_and_missing_columns_are_refused_by_name(column):
    frame = lists(a={"q1": ["x"]}, b={"q1": ["x"]})
    with pytest.raises(ContractError, match=f"missing.*{column}"):
        fuse(frame.drop(column), even("rrf", "a"))
    if column != "branch":
        with pytest.raises(ContractError, match=f"{column} has nulls"):
            fuse(frame.with_columns(pl.lit(None, pl.String).alias(column)), even("rrf", "a"))


def test_numbers_as_ids_are_refused():
    frame = lists(a={"q1": ["x"]}).with_columns(doc_id=pl.lit(12))
    with pytest.raises(ContractError, match="doc_id is not text"):
        fuse(frame, even("rrf", "a"))


@given(frame=candidates(), contract=contracts())
def test_the_fast_fusion_equals_its_slow_twin(frame, contract):
    fused = fuse(frame, contract)
    slow = slow_fuse(frame, contract)
    got = fused.select("query_id", "rank", "doc_id", "score", "best_rank", "members").rows()
    exact = contract.method != "convex_zscore"
    if exact:
        assert got == slow
    else:
        # Means and deviations are summed in another order: scores agree, near ties may swap.
        assert sorted(row[3] for row in got) == pytest.approx(sorted(row[3] for row in slow))


@given(frame=candidates(), contract=contracts(), data=st.data())
def test_the_order_of_rows_changes_nothing(frame, contract, data):
    order = data.draw(st.permutations(range(frame.height)))
    assert_frame_equal(fuse(frame[order], contract), fuse(frame, contract), check_exact=True)


@given(frame=candidates(), contract=contracts(methods=("rrf", "isr", "borda", "combmnz")))
def test_the_names_of_branches_change_nothing(frame, contract):
    names = {"bm25": "z", "dense": "m", "graph": "a"}
    renamed = Contract.of(
        contract.method,
        rank_constant=contract.rank_constant,
        weights={names[name]: weight for name, weight in contract.weights},
        depths={names[name]: depth for name, depth in contract.depths},
        level=contract.level,
        missing=contract.missing,
        output_depth=contract.output_depth,
    )
    swapped = frame.with_columns(pl.col("branch").replace_strict(names))
    assert_frame_equal(fuse(swapped, renamed), fuse(frame, contract), check_exact=True)


@given(frame=candidates(), contract=contracts(methods=("rrf", "isr", "borda", "round_robin")))
def test_methods_on_ranks_do_not_see_scores(frame, contract):
    curved = frame.with_columns(pl.col("score") ** 3 + 7)
    none = frame.with_columns(score=pl.lit(None, pl.Float64))
    assert_frame_equal(fuse(curved, contract), fuse(frame, contract), check_exact=True)
    assert_frame_equal(fuse(none, contract), fuse(frame, contract), check_exact=True)


@given(frame=candidates(branches=("bm25", "dense")), contract=contracts(methods=("rrf", "isr")))
def test_a_branch_without_any_list_changes_no_order(frame, contract):
    names = [name for name in contract.branches if name != "graph"]
    if not names:
        return
    weights = {name: weight for name, weight in contract.weights if name in names}
    rest = {"level": contract.level, "missing": contract.missing, "output_depth": 50}
    depths = dict.fromkeys(names, 5)
    alone = Contract.of(contract.method, weights=weights, depths=depths, **rest)
    total = sum(weights.values())
    more = Contract.of(
        contract.method,
        weights={**weights, "graph": total},
        depths={**depths, "graph": 5},
        **rest,
    )
    columns = ["query_id", "rank", "doc_id", "best_rank", "members"]
    found, expected = fuse(frame, more), fuse(frame, alone)
    assert found.height == expected.height
    assert found["score"].to_list() == pytest.approx((expected["score"] / 2).to_list())
    if contract.weights and len(names) == 1:
        assert_frame_equal(found.select(columns), expected.select(columns))


@given(frame=candidates(), level=st.sampled_from(["document", "evidence", "source"]))
def test_every_listed_document_is_a_member_of_exactly_one_item(frame, level):
    contract = even("rrf", "bm25", "dense", "graph", level=level)
    fused = fuse(frame, contract)
    listed = frame.select("query_id", "doc_id").unique().sort("query_id", "doc_id")
    members = fused.select("query_id", pl.col("members").alias("doc_id")).explode("doc_id")
    assert_frame_equal(members.sort("query_id", "doc_id"), listed)


@given(ranking=st.sampled_from([2, 4]).flatmap(several_rankings))
def test_frames_and_plain_lists_agree(ranking):
    frame = lists(**{f"b{i}": {"q1": names} for i, names in enumerate(ranking)})
    fused = fuse(frame, even("rrf", *(f"b{i}" for i in range(len(ranking)))))
    by_hand = reciprocal_rank_fusion(ranking)
    assert fused["doc_id"].to_list() == [item.id for item in by_hand]
    assert (fused["score"] * len(ranking)).to_list() == pytest.approx(
        [item.score for item in by_hand], rel=1e-11
    )


def test_the_streaming_engine_gives_the_same():
    n = pl.int_range(100_000, eager=True)
    frame = pl.DataFrame(
        {
            "branch": (n // 50_000).replace_strict({0: "a", 1: "b"}, return_dtype=pl.String),
            "query_id": "q" + (n // 100 % 500).cast(pl.String),
            "rank": n % 100 + 1,
            "doc_id": "d" + ((n // 100 * 37 + n % 100 * 7) % 211).cast(pl.String),
            "score": (100 - n % 100).cast(pl.Float64),
        }
    ).with_columns(evidence_id="doc_id", source_id="doc_id")
    judged = frame.filter(pl.col("rank") % 9 == 0).select("query_id", "evidence_id").unique()
    judged = judged.with_columns(grade=pl.lit(1))

    def computed():
        fused = fuse(frame, even("rrf", "a", "b"))
        return fused, per_query(fused, judged, ["nDCG@10", "R@100"])

    with pl.Config():
        plain = computed()
        pl.Config.set_engine_affinity("streaming")
        for found, expected in zip(computed(), plain, strict=True):
            assert found.equals(expected)


BYTES = """
import hashlib, numpy as np, polars as pl
from pipeline.fusion import Contract, fuse
draw = np.random.default_rng(1)
rows = [(b, f"q{q}", r, f"d{d}", f"e{d % 40}", "s", float(90 - r))
        for b in "abc" for q in range(30)
        for r, d in enumerate(draw.permutation(60)[:50], 1)]
names = ["branch", "query_id", "rank", "doc_id", "evidence_id", "source_id", "score"]
frame = pl.DataFrame(rows, schema=names, orient="row")
for method in ("rrf", "convex_zscore", "combmnz"):
    contract = Contract.of(method, weights=dict(a=1, b=1, c=1), depths=dict(a=50, b=50, c=50))
    print(hashlib.sha256(fuse(frame, contract).write_ipc(None).getvalue()).hexdigest())
"""


@pytest.mark.slow
def test_bytes_are_the_same_for_other_threads_and_hash_seeds():
    runs = {
        subprocess.run(
            [sys.executable, "-c", BYTES],
            env={"POLARS_MAX_THREADS": threads, "PYTHONHASHSEED": seed, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads, seed in (("1", "0"), ("2", "1"), ("8", "42"))
    }
    assert len(runs) == 1
