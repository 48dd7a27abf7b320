"""A comparison in the terminal."""

from collections.abc import Iterator, Sequence

from assets.text_table import table
from pipeline.comparing.differences import Differences, differences
from pipeline.comparing.paired import Paired
from pipeline.comparing.replay import Replay
from pipeline.comparing.trend import Trend
from pipeline.comparing.view import StudyView

COLUMNS = ("system", "measure", "A", "B", "B - A", "L", "U", "better", "worse", "same", "groups")
BOUNDS = "L and U are one-sided bounds at alpha {alpha:g}, by query group; no gate is decided here"


def differences_lines(a: StudyView, b: StudyView, found: Differences) -> Iterator[str]:
    """Which two, what differs, and whether a change can be attributed."""
    yield f"A: {a.name} ({a.params.study})"
    yield f"B: {b.name} ({b.params.study})"
    for one in found.found:
        yield f"{one.axis} differs"
        yield from (f"  {detail}" for detail in one.details)
    yield from found.selected
    yield found.attribution()


def plain_lines(
    a: StudyView, b: StudyView, pairs: Sequence[Paired], side: str, *, every: bool = False
) -> list[str]:
    """Both words, the pairs (those without any difference only if asked), and of what they are."""
    words = " → ".join(view.read("decision")["word"] for view in (a, b))
    return [f"word: {words}", *_pairs(pairs, side, b, every), *_crossfit((a, b), side)]


def replay_lines(a: StudyView, b: StudyView, done: Replay, *, every: bool = False) -> list[str]:
    """The pairs of a replay, as `plain_lines`, and who has chosen on the compared queries."""
    lines = [
        f"replay on the candidates and judgments of {b.name}",
        f"  A: {done.configuration}",
        f"  B: {done.own}",
        *_pairs(done.pairs, done.side, b, every),
    ]
    seen = {a.name: done.seen_by_a, b.name: done.seen_by_b}
    lines += [
        f"note: {name} chose its configuration on {count} of these queries: in-sample for it"
        for name, count in seen.items()
        if count
    ]
    if done.side == "test":
        lines.append(
            "note: whoever chooses between the two by these figures has chosen on the test"
        )
    return lines


STEP_COLUMNS = ("version", "value", "step", "L", "U", "better", "worse", "same", "what changed")


def trend_lines(views: Sequence[StudyView], found: Trend) -> list[str]:
    """Each version's value on the core, the step to it, and which axes changed with it."""
    rows: list[list[object]] = [[found.names[0], found.steps[0].before, *([None] * 7)]]
    for before, after, step in zip(views, views[1:], found.steps, strict=False):
        changed = ", ".join(differences(before, after).axes) or "nothing"
        rows.append([after.name, step.after, *_step(step), changed])
    whole = " ".join(str(value) for value in _step(found.whole)[:3])
    return [
        f"{found.measure} of the selected configuration on {found.side}, over {found.core} "
        f"unchanged queries (of {found.queries} in the last version)",
        *table(STEP_COLUMNS, rows),
        f"first to last (difference, L, U): {whole}",
        BOUNDS.format(alpha=views[-1].params.evaluation.alpha),
        *_crossfit(views, found.side),
    ]


def _step(one: Paired) -> list[object]:
    bounds = [_signed(one.figures[name]) for name in ("delta", "low", "high")]
    return [*bounds, *(one.figures[name] for name in ("wins", "losses", "ties"))]


def _pairs(pairs: Sequence[Paired], side: str, b: StudyView, every: bool) -> Iterator[str]:
    valued = [one for one in pairs if one.figures["groups"]]
    # The first is what was asked for, whatever came of it.
    shown = [one for one in valued if every or one is valued[0] or not _is_same(one)]
    yield from table(COLUMNS, [_row(one) for one in shown])
    if left_out := len(valued) - len(shown):
        yield f"{left_out} of {len(valued)} rows differ on no query and are left out: see --all"
    without = ", ".join(f"{one.measure} of {one.system}" for one in pairs if one not in valued)
    if without:
        yield f"note: without a value in both on any query, so left out: {without}"
    yield BOUNDS.format(alpha=b.params.evaluation.alpha)
    if side == "dev":
        yield "note: dev, where configurations were chosen: no test is open in all of them"


def _crossfit(views: Sequence[StudyView], side: str) -> Iterator[str]:
    """On dev the values are of the final configuration, under crossfit too."""
    named = [view.name for view in views if view.params.splits.protocol == "crossfit"]
    if side == "test" and named:
        yield (
            f"note: {', '.join(dict.fromkeys(named))}: cross-fitted, so each query's value is of "
            "what was chosen without its fold, not of the one selected configuration"
        )


def _is_same(one: Paired) -> bool:
    """Whether no query has another value; a mean of 0 may also be gains and losses."""
    return not one.figures["wins"] and not one.figures["losses"]


def _row(one: Paired) -> list[object]:
    counted = [one.figures[name] for name in ("wins", "losses", "ties", "groups")]
    bounds = [_signed(one.figures[name]) for name in ("delta", "low", "high")]
    return [one.system, one.measure, one.before, one.after, *bounds, *counted]


def _signed(value: float | None) -> str | None:
    return None if value is None else f"{value:+.4f}"
