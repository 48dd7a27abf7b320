"""The ledger: what is one opening, and at what level it is judged."""

import math
from datetime import UTC, datetime

import pytest
import rows

from pipeline.errors import RecordError
from pipeline.ledger import (
    Opening,
    alpha_at,
    last_of,
    moment_of_next,
    opening_line,
    opening_of,
    parse_ledger,
    procedure,
    selection_hash,
    test_set_hash,
)

RRF = {"method": "rrf", "rank_constant": 60.0, "weights": {"a": 0.5, "b": 0.5}, "depths": {}}
RECORDED = {"kind": "recorded", "run": "r", "depth": 10}


def opening(test_set: str, selection: str) -> Opening:
    return Opening(test_set, selection, RRF, "2026-01-01T00:00:00+00:00")


def test_a_selection_opened_again_is_the_same_opening() -> None:
    ledger = [opening("t", "s1"), opening("t", "s2"), opening("t", "s1"), opening("t", "s3")]
    assert [opening_of(ledger, "t", s) for s in ("s1", "s2", "s3")] == [1, 2, 3]


def test_a_selection_never_opened_on_this_test_set_is_sealed() -> None:
    ledger = [opening("other", "s1"), opening("t", "s2")]
    assert opening_of(ledger, "t", "s1") is None
    assert opening_of(ledger, "t", "s2") == 1


def test_the_last_line_of_a_test_set_is_the_one_kept() -> None:
    ledger = [opening("t", "s1"), opening("t", "s2"), opening("other", "s3")]
    kept = last_of(ledger, "t")
    assert kept is not None
    assert kept.selection == "s2"
    assert last_of(ledger, "none") is None


def test_lines_count_by_their_moment_however_two_branches_of_git_were_merged() -> None:
    lines = [
        Opening("t", selection, RRF, moment).line()
        for selection, moment in [
            ("s3", "2026-01-02T00:00:00+02:00"),  # 22:00 UTC of the day before
            ("s1", "2026-01-01T20:00:00"),  # without a zone it is UTC
            ("s2", "2026-01-01T21:00:00+00:00"),
        ]
    ]
    for record in (lines, lines[::-1]):
        ledger = parse_ledger(record)
        assert [opening_of(ledger, "t", s) for s in ("s1", "s2", "s3")] == [1, 2, 3]
        kept = last_of(ledger, "t")
        assert kept is not None
        assert kept.selection == "s3"


def test_the_first_opening_has_the_whole_level_and_later_ones_ever_less() -> None:
    assert alpha_at(0.05, 1) == 0.05
    assert alpha_at(0.05, 2) == pytest.approx(0.05 * 6 / (math.pi**2 * 4))
    assert alpha_at(0.05, 3) == pytest.approx(0.05 * 6 / (math.pi**2 * 9))


def test_any_number_of_openings_spends_less_than_two_fifths_more_than_alpha() -> None:
    assert sum(alpha_at(0.05, m) for m in range(1, 100_000)) < 1.4 * 0.05


def test_openings_are_counted_from_one() -> None:
    with pytest.raises(RecordError, match="found 0"):
        alpha_at(0.05, 0)


def test_a_line_written_and_read_again_is_the_same() -> None:
    line = opening("t", "s").line()
    assert parse_ledger([line])[0].line() == line


def test_an_opening_on_a_clock_that_was_set_back_stands_after_the_earlier_ones() -> None:
    now = datetime(2026, 1, 1, 12, 0, 0, 700, tzinfo=UTC)
    earlier = [
        Opening("t", "s1", RRF, "2026-01-01T16:00:00.5+02:00"),
        Opening("other", "s0", RRF, "2027-01-01T00:00:00+00:00"),
    ]
    moment = moment_of_next(earlier, "t", now)
    lines = [one.line() for one in (*earlier, Opening("t", "s2", RRF, moment))]
    assert opening_of(parse_ledger(lines), "t", "s2") == 2
    assert moment_of_next([], "t", now) == "2026-01-01T12:00:00+00:00"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"opened_at": "yesterday"}, "opened_at is no date"),
        ({"test_set": 7}, "test_set is no text"),
        ({"configuration": "rrf"}, "cannot be rebuilt"),
        ({"note": "x"}, "not a test opening"),
    ],
)
def test_a_line_that_is_no_opening_is_named(change: dict[str, object], message: str) -> None:
    lines = [opening("t", "s").line(), opening("t", "s").line() | change]
    with pytest.raises(RecordError, match=message) as caught:
        parse_ledger(lines)
    assert str(caught.value).startswith("data/ledger.jsonl:2")


