"""What all tests share: where the judged collections lie."""

import signal
import warnings
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes, or its making, says more of the machine than of the law it tries.
UNHURRIED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("searching", UNHURRIED)
# The same examples each time, so that a failure is of the change at hand; `searching` draws others.
settings.register_profile("unhurried", UNHURRIED, derandomize=True)
settings.load_profile("unhurried")

SHARED = Path(__file__).parents[2] / "shared" / "collections"


def pytest_addoption(parser: pytest.Parser) -> None:
    """How long, and from which seed, readers are tried on hurt files."""
    parser.addoption("--fuzz-seconds", type=float, default=0.0)
    parser.addoption("--fuzz-seed", type=int, default=7)


def pytest_configure() -> None:
    """Hears interrupts, and requests to end, where a script started the tests in its background.

    A shell lets what it starts there ignore SIGINT; Dagster then ignores SIGTERM too, and so would
    every process that a test starts.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def ranx(monkeypatch: pytest.MonkeyPatch) -> Any:
    """ranx, interpreted: its first calls would compile for half a minute, to the same figures."""
    monkeypatch.setattr(pytest.importorskip("numba").config, "DISABLE_JIT", True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what its compiler says of it
        return pytest.importorskip("ranx")


@pytest.fixture(scope="session")
def collections() -> Path:
    """The folder of real judged collections beside this repository; skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the judged collections are not beside this repository")
    return SHARED
