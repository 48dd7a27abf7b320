"""What trec_eval calls a measure, and the lines it prints."""

from collections.abc import Callable, Iterator, Mapping, Sequence

import polars as pl

from pipeline.measures.names import Measure, parse_measure

Name = Callable[[Measure], str]
Spelling = Callable[[str], str]


def _plain(name: str) -> Name:
    return lambda measure: name if measure.cutoff is None else f"{name}_cut_{measure.cutoff}"


def _at(name: str) -> Name:
    return lambda measure: f"{name}_{measure.cutoff}"


# Families that trec_eval has; recip_rank it has without a cutoff only.
NAMES: Mapping[str, Name] = {
    "nDCG": _plain("ndcg"),
    "AP": _plain("map"),
    "RR": lambda measure: "recip_rank" if measure.cutoff is None else str(measure),
    "P": _at("P"),
    "R": _at("recall"),
    "Success": _at("success"),
    "Bpref": _plain("bpref"),
}


def trec_name(name: str) -> str:
    """The name of a measure in trec_eval; its own where trec_eval has no such measure.

    Args:
        name: as ir_measures writes it: `nDCG@10` is ndcg_cut_10, `R@100` recall_100, `AP` map.
            A name with options keeps its own, since trec_eval's would be another's.
    """
    measure = parse_measure(name)
    options = Measure(measure.family, cutoff=measure.cutoff) != measure
    known = NAMES.get(measure.family)
    return str(measure) if known is None or options else known(measure)


def trec_lines(
    values: pl.DataFrame, measures: Sequence[str], run: str, *, spelt: Spelling = str
) -> Iterator[str]:
    """What `trec_eval -q` prints: measure, query, value; then the means, for the query `all`.

    Args:
        values: query_id, measure, value of one run; nulls have no line and enter no mean.
        measures: in the order that they are printed.
        run: the run's name, printed as runid.
        spelt: writes ids and the run's name; as they are, for programs.

    Returns:
        Lines without line ends: queries in order, each with every measure, then runid, the number
        of queries and the means.
    """
    names = {name: trec_name(name) for name in measures}
    order = {name: place for place, name in enumerate(measures)}
    known = values.drop_nulls("value").sort(
        "query_id", pl.col("measure").replace_strict(order, return_dtype=pl.Int64)
    )
    for query, measure, value in known.select("query_id", "measure", "value").iter_rows():
        yield _line(names[measure], spelt(query), f"{value:.4f}")
    yield _line("runid", "all", spelt(run))
    yield _line("num_q", "all", str(known["query_id"].n_unique()))
    for measure in measures:
        one = known.filter(pl.col("measure") == measure)["value"].to_list()
        if one:
            yield _line(names[measure], "all", f"{sum(one) / len(one):.4f}")


def _line(name: str, query: str, value: str) -> str:
    return f"{name:<22}\t{query}\t{value}"
