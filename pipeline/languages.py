"""Stop words and Snowball stemmers by language."""

import difflib
from collections.abc import Callable

from pipeline.errors import MissingError, ParameterError

NO_LANGUAGE = "none"

# Languages for which bm25s ships a stop word list, and its name there.
_SHIPPED = (
    "chinese danish dutch french german italian korean norwegian portuguese russian spanish "
    "swedish turkish"
)
_LISTS = {
    "english": "STOPWORDS_EN",
    **{language: f"STOPWORDS_{language.upper()}" for language in _SHIPPED.split()},
}


def stemmer(language: str) -> Callable[[str], str]:
    """The Snowball stemmer of a language; a language with stop words only keeps words whole.

    Raises:
        ParameterError: the language is unknown.
        MissingError: PyStemmer is not installed.
    """
    try:
        import Stemmer
    except ImportError as problem:
        raise MissingError(
            "the Snowball stemmers are not installed", next_command="pip install PyStemmer"
        ) from problem
    algorithms = set(Stemmer.algorithms())
    if language in algorithms:
        stem: Callable[[str], str] = Stemmer.Stemmer(language).stemWord
        return stem
    if language != NO_LANGUAGE and language not in _LISTS:
        known = sorted(algorithms | set(_LISTS) | {NO_LANGUAGE})
        nearest = difflib.get_close_matches(language, known, n=1)
        raise ParameterError(
            "unknown language",
            where="language",
            found=repr(language),
            expected=f"{nearest[0]!r}?" if nearest else ", ".join(known),
        )
    return str


def stop_words(language: str) -> tuple[str, ...]:
    """The stop words of a language; none where there is no list.

    Raises:
        MissingError: bm25s is not installed.
    """
    if language not in _LISTS:
        return ()
    try:
        from bm25s import stopwords
    except ImportError as problem:
        raise MissingError(
            "bm25s is not installed", next_command="pip install 'bm25s>=0.3.16,<0.4'"
        ) from problem
    return tuple(getattr(stopwords, _LISTS[language]))
