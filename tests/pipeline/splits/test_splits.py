"""Stage splits: sides are a record, groups stay whole, what crosses is told."""

import hashlib
import math
import os
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.collection import collection_from_files
from pipeline.errors import ParameterError, RecordError
from pipeline.measures import per_query
from pipeline.params import Params
from pipeline.splits import Side, Splits, compute, split_queries
from tests.rows import documents, judgments, params, queries

NO_DOCUMENTS = documents({"d": ""})
NO_JUDGMENTS = judgments({})


def study(**splits: Any) -> Params:
    return params({"bm25": {"kind": "bm25"}}, splits=splits)


def plain(count: int, **fields: Mapping[str, Any]) -> pl.DataFrame:
    return queries({f"q{i:02}": f"text {i}" for i in range(count)}, **fields)


def assigned(asked: pl.DataFrame, recorded: tuple[Side, ...] = (), **splits: Any) -> list[Side]:
    return split_queries(asked, NO_JUDGMENTS, NO_DOCUMENTS, study(**splits), recorded)


def staged(asked: pl.DataFrame, sides: list[Side], **splits: Any) -> Splits:
    return compute(
        documents=NO_DOCUMENTS,
        queries=asked,
        judgments=NO_JUDGMENTS,
        sides=sides,
        params=study(**splits),
    )


def on(sides: list[Side], side: str) -> set[str]:
    return {entry.query_id for entry in sides if entry.side == side}


def test_half_and_half_by_default() -> None:
    sides = assigned(plain(20))
    assert (len(on(sides, "dev")), len(on(sides, "test"))) == (10, 10)


def test_a_group_is_named_after_its_smallest_query() -> None:
    sides = assigned(plain(4, conversation={"q01": "c", "q03": "c"}))
    names = {side.query_id: side.group_id for side in sides}
    assert names == {"q00": "q00", "q01": "q01", "q02": "q02", "q03": "q01"}


def test_crossfit_puts_every_query_into_exactly_one_fold() -> None:
    sides = assigned(plain(20), protocol="crossfit", folds=5)
    folds = [side.fold for side in sides]
    assert {side.side for side in sides} == {"crossfit"}
    assert sorted(folds) == sorted([0, 1, 2, 3, 4] * 4)


def test_crossfit_keeps_a_reserve_out_of_the_folds() -> None:
    shares = {"dev": 0.4, "test": 0.4, "reserve": 0.2}
    sides = assigned(plain(20), protocol="crossfit", folds=4, shares=shares)
    assert len(on(sides, "reserve")) == 4
    assert all(side.fold is None for side in sides if side.side == "reserve")


def test_more_folds_than_groups_stop_before_any_work() -> None:
    three = plain(6, conversation={f"q{i:02}": f"c{i // 2}" for i in range(6)})
    with pytest.raises(ParameterError, match=r"found 6 queries in 3 groups.*at least 4 groups"):
        assigned(three, protocol="crossfit", folds=4)


def test_one_giant_group_is_no_split_and_names_what_to_write() -> None:
    one = plain(6, conversation={f"q{i:02}": "c" for i in range(6)})
    with pytest.raises(ParameterError, match=r"cannot be split.*splits\.independent: true"):
        assigned(one)
    assert len(assigned(one, independent=True)) == 6


def test_an_official_split_is_honoured_and_the_rest_follows_the_shares() -> None:
    asked = plain(10, split={"q00": "test", "q01": "test", "q02": "dev"})
    sides = assigned(asked)
    assert {"q00", "q01"} <= on(sides, "test")
    assert "q02" in on(sides, "dev")
    assert len(on(sides, "test")) == 5


def test_what_crosses_an_official_split_is_told_and_not_moved() -> None:
    asked = plain(6, split={"q00": "dev", "q01": "test"}, template={"q00": "t", "q01": "t"})
    sides = assigned(asked)
    assert "q00" in on(sides, "dev")
    assert "q01" in on(sides, "test")
    leakage = staged(asked, sides).leakage
    assert leakage["crossing"] == {"count": 1, "first": [{"dev": ["q00"], "test": ["q01"]}]}
    assert leakage["shared"]["template"] == 1


