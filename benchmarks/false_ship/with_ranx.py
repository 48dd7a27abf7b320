"""What ranx's users do, on the same draws: tune a fusion on the test labels, and compare there."""

from collections.abc import Iterator, Mapping
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import polars as pl

from benchmarks.false_ship.choosing import Sample
from benchmarks.false_ship.comparing import ALPHA
from benchmarks.false_ship.nulls import Setting
from benchmarks.false_ship.populations import Population
from benchmarks.false_ship.practice import Practice
from benchmarks.false_ship.rates import Rate

RANX = "ranx: optimize_fusion (wsum, min-max), then compare"
RANX_METRIC = "ndcg@10"


def with_ranx(setting: Setting, null: str, studies: int) -> Practice:
    """ranx as its documentation shows it: the weights that are best on the test, compared there.

    A claim is a fused run above every branch with p < α of ranx's paired t-test (its own
    default is .01, two-sided).

    Args:
        setting: the studies; the first of them are looked at. Their margin is 0: ranx tests
            no other.
        null: its name.
        studies: how many.
    """
    from ranx import Qrels, compare, fuse, optimize_fusion

    population = setting.population
    lists, grades = _ranx_lists(population), _grades(population)
    claims = 0
    for groups in setting.test[:studies]:
        queries = [population.queries[place] for place in Sample.of(population, groups).queries]
        qrels = Qrels({f"{place}": grades[query] for place, query in enumerate(queries)})
        runs = list(_runs(lists, queries))
        with redirect_stdout(StringIO()):  # its progress bar
            chosen = optimize_fusion(qrels, runs, norm="min-max", method="wsum", metric=RANX_METRIC)
        fused = fuse(runs, norm="min-max", method="wsum", params=chosen)
        fused.name = "fused"
        report = compare(qrels, [fused, *runs], [RANX_METRIC], max_p=ALPHA).to_dict()
        claims += all(_wins(report, branch) for branch in population.branches)
    rate = Rate(claims, min(studies, setting.draws.studies))
    return Practice(RANX, population.name, null, len(population.points), setting.groups, rate)


def _wins(report, branch: str) -> bool:  # type: ignore[no-untyped-def]
    ahead = report["fused"]["scores"][RANX_METRIC] > report[branch]["scores"][RANX_METRIC]
    return ahead and float(report["fused"]["comparisons"][branch][RANX_METRIC]) < ALPHA


Lists = Mapping[str, Mapping[str, float]]


def _ranx_lists(population: Population) -> Mapping[str, Lists]:
    """Branch to query to evidence to score, the best-ranked document standing for it."""
    found: dict[str, dict[str, dict[str, float]]] = {name: {} for name in population.branches}
    columns = ("branch", "query_id", "evidence_id", "score")
    for branch, query, evidence, score in (
        population.prepared.candidates.sort("branch", "query_id", "rank")
        .select(columns)
        .iter_rows()
    ):
        found[branch].setdefault(query, {}).setdefault(evidence, score)
    return found


def _runs(lists: Mapping[str, Lists], queries: list[str]) -> Iterator[object]:
    from ranx import Run

    for branch, of in lists.items():
        yield Run(
            {f"{place}": dict(of.get(query, {})) for place, query in enumerate(queries)},
            name=branch,
        )


def _grades(population: Population) -> Lists:
    judged = population.prepared.splits.dev_judgments.filter(pl.col("status") == "judged")
    found: dict[str, dict[str, int]] = {}
    for query, evidence, grade in judged.select("query_id", "evidence_id", "grade").iter_rows():
        found.setdefault(query, {})[evidence] = max(grade, 0)
    return found


def true_gains_in_ranx(setting: Setting) -> float:
    """The greatest true gain of any fusion that ranx can choose here, by ranx's own values."""
    from ranx import Qrels, evaluate, fuse

    population = setting.population
    queries, grades = list(population.queries), _grades(population)
    qrels = Qrels({f"{place}": grades[query] for place, query in enumerate(queries)})
    runs = list(_runs(_ranx_lists(population), queries))
    candidates = [*runs]
    for tenth in range(1, 10):
        weights = (tenth / 10, 1 - tenth / 10)
        candidates.append(fuse(runs, norm="min-max", method="wsum", params={"weights": weights}))
    order = np.array([int(name) for name in qrels.keys()])  # noqa: SIM118 - no dictionary
    values = np.empty((len(candidates), len(queries)))
    for row, run in enumerate(candidates):
        values[row, order] = evaluate(qrels, run, RANX_METRIC, return_mean=False)
    means = population.group_sums(values) @ setting.weights / (population.sizes @ setting.weights)
    return float(means[len(runs) :].max() - means[: len(runs)].max())
