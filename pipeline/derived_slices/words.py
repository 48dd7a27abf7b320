"""Slices told by a query's words; those bound to a language say to which."""

import re
from collections.abc import Iterator, Mapping

from pipeline.analyzer import Analyzer, identifiers
from pipeline.derived_slices.known import Known

SHORT, LONG = 3, 10  # terms: up to, from

_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?!\w)")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_ACRONYM = re.compile(r"(?<!\w)[^\W\d_a-z]{2,6}s?(?!\w)")

# By language; queries in others are in none of these two slices.
NEGATION: Mapping[str, str] = {
    "de": "nicht kein keine keinen keinem keiner ohne nie niemals",
    "en": "not no never without none neither nor cannot can't don't doesn't isn't won't didn't",
    "es": "no sin nunca ningún ninguna ninguno jamás tampoco",
    "fr": "pas sans jamais aucun aucune ni non",
}
TEMPORAL: Mapping[str, str] = {
    "de": "wann seit bis vor nach heute gestern morgen aktuell neueste zuletzt jahr monat datum",
    "en": "when since until before after today yesterday tomorrow currently latest recent "
    "recently now year month date",
    "es": "cuándo desde hasta antes después hoy ayer mañana actualmente último reciente año mes",
    "fr": "quand depuis jusqu'à avant après aujourd'hui hier demain actuellement dernier récent",
}


def short(known: Known) -> Iterator[str]:
    """Up to three terms."""
    return (query for query, terms in _lengths(known) if terms <= SHORT)


def long(known: Known) -> Iterator[str]:
    """Ten terms or more."""
    return (query for query, terms in _lengths(known) if terms >= LONG)


def _lengths(known: Known) -> Iterator[tuple[str, int]]:
    analyzer = Analyzer()
    return ((query, len(analyzer.terms(text))) for query, text in known.texts())


def exact_identifier(known: Known) -> Iterator[str]:
    """An exact code, by `evaluation.slices.identifier` or by letters and digits joined."""
    pattern = known.params.identifier
    for query, text in known.texts():
        if identifiers(text) if pattern is None else re.search(pattern, text):
            yield query


def numbers(known: Known) -> Iterator[str]:
    """A number by itself."""
    return (query for query, text in known.texts() if _NUMBER.search(text))


def acronym(known: Known) -> Iterator[str]:
    """Two to six capitals, in scripts that have them and a text that is not all capitals."""
    for query, text in known.texts():
        if _ACRONYM.search(text) and text != text.upper():
            yield query


def negation(known: Known) -> Iterator[str]:
    """A negating word of its language."""
    return _with_words(known, NEGATION)


def temporal(known: Known) -> Iterator[str]:
    """A year, or a word of time in its language."""
    dated = {query for query, text, _ in known.spoken() if _YEAR.search(text)}
    return iter(sorted(dated | set(_with_words(known, TEMPORAL))))


def _with_words(known: Known, lists: Mapping[str, str]) -> Iterator[str]:
    words = {language: frozenset(listed.split()) for language, listed in lists.items()}
    for query, text, language in known.spoken():
        spoken = re.findall(r"[\w']+", text.casefold().replace("\u2019", "'"))
        if words.get(language, frozenset()).intersection(spoken):
            yield query