def test_an_official_split_and_crossfit_contradict_each_other() -> None:
    with pytest.raises(ParameterError, match="holdout"):
        assigned(plain(10, split={"q00": "test"}), protocol="crossfit")


def test_a_declared_side_without_queries_is_refused() -> None:
    everything = {f"q{i:02}": "test" for i in range(4)}
    with pytest.raises(ParameterError, match="nothing on dev"):
        assigned(plain(4, split=everything))
    assert len(assigned(plain(4, split=everything), shares={"test": 1.0})) == 4


def test_recorded_sides_that_leave_one_empty_are_refused_too() -> None:
    asked = plain(4)
    with pytest.raises(ParameterError, match="nothing on test"):
        staged(asked, [Side(query, query, "dev") for query in asked["query_id"]])


def test_only_new_queries_are_assigned_and_old_ones_stay() -> None:
    first = assigned(plain(10))
    second = assigned(plain(20), tuple(first))
    assert {side.query_id for side in second} == {f"q{i:02}" for i in range(10, 20)}
    together = [*first, *second]
    assert len(on(together, "dev")) == len(on(together, "test")) == 10


def test_nothing_new_is_nothing_to_assign() -> None:
    assert assigned(plain(10), tuple(assigned(plain(10)))) == []


def test_a_new_query_joins_the_side_of_its_group() -> None:
    first = assigned(plain(10))
    tied = {f"q{i:02}": f"c{i % 10}" for i in range(20)}
    second = assigned(plain(20, conversation=tied), tuple(first))
    home = {side.query_id: side for side in first}
    for side in second:
        old = home[f"q{int(side.query_id[1:]) % 10:02}"]
        assert (side.side, side.group_id) == (old.side, old.group_id)


def test_a_group_that_comes_to_cross_sides_is_told_and_its_queries_stay() -> None:
    first = [Side("q00", "q00", "dev"), Side("q01", "q01", "test"), Side("q02", "q02", "test")]
    asked = plain(4, conversation={"q00": "c", "q01": "c", "q03": "c"})
    (new,) = assigned(asked, tuple(first))
    assert (new.query_id, new.side, new.group_id) == ("q03", "dev", "q00")
    result = staged(asked, [*first, new])
    assert result.splits.select("query_id", "split").rows()[:2] == [("q00", "dev"), ("q01", "test")]
    assert result.leakage["crossing"]["count"] == 1
    assert result.summary["groups_crossing"] == 1


def test_recorded_sides_win_over_shares_seed_and_official_split() -> None:
    asked = plain(10)
    sides = assigned(asked)
    other = plain(10, split={"q00": "test" if "q00" in on(sides, "dev") else "dev"})
    result = staged(other, sides, shares={"dev": 0.9, "test": 0.1})
    recorded = {side.query_id: side.side for side in sides}
    assert dict(result.splits.select("query_id", "split").iter_rows()) == recorded
    assert result.leakage["official"]["differ"] == 1


def test_unassigned_queries_name_the_command() -> None:
    with pytest.raises(RecordError, match="rankgate assign"):
        staged(plain(11), assigned(plain(10)))


def test_sides_of_another_protocol_are_refused() -> None:
    with pytest.raises(RecordError, match="another protocol"):
        staged(plain(10), assigned(plain(10)), protocol="crossfit")


def test_queries_that_left_the_collection_are_counted() -> None:
    assert staged(plain(8), assigned(plain(10))).leakage["record"] == {"queries_gone": 2}


def test_judgments_lie_with_the_side_of_their_query() -> None:
    asked = plain(10)
    sides = assigned(asked)
    graded = judgments({(f"q{i:02}", "d"): i % 2 for i in range(10)})
    result = compute(
        documents=NO_DOCUMENTS, queries=asked, judgments=graded, sides=sides, params=study()
    )
    assert set(result.dev_judgments["query_id"]) == on(sides, "dev")
    assert set(result.test_judgments["query_id"]) == on(sides, "test")


