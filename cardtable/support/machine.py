"""What a program runs on: processor, cores, versions of libraries. For results, logs and cards, which others compare."""

import os
import platform
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def processor() -> str:
    """The name of the processor, if the system tells it."""
    details = Path("/proc/cpuinfo")
    names = [line for line in details.read_text().splitlines() if line.startswith("model name")] if details.exists() else []
    return names[0].partition(":")[2].strip() if names else platform.processor()


def description() -> dict[str, str | int | None]:
    """The system, its processor and how many cores it has."""
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "processor": processor(),
        "cores": os.cpu_count(),
    }


def versions(packages: Sequence[str]) -> dict[str, str]:
    """The version of Python and of those packages that are installed."""
    found = {"python": platform.python_version()}
    for package in packages:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
