"""Measure one library in a process of its own: `python -m benchmarks.libraries NAME`, for `benchmarks.ecosystem`.

Prints a line of JSON for each of its rows. Ends with `NOT_INSTALLED` where the library is not there.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from importlib import import_module
from importlib.metadata import version
from typing import Any

from benchmarks.libraries import NOT_INSTALLED, Library, library_names


def measured(library: Library, seconds: float, learning: float) -> dict[str, Any]:
    """What a row of the table says of a library."""
    learned = library.learn(learning) if library.learn and learning else None
    return {
        "name": library.name,
        "package": library.package,
        "version": version(library.package),
        "line": library.line,
        "rate": library.rate(seconds),
        "learned": asdict(learned) if learned else None,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure the library that is named."""
    parser = argparse.ArgumentParser("python -m benchmarks.libraries", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("name", choices=library_names())
    parser.add_argument("--seconds", type=float, default=5.0, help="time of each rate (default: %(default)s)")
    parser.add_argument(
        "--learning", type=float, default=60.0, help="time to learn in, 0 to leave it out (default: %(default)s)"
    )
    wanted = parser.parse_args(arguments)
    try:
        module = import_module(f"benchmarks.libraries.{wanted.name}")
    except ImportError as error:
        print(error, file=sys.stderr)
        sys.exit(NOT_INSTALLED)
    for library in getattr(module, "LIBRARIES", None) or [module.LIBRARY]:
        print(json.dumps(measured(library, wanted.seconds, wanted.learning)), flush=True)


if __name__ == "__main__":
    main()