def test_under_crossfit_every_judgment_is_dev_and_held_out() -> None:
    asked = plain(10)
    graded = judgments({(f"q{i:02}", "d"): 0 for i in range(10)})
    result = compute(
        documents=NO_DOCUMENTS,
        queries=asked,
        judgments=graded,
        sides=assigned(asked, protocol="crossfit"),
        params=study(protocol="crossfit"),
    )
    assert result.dev_judgments.height == result.test_judgments.height == 10


def test_a_changed_test_grade_changes_neither_splits_nor_dev_judgments() -> None:
    asked = plain(6)
    grades = {(f"q{i:02}", f"e{i}"): 1 for i in range(6)}
    library = documents({evidence: "" for _, evidence in grades})
    sides = split_queries(asked, judgments(grades), library, study())
    tested = min(on(sides, "test"))
    developed = min(on(sides, "dev"))
    changed = grades | {(tested, f"e{int(developed[1:])}"): 1}

    def stage(graded: dict[tuple[str, str], int]) -> Splits:
        return compute(
            documents=library,
            queries=asked,
            judgments=judgments(graded),
            sides=sides,
            params=study(),
        )

    before, after = stage(grades), stage(changed)
    assert before.splits.equals(after.splits)
    assert before.dev_judgments.equals(after.dev_judgments)
    assert not before.test_judgments.equals(after.test_judgments)
    assert after.leakage["crossing"]["count"] == 1


def test_judgments_hold_only_what_the_principal_may_see() -> None:
    library = documents({"open": "", "closed": ""}, tenant={"closed": "acme"})
    asked = plain(2, tenant={"q00": "acme", "q01": "other"})
    graded = judgments({(q, d): 1 for q in ("q00", "q01") for d in ("open", "closed")})
    result = compute(
        documents=library,
        queries=asked,
        judgments=graded,
        sides=[Side("q00", "q00", "dev"), Side("q01", "q01", "test")],
        params=study(independent=True),
    )
    assert result.dev_judgments["evidence_id"].to_list() == ["closed", "open"]
    assert result.test_judgments["evidence_id"].to_list() == ["open"]


def test_a_stratum_missing_from_a_side_is_told() -> None:
    asked = plain(4, slices={"q00": ["rare"], "q01": ["common"], "q02": ["common"]})
    strata = staged(asked, assigned(asked)).leakage["strata"]
    assert strata["columns"] == ["dev", "test"]
    assert sum(count for name, *counts in strata["rows"] for count in counts) == 4
    assert any(name == "rare" for name, _ in strata["empty"])


def test_a_label_missing_from_a_fold_is_told_and_the_split_stands() -> None:
    labels = {"u": "1", "v": "10", "w": "0", "x": "2", "y": "2"}
    rows = [(f"{group}{i}", group, label) for group, own in labels.items()
            for i, label in enumerate(own)]  # fmt: skip
    asked = queries(
        {query: query for query, _, _ in rows},
        conversation={query: group for query, group, _ in rows},
        slices={query: [label] for query, _, label in rows},
    )
    sides = assigned(asked, protocol="crossfit", folds=2)
    table = staged(asked, sides, protocol="crossfit", folds=2).leakage["strata"]
    assert table["rows"] == [["0", 1, 1], ["1", 1, 1], ["2", 1, 1]]
    assert table["empty"] == []
    lone = [Side(query, group, "crossfit", int(group in "xy")) for query, group, _ in rows]
    table = staged(asked, lone, protocol="crossfit", folds=2).leakage["strata"]
    assert table["rows"] == [["0", 2, 0], ["1", 2, 0], ["2", 0, 2]]
    assert [name for name, _ in table["empty"]] == ["0", "1", "2"]


