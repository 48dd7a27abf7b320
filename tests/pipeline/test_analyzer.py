"""The analyzer: what a text is found by."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.analyzer import Analyzer, fold, identifiers
from pipeline.errors import ParameterError

ENGLISH = Analyzer("english")
PLAIN = Analyzer()


def test_an_identifier_is_kept_whole_and_in_parts() -> None:
    assert PLAIN.terms("seal KX-0417-B") == ["seal", "kx-0417-b", "kx", "0417", "b"]
    assert PLAIN.terms("max_connections") == ["max_connections", "max", "connections"]


def test_typographic_hyphens_in_an_identifier_are_hyphens() -> None:
    assert PLAIN.terms("PAY\u20111047 PAY\u20131047") == 2 * ["pay-1047", "pay", "1047"]


def test_a_joined_word_without_digits_is_its_parts() -> None:
    assert ENGLISH.terms("sign-off") == ENGLISH.terms("sign off")


def test_a_decimal_number_is_one_term() -> None:
    assert PLAIN.terms("p 0.05, v2.3") == ["p", "0.05", "v2.3", "v2", "3"]


def test_text_without_blanks_does_not_become_one_token() -> None:
    assert PLAIN.terms("冷却水") == ["冷却", "却水"]
    assert PLAIN.terms("水") == ["水"]
    assert PLAIN.terms("น้ำ") != ["น้ำ"]


def test_an_identifier_inside_text_without_blanks_is_found() -> None:
    assert "kx-0417" in PLAIN.terms("冷却水KX-0417の温度")


def test_combining_marks_do_not_cut_words() -> None:
    assert PLAIN.terms("हिन्दी में") == ["हिन्दी", "में"]


def test_composed_and_decomposed_letters_meet() -> None:
    assert PLAIN.terms("caf\u00e9") == PLAIN.terms("cafe\u0301")


@pytest.mark.parametrize(
    ("one", "other"), [("Straße", "STRASSE"), ("İstanbul", "istanbul"), ("ﬁle", "FILE")]
)
def test_case_does_not_matter(one: str, other: str) -> None:
    assert PLAIN.terms(one) == PLAIN.terms(other)


def test_stop_words_are_left_out_and_words_stemmed_in_the_language_only() -> None:
    assert ENGLISH.terms("to be or not to be") == []
    assert ENGLISH.terms("the pumps of the operator's") == ["pump", "oper"]
    assert PLAIN.terms("the pumps") == ["the", "pumps"]
    assert Analyzer("german").terms("und die Häuser") == ["haus"]


def test_query_syntax_is_plain_text() -> None:
    asked = ["pump stopped, code: {7}", "operator's valve", "-40 degrees", "a/b (c", "title:x"]
    found = [PLAIN.terms(query) for query in asked]
    assert found == [
        ["pump", "stopped", "code", "7"],
        ["operator", "s", "valve"],
        ["40", "degrees"],
        ["a", "b", "c"],
        ["title", "x"],
    ]


def test_a_language_without_a_stop_word_list_still_stems() -> None:
    assert Analyzer("finnish").describe()["stop_words"] == 0


def test_an_unknown_language_is_refused_with_the_nearest() -> None:
    with pytest.raises(ParameterError, match="'english'"):
        Analyzer("englsh")


def test_exact_codes_of_a_text() -> None:
    assert identifiers("Why does PAY-1047 fail on node7 after 3 days?") == ["pay-1047", "node7"]


@given(st.text())
def test_normal_forms_are_one(text: str) -> None:
    forms = {tuple(PLAIN.terms(unicodedata.normalize(form, text))) for form in ("NFC", "NFD")}
    assert len(forms) == 1


@given(st.text(alphabet=st.characters(max_codepoint=0x24F)))
def test_words_are_those_of_the_folded_text(text: str) -> None:
    assert PLAIN.terms(fold(text)) == PLAIN.terms(text)
