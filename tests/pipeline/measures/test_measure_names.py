"""A measure's name says all of it, and nothing else is taken for one."""

import pytest

from pipeline.errors import ParameterError
from pipeline.measures import Measure, parse_measure


@pytest.mark.parametrize(
    ("name", "measure"),
    [
        ("nDCG@10", Measure("nDCG", 10)),
        ("nDCG", Measure("nDCG")),
        ("nDCG(dcg='exp-log2')@5", Measure("nDCG", 5, dcg="exp-log2")),
        ('nDCG(dcg="exp-log2")@5', Measure("nDCG", 5, dcg="exp-log2")),
        ("P(rel=2)@5", Measure("P", 5, rel=2)),
        ("R@100", Measure("R", 100)),
        ("RBP(p=0.5, rel=2)", Measure("RBP", rel=2, p=0.5)),
        ("Bpref", Measure("Bpref")),
        ("P(judged_only=True)@2", Measure("P", 2, judged_only=True)),
    ],
)
def test_a_name_means_one_measure_and_is_written_back(name: str, measure: Measure) -> None:
    assert parse_measure(name) == measure
    assert parse_measure(str(measure)) == measure


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("ndcg@10", "'nDCG'"),
        ("MRR@10", "'RR'"),
        ("MAP", "'AP'"),
        ("Recall@5", "'R'"),
        ("recall_cap@2", "'R'"),
        ("AllEvidences@5", "'AllEvidence'"),
    ],
)
def test_an_unknown_name_is_refused_with_the_nearest_known(name: str, hint: str) -> None:
    with pytest.raises(ParameterError, match=f"unknown measure.*nearest known is {hint}"):
        parse_measure(name)


@pytest.mark.parametrize("name", ["P", "R", "Success", "Judged", "EvidenceCoverage", "ZeroHit"])
def test_what_needs_a_cutoff_is_refused_without(name: str) -> None:
    with pytest.raises(ParameterError, match="found none; expected @k"):
        parse_measure(name)


@pytest.mark.parametrize("cutoff", ["0", "-1", "5.5", "010", "ten", ""])
def test_a_cutoff_is_a_whole_number_from_1(cutoff: str) -> None:
    with pytest.raises(ParameterError, match="no usable cutoff"):
        parse_measure(f"nDCG@{cutoff}")


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Bpref@5", "takes no cutoff"),
        ("P(dcg='log2')@5", "unknown option"),
        ("P()@5", "unknown option"),
        ("P(rel=0)@5", "wrong value of 'rel'"),
        ("P(rel=True)@5", "wrong value of 'rel'"),
        ("P(rel=1, rel=2)@5", "sets 'rel' twice"),
        ("nDCG(dcg='natural')@5", "expected 'log2' or 'exp-log2'"),
        ("RBP(p=1.5)", "a number between 0 and 1"),
        ("P(rel=len('ab'))@5", "wrong value of 'rel'"),
    ],
)
def test_options_are_checked(name: str, problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        parse_measure(name)


def test_only_more_zero_hits_are_worse() -> None:
    assert parse_measure("nDCG@10").higher_is_better
    assert not parse_measure("ZeroHit@10").higher_is_better
