"""What all tests share: where the judged collections lie."""

from pathlib import Path

import pytest
from hypothesis import settings

# How long an example takes says more of the machine than of the law it tries.
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")

SHARED = Path(__file__).parents[2] / "shared" / "collections"


def pytest_addoption(parser: pytest.Parser) -> None:
    """How long, and from which seed, readers are tried on hurt files."""
    parser.addoption("--fuzz-seconds", type=float, default=20.0)
    parser.addoption("--fuzz-seed", type=int, default=7)


@pytest.fixture(scope="session")
def collections() -> Path:
    """The folder of real judged collections beside this repository; skips where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("the judged collections are not beside this repository")
    return SHARED
