"""Sources: which packages a kernel is made from, and a fingerprint of each.

Kernels call into other files (card tables, helpers, the kernels of a game), so they are known by hashes of whole packages, in
which only files in `NOT_COMPILED` do not count. Where the sources lie does not matter.
"""

import ast
import functools
import hashlib
import importlib.util
import re
import sys
from collections.abc import Callable, Collection, Iterable, Iterator
from importlib.metadata import entry_points
from pathlib import Path

from cardtable.support import files

SHARED = "cardtable"
"""The package that every kernel depends on."""

GROUPS = ("cardtable.games", "cardtable.kernels", "cardtable.players")
"""Entry-point groups whose packages hold kernels: they declare themselves."""

NOT_COMPILED = (
    "cardtable/__init__.py",
    "cardtable/__main__.py",
    "cardtable/audit.py",
    "cardtable/bots/*.py",
    "cardtable/cli/*.py",
    "cardtable/engine/cache.py",
    "cardtable/engine/homes.py",
    "cardtable/engine/store.py",
    "cardtable/engine/trust.py",
    "cardtable/envs/*.py",
    "cardtable/game/events.py",
    "cardtable/game/images.py",
    "cardtable/game/legality.py",
    "cardtable/game/look.py",
    "cardtable/game/registry.py",
    "cardtable/game/sight.py",
    "cardtable/game/spec.py",
    "cardtable/lanes.py",
    "cardtable/mcp/*.py",
    "cardtable/pictures.py",
    "cardtable/players/agent.py",
    "cardtable/players/pool.py",
    "cardtable/players/roster.py",
    "cardtable/players/seen.py",
    "cardtable/prompt.py",
    "cardtable/replay.py",
    "cardtable/rulebook.py",
    "cardtable/story.py",
    "cardtable/support/columns.py",
    "cardtable/support/files.py",
    "cardtable/support/notices.py",
    "cardtable/support/plugins.py",
    "cardtable/support/processes.py",
    "cardtable/support/raster.py",
    "cardtable/support/svg.py",
    "cardtable/support/threads.py",
    "cardtable/table.py",
    "cardtable/version.py",
    "cardtable_agents/web/*.py",
    "*_env/choices.py",
    "*_env/env.py",
    "*_env/events.py",
    "*_env/picture.py",
    "*_env/picture_*.py",
    "*_env/render.py",
    "*_env/solo_env.py",
)
"""Files without a say in what is compiled: an edit of one compiles nothing anew. A test holds this true of ours; a file with
a kernel in it counts whatever it is called."""

_NOT_COMPILED = re.compile("|".join(re.escape(each).replace(r"\*", "[^/]*") for each in NOT_COMPILED))
WITH_KERNEL = re.compile(rb"^[ \t]*@(?:\w+\.)*(?:\w*kernel|\w*helper|overload|intrinsic)\b", re.MULTILINE)

LARGEST_SOURCE = 10_000_000
"""Bytes of a Python file."""

UNKNOWN = "unknown"
"""The fingerprint of a package whose sources cannot be found: what was typed at a prompt."""


def package_of(module: str) -> str:
    """The package, or single module, that a module belongs to: `muster_env` of `muster_env.rules`."""
    return module.partition(".")[0]


@functools.cache
def declared_packages() -> frozenset[str]:
    """The packages that say by an entry point that they hold kernels, and `cardtable`."""
    return frozenset({SHARED, *(package_of(point.module) for group in GROUPS for point in entry_points(group=group))})


# ---- Fingerprints


@functools.cache
def _roots(package: str) -> tuple[Path, ...]:
    """The folders of a package, or the file of a single module, found without importing it; empty if there is none."""
    try:
        spec = importlib.util.find_spec(package)
    except ValueError:  # the main program has no specification
        spec = None
    if spec is not None and spec.submodule_search_locations is not None:
        return tuple(Path(each).resolve() for each in spec.submodule_search_locations)
    origin = spec.origin if spec else getattr(sys.modules.get(package), "__file__", None)
    return (Path(origin).resolve(),) if origin is not None and Path(origin).is_file() else ()