def test_the_largest_group_is_reported() -> None:
    asked = plain(4, conversation={"q00": "c", "q01": "c"})
    groups = staged(asked, assigned(asked)).leakage["groups"]
    assert groups == {"count": 3, "largest": 2, "largest_share": 0.5}


def test_slices_are_spread_over_the_sides() -> None:
    slices = {f"q{i:02}": ["short"] if i < 12 else ["long"] for i in range(24)}
    asked = plain(24, slices=slices)
    rows = staged(asked, assigned(asked)).leakage["strata"]["rows"]
    assert rows == [["long", 6, 6], ["short", 6, 6]]


def test_realised_shares_stand_beside_the_declared_ones() -> None:
    shares = {"dev": 0.7, "test": 0.3}
    asked = plain(20)
    table = staged(asked, assigned(asked, shares=shares), shares=shares).summary["table"]
    assert table["rows"] == [["dev", None, 0.7, 0.7, 14, 14], ["test", None, 0.3, 0.3, 6, 6]]


CONVERSATIONS = st.lists(st.sampled_from("abcdefg") | st.none(), min_size=8, max_size=20)


def conversing(conversations: list[str | None]) -> pl.DataFrame:
    named = {f"q{i:02}": name for i, name in enumerate(conversations) if name is not None}
    return plain(len(conversations), conversation=named)


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(CONVERSATIONS, st.sampled_from(["holdout", "crossfit"]), st.integers(0, 3))
def test_no_group_crosses_sides(conversations: list[str | None], protocol: str, seed: int) -> None:
    declared = params(
        {"bm25": {"kind": "bm25"}}, seed=seed, splits={"protocol": protocol, "folds": 2}
    )
    asked = conversing(conversations)
    try:
        sides = split_queries(asked, NO_JUDGMENTS, NO_DOCUMENTS, declared)
    except ParameterError:
        assert len({name or i for i, name in enumerate(conversations)}) < 2
        return
    homes: dict[str, set[Any]] = {}
    for side, name in zip(sides, conversations, strict=True):
        if name is not None:
            homes.setdefault(name, set()).add((side.part, side.group_id))
    assert all(len(home) == 1 for home in homes.values())
    result = compute(
        documents=NO_DOCUMENTS,
        queries=asked,
        judgments=NO_JUDGMENTS,
        sides=sides,
        params=declared,
    )
    assert result.leakage["crossing"]["count"] == 0


@given(CONVERSATIONS, st.randoms(use_true_random=False))
def test_the_order_of_rows_decides_nothing(conversations: list[str | None], random) -> None:
    asked = conversing([*conversations, None, None])
    order = list(range(asked.height))
    random.shuffle(order)
    assert assigned(asked) == assigned(asked[order])


@given(CONVERSATIONS, st.integers(2, 6))
def test_assigning_in_two_steps_never_moves_anyone(
    conversations: list[str | None], later: int
) -> None:
    asked = conversing([*conversations, None, None])
    early = asked.head(asked.height - later)
    try:
        first = assigned(early)
    except ParameterError:
        return
    second = assigned(asked, tuple(first))
    assert {side.query_id for side in [*first, *second]} == set(asked["query_id"])
    assert not {side.query_id for side in first} & {side.query_id for side in second}
    staged(asked, [*first, *second])


SCRIPT = """
import sys
from pathlib import Path
from pipeline.splits import compute, split_queries
from pipeline.storage import to_json, write_table
from pipeline.tables import DEV_JUDGMENTS, SPLITS
from tests.rows import documents, judgments, params, queries

reverse = sys.argv[2] == "reverse"
slices = {f"q{i}": ["x", "y"][: i % 3] for i in range(50)}
asked = queries({name: f"text of {name}" for name in slices}, slices=slices)
graded = judgments({(f"q{i}", f"d{j}"): (i + j) % 3 for i in range(50) for j in range(20)})
library = documents({f"d{j}": "" for j in range(20)})
study = params({"bm25": {"kind": "bm25"}}, splits={"independent": True})
if reverse:
    asked, graded, library = asked.reverse(), graded.reverse(), library.reverse()
sides = split_queries(asked, graded, library, study)
result = compute(documents=library, queries=asked, judgments=graded, sides=sides, params=study)
folder = Path(sys.argv[1])
write_table(folder / "splits.parquet", result.splits, SPLITS)
write_table(folder / "dev.parquet", result.dev_judgments, DEV_JUDGMENTS)
(folder / "leakage.json").write_text(to_json(result.leakage))
"""


