"""How every benchmark measures: both sides in turn, the median over the pairs, the ratio last."""

import gc
import resource
import statistics
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from time import perf_counter, process_time, sleep

from pipeline.times.machine import describe_machine

# Seconds between two sides; OpenBLAS waits for about 0.1.
PAUSE = 0.2


@dataclass(frozen=True, slots=True)
class Pairs:
    """Seconds of both sides, pair by pair.

    Args:
        ours: this program's.
        theirs: the other side's.
        processor: the same in processor seconds, all threads together, of this process and of
            those that it started: what a machine shared with others bends less.
    """

    ours: Sequence[float]
    theirs: Sequence[float]
    processor: "Pairs | None" = None

    @property
    def faster(self) -> float:
        """How many times faster than the other side: the median over the pairs."""
        return statistics.median(b / a for a, b in zip(self.ours, self.theirs, strict=True))

    @property
    def slower(self) -> float:
        """How many times the other side's seconds: the median over the pairs."""
        return statistics.median(a / b for a, b in zip(self.ours, self.theirs, strict=True))

    def lines(self, ours: str, theirs: str) -> str:
        """Both medians and ranges, a line each; processor seconds on a third."""
        said = [_line(ours, self.ours), _line(theirs, self.theirs)]
        if self.processor is not None:
            spent = [
                statistics.median(each) for each in (self.processor.ours, self.processor.theirs)
            ]
            times = (
                f"{self.processor.slower:.2f} times, or {self.processor.faster:.2f} times faster"
            )
            said.append(f"processor seconds            {spent[0]:.4f} and {spent[1]:.4f}: {times}")
        return "\n".join(said)


def _line(name: str, seconds: Sequence[float]) -> str:
    middle, low, high = statistics.median(seconds), min(seconds), max(seconds)
    return f"{name:<28} median {middle:9.4f} s   ({low:.4f} to {high:.4f}, {len(seconds)} times)"


def alternate(ours: Callable[[], object], theirs: Callable[[], object], pairs: int) -> Pairs:
    """Runs both sides in turn, each once beforehand to warm up.

    Each pair begins with the other side than the one before it, so that neither always comes
    first. Between them is a pause: the threads of a linear algebra library wait busily for a
    moment after their work, on a core that the next side may need.
    """
    ours(), theirs()
    spent: dict[bool, list[float]] = {True: [], False: []}
    worked: dict[bool, list[float]] = {True: [], False: []}
    for number in range(pairs):
        for own in (number % 2 == 0, number % 2 == 1):
            gc.collect()
            sleep(PAUSE)
            before = process_time() + _of_processes_ended()
            spent[own].append(_wall(ours if own else theirs))
            worked[own].append(process_time() + _of_processes_ended() - before)
    return Pairs(spent[True], spent[False], Pairs(worked[True], worked[False]))


def seconds(work: Callable[[], object]) -> float:
    """How long one call takes."""
    gc.collect()
    sleep(PAUSE)
    return _wall(work)


def processor_seconds(work: Callable[[], object]) -> float:
    """Processor seconds, all threads together, of the processes that one call starts and ends."""
    before = _of_processes_ended()
    work()
    return _of_processes_ended() - before


def _of_processes_ended() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _wall(work: Callable[[], object]) -> float:
    began = perf_counter()
    work()
    return perf_counter() - began


def introduce(name: str, packages: Sequence[str], inputs: Mapping[str, object]) -> None:
    """Prints what is measured, on what, with which versions and inputs."""
    machine = describe_machine()
    print(name)
    print(f"hardware  {machine['processor']}, {machine['cores']} cores, {machine['system']}")
    versions = ", ".join(f"{package} {metadata.version(package)}" for package in packages)
    print(f"versions  Python {machine['python']}, {versions}")
    print(f"inputs    {', '.join(f'{value} {word}' for word, value in inputs.items())}")
    sys.stdout.flush()


def conclude(ratio: float, words: str) -> None:
    """Prints the ratio, last."""
    print(f"ratio {ratio:.2f} ({words})")
