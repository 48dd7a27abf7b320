"""The sentences that gates share: what an interval says, and the next step with its command."""

import math
from collections.abc import Callable

from pipeline.gates.findings import Findings
from pipeline.gates.groups_needed import Needed, needed
from pipeline.gates.interval import GROUPS, GROUPS_WITH_A_DIFFERENCE, Interval
from pipeline.ledger import alpha_at

SEALED = "the test has not been opened"
WORKSHEETS = (
    "`rankgate judge export --assessor NAME`, then `rankgate judge import FILE --round NAME`"
)
OPEN = "Open the test: `rankgate open`."


def describe(one: Interval, measure: str) -> str:
    """The comparison in one clause: whom with, how far, how sure."""
    where = f" on slice {one.slice}" if one.slice else ""
    plain = one.turned(measure)
    return (
        f"{one.baseline}{where}: {measure} {_signed(plain.delta)}, "
        f"between {_signed(plain.low)} and {_signed(plain.high)}"
    )


def out_of_reach(best: float, limit: float) -> str:
    """That no outcome could pass: the best lower bound there could be, and what is asked."""
    return (
        "unresolvable: even the best result imaginable on these queries would prove a gain of no "
        f"more than {best:.4f}, and more than {limit + 0.0:g} is asked for"  # no -0
    )


def why_unresolved(
    one: Interval, limit: float, *, unreachable: Callable[[float, float], str] = out_of_reach
) -> str:
    """Why an interval neither passes nor fails.

    Args:
        one: the interval of the gain.
        limit: what its lower bound must exceed.
        unreachable: words for a limit that no outcome could exceed, from the best lower bound
            there could be and the limit.
    """
    if one.low is None or one.high is None:
        return f"{one.groups} query group(s) give no interval"
    if one.low > limit and one.groups < GROUPS:
        return f"{one.groups} query groups are too few to pass, {GROUPS} are needed"
    if one.low > limit and one.groups_with_a_difference < GROUPS_WITH_A_DIFFERENCE:
        return (
            f"only {one.groups_with_a_difference} query groups differ, "
            f"{GROUPS_WITH_A_DIFFERENCE} are needed to pass"
        )
    if one.is_a_point:
        return "every difference is the same, so nothing tells how sure it is"
    if one.unresolvable(limit) and one.highest_low is not None:
        return unreachable(one.highest_low, limit)
    return f"the limit {limit + 0.0:g} lies inside the interval"  # no -0


def judge_test(baseline: str | None = None) -> str:
    """Which pairs to judge."""
    against = f" that {baseline} and the selected configuration rank" if baseline else ""
    return f"Judge the unjudged pool pairs of the test queries{against}: {WORKSHEETS}."


def judge_critical(pairs: int, turns: str) -> str:
    """Which few pairs could turn the primary gate."""
    could = {
        "pass": "lift every L over the limit",
        "from_pass": "let L fall to the limit",
    }
    return (
        f"Judge the {pairs} pair(s) that alone could {could[turns]}: "
        "`rankgate judge export --critical --assessor NAME`, "
        "then `rankgate judge import FILE --round NAME`."
    )


def judge_pool() -> str:
    """What to do where nothing is judged at all."""
    return f"Judge the pooled pairs: {WORKSHEETS}."


def judge_dev() -> str:
    """What to do where a search has no judged query to choose by."""
    return (
        f"Judge pool pairs of dev queries: {WORKSHEETS}; "
        "or set selection.mode: declared in params.yaml and run `dvc repro`."
    )


def choose_again(findings: Findings, baseline: str | None = None) -> str:
    """What is left to do after a failure: ship the baseline, or open another selection."""
    opening = int(findings.evaluation_summary.get("opening") or 1)
    alpha = alpha_at(findings.params.evaluation.alpha, opening + 1)
    wish = f"Ship {baseline} as it is, or change" if baseline else "Change"
    return (
        f"{wish} what is fused in params.yaml, run `dvc repro`, then `rankgate open`: "
        f"another selection on this test set is judged at alpha {alpha:.2g}."
    )


def more_groups(findings: Findings, one: Interval, limit: float) -> str:
    """How many query groups would settle a comparison, at its difference and at the best of it."""
    where = f"slice {one.slice}" if one.slice else "the test"
    add = "add them to queries.jsonl, run `rankgate assign`, judge them."
    if one.is_a_point or one.groups < 2:
        lacking = GROUPS - one.groups
        number = f"{lacking} more" if lacking > 0 else "more"
        return f"Give {where} {number} query groups on which {one.baseline} differs: {add}"
    found = needed(findings, one, limit)
    if found.total is None:
        return (
            f"No realistic number of query groups (up to {found.most:,}) settles the comparison "
            f"with {one.baseline}, so close to the limit is it. Change what is fused in "
            f"params.yaml{_at_best(found, one)}."
        )
    return (
        f"Give {where} about {found.total - one.groups:,} more query groups (it has {one.groups:,})"
        f" to settle the comparison with {one.baseline}{_at_best(found, one)}: {add}"
    )


def _at_best(found: Needed, one: Interval) -> str:
    """How few would do at the better end, where that says more than what is there already."""
    best = found.at_high
    if best is None or best <= one.groups or best >= (found.total or math.inf):
        return ""
    best_case = "if the true difference were the best that the interval allows"
    return f" ({best:,} in all would be enough {best_case})"


def _signed(value: float | None) -> str:
    return "unknown" if value is None else f"{value:+.4f}"
