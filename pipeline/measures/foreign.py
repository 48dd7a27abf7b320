"""Measures that are not computed here: ir_measures parses their names and computes them.

It is imported where such a name is met, and not before.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
import polars as pl

from pipeline.errors import MissingError, ParameterError
from pipeline.measures.frames import Repeats
from pipeline.measures.lists import Values
from pipeline.measures.options import option_keys

# Those that give the same values on every machine and read what a study has: no Perl (gdeval), no
# subtopics (pyndeval), no clock (runtime).
PROVIDERS = ("pytrec_eval", "cwl_eval", "compat", "judged", "msmarco", "accuracy")


@lru_cache(maxsize=256)
def parse_foreign(name: str) -> tuple[str, int | None] | None:
    """A measure's name as ir_measures reads it.

    Args:
        name: `Rprec`, `SetF(beta=2.0)`, `nDCG(gains={1: 1, 2: 5})@10`, `IPrec@0.1`.

    Returns:
        Its family there and its cutoff in ranks, if it has one; None where ir_measures does not
        know it either.

    Raises:
        ParameterError: it is known, but has an option it cannot have or lacks one it needs, or
            nothing here computes it.
        MissingError: what computes it there is not installed.
    """
    import ir_measures

    try:
        measure = ir_measures.parse_measure(name)
    except (NameError, ValueError, TypeError, SyntaxError):
        return None
    _check_options(measure, name)
    _provider(measure, name)
    cutoff = measure.params.get("cutoff")
    return str(measure.NAME), cutoff if isinstance(cutoff, int) else None


def _check_options(measure: Any, name: str) -> None:
    allowed: Mapping[str, Any] = measure.SUPPORTED_PARAMS
    given: Mapping[str, object] = measure.params
    lacking = [f"no {key}" for key, one in allowed.items() if one.required and key not in given]
    unknown = [key for key in given if key not in allowed]
    wrong = [
        f"{key}={value!r}"
        for key, value in given.items()
        if key in allowed and not allowed[key].validate(value)
    ]
    if lacking or unknown or wrong:
        raise ParameterError(
            f"measure {name!r} has options it cannot have, or lacks one",
            found=", ".join([*lacking, *unknown, *wrong]),
            expected=f"of ir_measures' {', '.join(allowed) or 'no options'}",
        )


def foreign_names() -> list[str]:
    """The names that ir_measures knows."""
    import ir_measures

    return sorted(ir_measures.measures.registry)


def foreign_values(
    names: Sequence[str],
    run: pl.DataFrame,
    pairs: pl.DataFrame,
    queries: Sequence[str],
    *,
    rel: int,
    repeats: Repeats,
) -> Values:
    """The values of measures that ir_measures computes.

    Args:
        names: that `parse_foreign` takes.
        run: query_id, rank, evidence_id.
        pairs: as from `judged_pairs`.
        queries: the rows, in order.
        rel: lowest relevant grade, where a measure has that option and its name does not say.
        repeats: with `first_gains` a repeated evidence counts as one that nobody judged.

    Returns:
        (queries, names); NaN for a query without a relevant item, as for measures of our own.
    """
    import ir_measures

    values = np.full((len(queries), len(names)), np.nan)
    rows = {query: row for row, query in enumerate(queries)}
    asked = pairs.filter(pl.col("query_id").is_in(list(rows)))
    scored = [ir_measures.ScoredDoc(*row) for row in _scored(run, list(rows), repeats)]
    for column, name in enumerate(names):
        measure = _with_rel(ir_measures.parse_measure(name), name, rel)
        # trec_eval's code writes beside its memory where a query has grades below 0 alone.
        known = _of_queries_with(max(_threshold(measure, rel), 0), asked)
        qrels = [ir_measures.Qrel(*row) for row in known.iter_rows()]
        found = _computed(_provider(measure, name), measure, qrels, scored) if qrels else []
        for metric in found:
            values[rows[metric.query_id], column] = metric.value
    return values


def _of_queries_with(grade: int, pairs: pl.DataFrame) -> pl.DataFrame:
    """All pairs of the queries that have a pair of this grade or a higher one."""
    relevant = pairs.filter(pl.col("grade") >= grade).select("query_id").unique()
    return pairs.join(relevant, on="query_id", how="semi", maintain_order="left")


def _computed(
    provider: Any, measure: Any, qrels: Sequence[Any], scored: Sequence[Any]
) -> list[Any]:
    """What it yields; nothing for queries where it would divide by nothing."""
    try:
        return list(provider.iter_calc([measure], qrels, scored))
    except ZeroDivisionError:
        # Accuracy of a list without a non-relevant item: the other queries have their values.
        judged, listed = _by_query(qrels), _by_query(scored)
        if len(listed) == 1:
            return []
        alone = (_computed(provider, measure, judged[query], listed[query]) for query in listed)
        return list(chain.from_iterable(alone))


def _by_query(rows: Sequence[Any]) -> dict[str, list[Any]]:
    parts: defaultdict[str, list[Any]] = defaultdict(list)
    for row in rows:
        parts[row.query_id].append(row)
    return parts


def _provider(measure: Any, name: str) -> Any:
    """The first that computes it and is installed."""
    import ir_measures

    known = [ir_measures.providers.registry[one] for one in PROVIDERS]
    supporting = [one for one in known if one.supports(measure)]
    if not supporting:
        raise ParameterError(
            f"measure {name!r} is not computed here",
            found="only by parts of ir_measures that need Perl, subtopics or timings",
            expected=f"one that {', '.join(PROVIDERS)} compute from one grade for each pair",
        )
    for one in supporting:
        if one.is_available():
            return one
    wanted = supporting[0].NAME.replace("_", "-")
    raise MissingError(
        f"what computes {name!r} is not installed",
        where="Python",
        expected=f"ir-measures with {wanted}",
        next_command=f"pip install 'ir-measures[{wanted}]'",
    )


def _with_rel(measure: Any, name: str, rel: int) -> Any:
    """With the collection's threshold where it has one and the name does not say which.

    NumRelRet is ir_measures' word for NumRet(rel=1); NumRet itself counts whatever was returned.
    """
    if _has_threshold(measure) and "rel" not in option_keys(name):
        return measure(rel=rel)
    return measure


def _has_threshold(measure: Any) -> bool:
    option = measure.SUPPORTED_PARAMS.get("rel")
    return "rel" in measure.params or (option is not None and isinstance(option.default, int))


def _threshold(measure: Any, rel: int) -> int:
    """From which grade on an item is relevant to it; the collection's where it does not ask."""
    return int(measure["rel"]) if _has_threshold(measure) else rel


def _scored(
    run: pl.DataFrame, queries: list[str], repeats: Repeats
) -> Iterator[tuple[str, str, float]]:
    """Query, evidence and a score that falls with the rank, so that ties cannot reorder it.

    It stays above 0, which is what Compat takes an item to have that was not returned.
    """
    rows = run.filter(pl.col("query_id").is_in(queries)).sort("query_id", "rank")
    if repeats == "first_gains":
        first = pl.struct("query_id", "evidence_id").is_first_distinct()
        other = pl.format("{}\n{}", "evidence_id", "rank")
        rows = rows.with_columns(pl.when(first).then("evidence_id").otherwise(other))
    score = (pl.col("rank").max() + 1 - pl.col("rank")).cast(pl.Float64)
    return rows.select("query_id", "evidence_id", score).iter_rows()
