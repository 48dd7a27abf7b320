"""The handbook keeps what its card promises, and the validator notices where it would not."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[1] / "data" / "collections" / "handbook"
sys.path.append(str(FOLDER))  # the checks live beside the data that they are about

from checks import defects, promises  # noqa: E402
from checks.records import Handbook, eligible, query_groups, read_handbook  # noqa: E402

Row = dict[str, Any]
Defects = Callable[[Handbook], Iterator[str]]
Count = Callable[[Handbook], list[promises.Promise]]


@pytest.fixture(scope="module")
def handbook() -> Handbook:
    return read_handbook(FOLDER)


@pytest.mark.parametrize("find", [defects.incomplete, *defects.DEFECTS])
def test_no_defect(handbook: Handbook, find: Defects) -> None:
    assert list(find(handbook)) == []


@pytest.mark.parametrize("count", promises.PROMISES)
def test_every_promise_kept(handbook: Handbook, count: Count) -> None:
    assert [promise for promise in count(handbook) if not promise.kept] == []


def test_command_ends_with_zero() -> None:
    command = [sys.executable, "-B", str(FOLDER / "validate.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "0 defects")


# A collection of two passages and two questions, without fault: each test breaks one thing.

PAGE: Row = {
    "doc_id": "d1",
    "text": "Eight days travel with you.",
    "evidence_id": "e1",
    "source_id": "s1",
    "tenant": "ondravel",
    "groups": ["hr"],
    "valid_from": "2026-01-01",
    "locale": "en",
    "kind": "policy",
    "links": [{"to": "d0", "kind": "supersedes"}],
}
OLD_PAGE: Row = {
    "doc_id": "d0",
    "text": "Five days travel with you.",
    "evidence_id": "e0",
    "source_id": "s1",
    "valid_from": "2024-01-01",
    "valid_to": "2026-01-01",
    "superseded_by": "d1",
    "locale": "en",
    "kind": "policy",
}
QUESTION: Row = {
    "query_id": "q1",
    "text": "carry over days",
    "tenant": "ondravel",
    "groups": ["hr", "legal"],
    "as_of": "2026-03-31",
    "locale": "en",
    "slices": ["keyword"],
    "required_evidence": ["e1"],
}
UNANSWERABLE: Row = {
    "query_id": "q2",
    "text": "swiss francs",
    "as_of": "2025-03-31",
    "locale": "en",
    "slices": ["unanswerable"],
    "answerable": False,
}
GRADE: Row = {"query_id": "q1", "evidence_id": "e1", "grade": 3}
NOTHING: Row = {"query_id": "q2", "evidence_id": "e0", "grade": 0}

SOUND = Handbook([OLD_PAGE, PAGE], [QUESTION, UNANSWERABLE], {"author": [GRADE, NOTHING]})


def _page(**changed: object) -> Handbook:
    return replace(SOUND, documents=[OLD_PAGE, PAGE | changed])


def _old_page(**changed: object) -> Handbook:
    return replace(SOUND, documents=[OLD_PAGE | changed, PAGE])


def _question(**changed: object) -> Handbook:
    return replace(SOUND, queries=[QUESTION | changed, UNANSWERABLE])


def _judgments(*rows: Row, later: tuple[Row, ...] = ()) -> Handbook:
    return replace(SOUND, rounds={"author": list(rows), "pool": list(later)})


@pytest.mark.parametrize("find", [defects.incomplete, *defects.DEFECTS])
def test_sound_collection_has_no_defect(find: Defects) -> None:
    assert list(find(SOUND)) == []


BREACHES: list[tuple[str, Defects, Handbook]] = [
    ("passage without text", defects.incomplete, _page(text="")),
    ("question without date", defects.incomplete, _question(as_of=None)),
    ("judgment of no query", defects.incomplete, _judgments({"evidence_id": "e1", "grade": 1})),
    ("two passages of one id", defects.repeated_ids, _page(doc_id="d0")),
    ("two questions of one id", defects.repeated_ids, _question(query_id="q2")),
    ("one pair graded twice in a round", defects.repeated_ids, _judgments(GRADE, GRADE)),
    ("link to nowhere", defects.dangling_links, _page(links=[{"to": "d9", "kind": "mentions"}])),
    ("link to itself", defects.dangling_links, _page(links=[{"to": "d1", "kind": "mentions"}])),
    ("successor that is missing", defects.dangling_links, _old_page(superseded_by="d9")),
    ("no such day", defects.wrong_dates, _question(as_of="2026-02-30")),
    ("a day in another form", defects.wrong_dates, _page(valid_from="20260101")),
    ("ends before it begins", defects.wrong_dates, _page(valid_to="2025-12-31")),
    ("successor is older", defects.wrong_dates, _page(valid_from="2023-01-01")),
    ("unknown tenant", defects.unknown_access, _page(tenant="elsewhere", groups=[])),
    ("the other tenant's group", defects.unknown_access, _question(groups=["dispatch"])),
    ("group without tenant", defects.unknown_access, _old_page(groups=["hr"])),
    ("misspelt slice", defects.unknown_slices, _question(slices=["keywords"])),
    (
        "German under an English flag",
        defects.foreign_locales,
        _question(text="wie lange ist das Büro in den Ferien auf und wer hat den Schlüssel"),
    ),
    (
        "locale that nobody knows",
        defects.foreign_locales,
        _page(locale="nl", text="de dag en nacht"),
    ),
    ("grade off the scale", defects.malformed_judgments, _judgments(GRADE | {"grade": 4})),
    ("half a grade", defects.malformed_judgments, _judgments(GRADE | {"grade": 1.5})),
    (
        "a grade and a status",
        defects.malformed_judgments,
        _judgments(GRADE | {"status": "unknown"}),
    ),
    (
        "no such status",
        defects.malformed_judgments,
        _judgments({"query_id": "q1", "evidence_id": "e1", "status": "maybe"}),
    ),
    (
        "evidence that is missing",
        defects.malformed_judgments,
        _judgments(GRADE | {"evidence_id": "e9"}),
    ),
    (
        "a visitor needs an inner page",
        defects.unreachable_evidence,
        _question(tenant=None, groups=[]),
    ),
    ("the wrong group needs it", defects.unreachable_evidence, _question(groups=["legal"])),
    ("needed before it was in force", defects.unreachable_evidence, _question(as_of="2025-12-31")),
    ("required, though graded 1", defects.unreachable_evidence, _judgments(GRADE | {"grade": 1})),
    (
        "required, graded by a later round alone",
        defects.unreachable_evidence,
        _judgments(NOTHING, later=(GRADE,)),
    ),
    ("answerable by nothing", defects.unreachable_evidence, _question(required_evidence=[])),
    (
        "unanswerable, yet graded by a later round",
        defects.answered_unanswerables,
        _judgments(GRADE, later=(NOTHING | {"grade": 2},)),
    ),
]


@pytest.mark.parametrize(
    ("find", "broken"),
    [breach[1:] for breach in BREACHES],
    ids=[breach[0] for breach in BREACHES],
)
def test_each_defect_is_found(find: Defects, broken: Handbook) -> None:
    assert len(list(find(broken))) == 1


def test_every_kind_of_defect_is_tried() -> None:
    assert {find for _, find, _ in BREACHES} == {defects.incomplete, *defects.DEFECTS}


def _short(count: Count, collection: Handbook) -> set[str]:
    return {promise.name for promise in count(collection) if not promise.kept}


def test_two_passages_fall_short_of_every_size() -> None:
    assert len(_short(promises.sizes, SOUND)) == len(promises.sizes(SOUND))


def test_too_few_groups_of_which_one_is_half() -> None:
    assert _short(promises.grouping, SOUND) == {"query groups", "share of the largest group"}


def test_twenty_questions_fill_a_slice_and_nineteen_do_not() -> None:
    full = [QUESTION | {"query_id": f"q{number}"} for number in range(20)]
    assert "queries of keyword" not in _short(promises.slices, replace(SOUND, queries=full))
    assert "queries of keyword" in _short(promises.slices, replace(SOUND, queries=full[1:]))


def test_critical_slices_are_counted_in_groups() -> None:
    asked = QUESTION | {"slices": ["paraphrase"]}
    alone = [asked | {"query_id": f"q{number}"} for number in range(120)]
    joined = [query | {"entity": "one"} for query in alone]
    assert "groups of paraphrase" not in _short(promises.slices, replace(SOUND, queries=alone))
    assert "groups of paraphrase" in _short(promises.slices, replace(SOUND, queries=joined))


def test_any_of_the_keys_joins_and_joins_on() -> None:
    queries = [
        QUESTION | {"query_id": "a", "conversation": "c"},
        QUESTION | {"query_id": "b", "conversation": "c", "entity": "e"},
        QUESTION | {"query_id": "c", "entity": "e"},
        QUESTION | {"query_id": "d", "template": "e"},
    ]
    group = query_groups(replace(SOUND, queries=queries))
    assert group["a"] == group["b"] == group["c"] != group["d"]


def test_a_phrase_with_other_names_and_numbers_recurs() -> None:
    said = "Ask Garrick before day {} and then wait for the printed list"
    twice = [
        PAGE | {"text": said.format(4)},
        OLD_PAGE | {"text": said.format(9).replace("Garrick", "Sieglind")},
    ]
    known = replace(SOUND, documents=twice, names=frozenset({"garrick", "sieglind"}))
    assert _short(promises.recurrence, known) == {"8-word runs that recur across evidence"}


def test_a_republished_copy_does_not_recur() -> None:
    said = {"text": "one two three four five six seven eight", "evidence_id": "e1"}
    copies = replace(SOUND, documents=[PAGE | said, OLD_PAGE | said])
    assert _short(promises.recurrence, copies) == set()


def test_a_judgment_of_hidden_evidence_is_counted() -> None:
    hidden = _judgments(
        GRADE, later=({"query_id": "q2", "evidence_id": "e1", "status": "unknown"},)
    )
    assert promises.visibility(hidden)[0].figure == "1 (none)"
    assert _short(promises.visibility, hidden) == {"judgments of invisible evidence"}


def test_any_shared_group_admits_and_the_last_day_does_not() -> None:
    assert eligible(PAGE, QUESTION)
    assert eligible(OLD_PAGE, QUESTION | {"as_of": "2025-12-31"})
    assert not eligible(OLD_PAGE, QUESTION | {"as_of": "2026-01-01"})
    assert not eligible(PAGE, QUESTION | {"tenant": "marrowick"})


def test_nothing_unknown_nothing_abstained_nothing_judged_again() -> None:
    assert _short(promises.statuses, SOUND) == {
        "unknown",
        "abstained",
        "pairs judged again in the second round",
    }
    assert _short(promises.agreements, SOUND) == {"agreement with the second round"}


def test_one_of_two_pairs_unknown_and_judged_again_is_enough() -> None:
    unsure = {"query_id": "q2", "evidence_id": "e0", "status": "unknown"}
    rounds = {"author": [GRADE], "pool": [unsure], "second": [GRADE]}
    assert _short(promises.statuses, replace(SOUND, rounds=rounds)) == {"abstained"}
    assert _short(promises.agreements, replace(SOUND, rounds=rounds)) == set()


def test_agreement_as_on_paper() -> None:
    """One says 0 0 3 3, the other 0 0 2 3: three of four exact, squares 0 0 1 0 apart."""
    pairs = [("a", 0, 0), ("b", 0, 0), ("c", 3, 2), ("d", 3, 3)]
    one = [{"query_id": query, "evidence_id": "e", "grade": grade} for query, grade, _ in pairs]
    other = [{"query_id": query, "evidence_id": "e", "grade": grade} for query, _, grade in pairs]
    by_chance = (2 * (0 + 0 + 4 + 9) + 2 * (9 + 9 + 1 + 0)) / 16  # each with each
    assert promises.agreement(one, other) == (4, 0.75, pytest.approx(1 - (1 / 4) / by_chance))


def test_no_common_pair_no_agreement() -> None:
    assert promises.agreement([GRADE], [NOTHING]) is None


def test_line_that_is_no_json_is_told_by_file_and_number(tmp_path: Path) -> None:
    (tmp_path / "judgments").mkdir()
    for name in ("facts.yaml", "queries.jsonl"):
        (tmp_path / name).write_text("", encoding="utf-8")
    (tmp_path / "documents.jsonl").write_text('{"doc_id": "d1"}\n{doc_id\n', encoding="utf-8")
    with pytest.raises(SystemExit, match=r"documents\.jsonl:2"):
        read_handbook(tmp_path)