def source_files(package: str) -> Iterator[tuple[str, Path]]:
    """Every Python file of a package, or the file of a single module, by the name that counts: `muster_env/rules.py`."""
    for root in _roots(package):
        if root.is_file():
            yield package, root
        for path in sorted(root.rglob("*.py")):
            yield f"{package}/{path.relative_to(root).as_posix()}", path


def is_compiled(name: str, content: bytes) -> bool:
    """Whether a file has a say in what is compiled."""
    return not _NOT_COMPILED.fullmatch(name) or WITH_KERNEL.search(content) is not None


def _everything(name: str, content: bytes) -> bool:
    return True


def hash_of_package(package: str, counts: Callable[[str, bytes], bool] = _everything) -> str:
    """A hash of those Python files of a package that count, `UNKNOWN` if none are found; `OSError` if one cannot be read."""
    digest, found = hashlib.sha256(), False
    for name, path in source_files(package):
        content = files.read_bytes(path, LARGEST_SOURCE)
        if counts(name, content):
            found = True
            digest.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
    return digest.hexdigest()[:16] if found else UNKNOWN


def fingerprint(package: str) -> str:
    """A hash of the sources of a package, as they lie on the disk, that have a say in what is compiled."""
    try:
        return hash_of_package(package, is_compiled)
    except OSError:  # another version may be being installed
        return UNKNOWN


@functools.cache
def imported(package: str) -> str:
    """The fingerprint that a package had when it was asked for first, before its kernels were made."""
    return fingerprint(package)


def remember_declared() -> None:
    """Let `imported` say of every declared package what it is like now."""
    for package in declared_packages():
        imported(package)


def edited(packages: Iterable[str]) -> list[str]:
    """Those of the packages whose sources on the disk are not, or not for sure, the ones that this process has imported."""
    return sorted(each for each in {SHARED, *packages} if not imported(each) == fingerprint(each) != UNKNOWN)


# ---- Imports


@functools.cache
def packages_behind(module: str) -> frozenset[str]:
    """The packages that a module is made from besides `cardtable`: its own, and declared ones that it imports, or they do."""
    allowed = {package_of(module), *declared_packages()} - {SHARED}
    try:
        return frozenset(map(package_of, _modules_behind(module, allowed)))
    except (OSError, SyntaxError, ValueError):  # what cannot be read may import anything
        return frozenset(allowed)


def _modules_behind(module: str, allowed: Collection[str]) -> set[str]:
    """A module and all that it imports from these packages, directly or not."""
    waiting, seen = {module}, set[str]()
    while waiting:
        name = waiting.pop()
        if name not in seen and package_of(name) in allowed:
            seen.add(name)
            if _mentions_others(package_of(name)):
                waiting |= _imports(name)
    return seen


@functools.cache
def _mentions_others(package: str) -> bool:
    """Whether the sources of a package name another one that is declared: only then they need to be parsed."""
    others = "|".join(map(re.escape, sorted(declared_packages() - {SHARED, package})))
    pattern = re.compile(rf"\b(?:{others})\b".encode())
    return bool(others) and any(pattern.search(path.read_bytes()) for _, path in source_files(package))


def _imports(module: str) -> set[str]:
    """Every module that a module may import, anywhere in it, with the packages that those lie in."""
    path, is_package = _file_of(module)
    if path is None:
        return set()
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found.update(each.name for each in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = module.split(".")[: len(module.split(".")) - node.level + is_package] if node.level else []
            base = ".".join([*parts, *([node.module] if node.module else [])])
            found.update((base, *(f"{base}.{each.name}" for each in node.names)))
    return {".".join(name.split(".")[:size]) for name in found for size in range(1, name.count(".") + 2)}


def _file_of(module: str) -> tuple[Path | None, bool]:
    """The source file of a module, and whether that is the beginning of a package; None if it is no module of Python."""
    below = "/".join(module.split(".")[1:])
    for root in _roots(package_of(module)):
        for path, is_package in ((root, False), (root / below / "__init__.py", True), (root / f"{below}.py", False)):
            if path.is_file():
                return path, is_package
    return None, False