def test_bytes_do_not_depend_on_threads_hash_seed_or_the_order_of_rows(tmp_path: Path) -> None:
    digests = set()
    for threads, seed, order in (("1", "1", "forward"), ("4", "2", "reverse")):
        folder = tmp_path / threads
        folder.mkdir()
        environment = os.environ | {"POLARS_MAX_THREADS": threads, "PYTHONHASHSEED": seed}
        root = Path(__file__).parents[3]
        command = [sys.executable, "-c", SCRIPT, str(folder), order]
        subprocess.run(command, check=True, env=environment, cwd=root)
        content = b"".join(file.read_bytes() for file in sorted(folder.iterdir()))
        digests.add(hashlib.sha256(content).hexdigest())
    assert len(digests) == 1


@pytest.mark.parametrize(("name", "groups"), [("scifact", 247), ("stackfaq", 125)])
def test_real_collections_split_by_shared_evidence(
    collections: Path, name: str, groups: int
) -> None:
    folder = collections / name
    collection = collection_from_files(
        runs={},
        documents=folder / "corpus.jsonl.gz",
        queries=folder / "queries.jsonl",
        judgments=folder / "qrels/test.tsv",
    )
    sides = split_queries(collection.queries, collection.judgments, collection.documents, study())
    assert len({side.group_id for side in sides}) == groups
    share = len(on(sides, "dev")) / len(sides)
    assert abs(share - 0.5) < 0.01


def test_exhaustive_judgments_that_tie_everything_name_what_to_write(collections: Path) -> None:
    folder = collections / "cranfield"
    collection = collection_from_files(
        runs={},
        documents=folder / "corpus.jsonl.gz",
        queries=folder / "queries.jsonl",
        judgments=folder / "qrels/test.tsv",
    )
    with pytest.raises(ParameterError, match=r"161 of 225 .*splits\.independent: true"):
        split_queries(collection.queries, collection.judgments, collection.documents, study())


def test_the_ideal_list_is_of_what_the_principal_may_see_at_its_date() -> None:
    """A list that holds all its principal may see is perfect, whatever others could have had."""
    year = {y: datetime(y, 1, 1, tzinfo=UTC) for y in (2024, 2025)}
    library = documents(
        dict.fromkeys(["open", "closed", "expired"], ""),
        tenant={"closed": "acme"},
        valid_to={"expired": year[2024]},
    )
    asked = plain(2, tenant={"q00": "acme"}, as_of=dict.fromkeys(["q00", "q01"], year[2025]))
    grades = {"open": 1, "closed": 3, "expired": 2}
    result = compute(
        documents=library,
        queries=asked,
        judgments=judgments({(q, d): g for q in ("q00", "q01") for d, g in grades.items()}),
        sides=[Side(q, q, "test") for q in ("q00", "q01")],
        params=study(independent=True, shares={"test": 1.0}),
    )
    listed = pl.DataFrame(
        {"query_id": ["q00", "q01"], "rank": [1, 1], "evidence_id": ["open", "open"]}
    )
    values = per_query(listed, result.test_judgments, ["nDCG@5", "R@5"])
    by_query = {(q, m): v for q, m, v in values.iter_rows()}
    assert by_query[("q01", "nDCG@5")] == by_query[("q01", "R@5")] == 1.0
    # acme could have seen `closed`, too: 1 of (3 + 1/log2(3)) at best, and one of two items.
    assert by_query[("q00", "nDCG@5")] == pytest.approx(1 / (3 + 1 / math.log2(3)))
    assert by_query[("q00", "R@5")] == 0.5
