"""The algebra: from the gates' verdicts to one word, and the shortest way to another."""

from collections.abc import Mapping, Sequence
from typing import Literal

from pipeline.gates import Findings, Gate
from pipeline.gates.wording import OPEN, choose_again, judge_dev, judge_pool

Word = Literal["ship", "hold", "inconclusive", "sealed"]


def word_of(gates: Sequence[Gate], *, sealed: bool) -> Word:
    """The algebra: nothing outweighs a required gate.

    Args:
        gates: all verdicts.
        sealed: whether the test is still closed.

    Returns:
        sealed before the test is opened; else hold where a required gate fails; else
        inconclusive where one is unresolved or not measured; else ship.
    """
    if sealed:
        return "sealed"
    required = {gate.status for gate in gates if gate.required}
    if "fail" in required:
        return "hold"
    return "inconclusive" if required & {"unresolved", "not_measured"} else "ship"


# Which of the required gates stand between this word and another.
_IN_THE_WAY: Mapping[Word, frozenset[str]] = {
    "ship": frozenset(),
    "hold": frozenset({"fail"}),
    "inconclusive": frozenset({"unresolved", "not_measured"}),
    "sealed": frozenset({"fail"}),
}


def next_steps(findings: Findings, gates: Sequence[Gate], word: Word) -> list[str]:
    """The shortest way to another word: plain sentences, each with its command."""
    steps = [
        step
        for gate in gates
        if gate.required and gate.status in _IN_THE_WAY[word]
        for step in (gate.next or _nameless(findings, gate, word))
    ]
    if word != "ship" and not findings.coverage["judged"].sum():
        steps.insert(0, judge_pool())
    if word == "sealed":
        steps.append(_opening(findings))
    return list(dict.fromkeys(steps))


def _nameless(findings: Findings, gate: Gate, word: Word) -> tuple[str, ...]:
    """The way past a gate that names none: no word but ship may end without one."""
    if word == "sealed":
        return ()
    if gate.status == "fail":
        return (choose_again(findings),)
    return (
        f"Gate {gate.gate} is {gate.status.replace('_', ' ')} ({gate.reason}): "
        "`rankgate check` says what this study lacks.",
    )


def _opening(findings: Findings) -> str:
    if findings.test_queries.is_empty():
        return "Give the test a share: splits.shares.test in params.yaml, then `dvc repro`."
    # What was never chosen on judged queries is not opened.
    return judge_dev() if findings.nothing_chosen else OPEN
