"""What times were measured on: never matched, always shown."""

import os
import platform
from importlib import metadata
from pathlib import Path

# What does the work that is timed.
PACKAGES = ("rankgate", "bm25s", "numpy", "polars", "wordllama")


def describe_machine() -> dict[str, object]:
    """Processor, cores, system and Python; no name of host or user."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def package_versions() -> dict[str, str]:
    """The installed versions of the packages that do the work."""
    return {name: found for name in PACKAGES if (found := _version(name)) is not None}


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        said = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        said = []
    models = [line.partition(":")[2].strip() for line in said if line.startswith("model name")]
    return models[0] if models else platform.processor() or platform.machine()