def test_a_line_may_tell_the_limits_at_opening() -> None:
    selection = {
        "configuration": {"id": "x", **RRF},
        "folds": None,
        "hashes": {"selection": "s", "test_set": "t"},
    }
    line = opening_line(selection, opened_at="2026-01-01", limits={"question": "improve"})
    (opening,) = parse_ledger([line])
    assert opening.limits == {"question": "improve"}
    assert opening.line() == line
    with pytest.raises(RecordError, match="limits are no mapping"):
        parse_ledger([{**line, "limits": 3}])


def test_the_line_of_a_crossfit_selection_keeps_every_folds_configuration() -> None:
    chosen = {"id": "x", **RRF, "description": "words"}
    selection = {
        "configuration": chosen,
        "folds": {"0": chosen, "1": chosen},
        "hashes": {"selection": "s", "test_set": "t"},
    }
    line = opening_line(selection, opened_at="2026-01-01")
    assert line["configuration"] == {
        "id": "x",
        **RRF,
        "folds": {f: {"id": "x", **RRF} for f in "01"},
    }


def test_the_test_set_is_its_queries_and_their_texts_in_any_order() -> None:
    sides = {"q1": "test", "q2": "test", "q3": "dev"}
    texts = {"q1": "one", "q2": "two", "q3": "three"}
    known = test_set_hash(rows.splits(sides), rows.queries(texts))
    turned = test_set_hash(
        rows.splits(dict(reversed(sides.items()))), rows.queries(dict(reversed(texts.items())))
    )
    assert known == turned
    assert known == test_set_hash(rows.splits(sides), rows.queries(texts | {"q3": "other"}))
    assert known != test_set_hash(rows.splits(sides), rows.queries(texts | {"q2": "other"}))
    assert known != test_set_hash(rows.splits(sides | {"q3": "test"}), rows.queries(texts))


def test_a_selection_is_configuration_contract_and_branches_whatever_is_judged() -> None:
    plain = rows.params({"a": RECORDED, "b": RECORDED})
    known = selection_hash(RRF, plain)
    assert known == selection_hash(dict(reversed(RRF.items())), plain)
    assert known == selection_hash(
        RRF, rows.params({"b": RECORDED, "a": RECORDED}, question="not_worse")
    )
    others = [
        selection_hash(RRF | {"rank_constant": 10.0}, plain),
        selection_hash(RRF, rows.params({"a": RECORDED, "b": RECORDED | {"order": "rank"}})),
        selection_hash(
            RRF, rows.params({"a": RECORDED, "b": RECORDED}, fusion={"level": "source"})
        ),
    ]
    assert len({known, *others}) == 4


def test_a_crossfit_procedure_is_grid_rule_and_folds_but_not_their_spelling() -> None:
    def of(fold: int = 1, **sections: object) -> dict[str, object]:
        sides = [
            {"query_id": q, "group_id": q, "split": "crossfit", "fold": f}
            for q, f in (("q1", 0), ("q2", fold))
        ]
        params = rows.params({"a": RECORDED, "b": RECORDED}, **sections)
        return procedure(rows.table(rows.SPLITS, sides), params)

    assert of(sweep={"rank_constants": [10, 60]}) == of(sweep={"rank_constants": [60.0, 10.0]})
    assert of() == of(sweep={"measures": ["P@1"]})
    assert of() != of(fold=0)
    assert of() != of(sweep={"weight_step": 0.2})
    assert of() != of(selection={"stable_share": 0.5})
