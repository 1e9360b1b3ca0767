"""`kernel`: numba compilation with a disk cache that notices every change of an engine source.

Numba's own cache looks only at the file of the compiled function. Kernels call into other files (card tables,
helpers, the kernels of a game), so the cache folder here is named by a hash of all of them (files in `BESIDE` hold
none). Kernels of a package that no game depends on, such as `agents`, have a folder inside it, named by a hash of that
package: an edit there compiles no game anew.

Environment variables: `CARDTABLE_CACHE` (where compiled kernels are kept), `NUMBA_DISABLE_JIT=1` (plain Python, for
debugging and coverage), `NUMBA_BOUNDSCHECK=1` (array bounds checked; a cache of its own).
"""

import functools
import hashlib
import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config as _config

fcntl: Any = importlib.import_module("fcntl") if importlib.util.find_spec("fcntl") else None  # Windows has none

ENGINE_GROUPS = ("cardtable.games", "cardtable.kernels")
"""Entry-point groups whose packages hold kernels, besides `cardtable` itself."""

BESIDE = frozenset(
    (
        "__main__.py",
        "audit.py",
        "batch.py",
        "cli.py",
        "console.py",
        "env.py",
        "render.py",
        "replay.py",
        "sb3.py",
        "solo.py",
        "tables.py",
    ),
)
"""Files of engine packages that no kernel depends on: an edit of one compiles nothing anew. A test holds this true."""

KEPT_CACHES = 4
"""How many cache folders are kept, the newest first; older ones belong to sources that are gone."""

config: Any = _config

COMPILED = not config.DISABLE_JIT
"""False when numba is switched off and every kernel runs as plain Python."""

CHECKED = bool(config.BOUNDSCHECK)
"""True when compiled kernels check the bounds of arrays."""

_njit: Any = numba.njit  # the stubs do not know `_nrt`

unsigned: Any = np.uint64 if COMPILED else int
"""Makes an index that is never negative: compiled code need not ask whether it counts from the end."""

Function = TypeVar("Function", bound=Callable[..., Any])


@functools.cache
def engine_packages() -> tuple[Path, ...]:
    """The folders of all packages that hold kernels, found without importing the games."""
    names = {"cardtable"}
    for group in ENGINE_GROUPS:
        names.update(point.module.partition(".")[0] for point in entry_points(group=group))
    folders = []
    for name in sorted(names):
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            folders.append(Path(spec.origin).resolve().parent)
    return tuple(folders)


def _sources(folders: Iterable[Path]) -> Iterator[tuple[str, Path]]:
    for folder in folders:
        for path in sorted(folder.rglob("*.py")):
            if path.name in BESIDE:
                continue
            yield f"{folder.name}/{path.relative_to(folder).as_posix()}", path


def _hash(start: str, sources: Iterable[tuple[str, Path]]) -> str:
    digest = hashlib.sha256(start.encode())
    for name, path in sources:
        digest.update(name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def fingerprint() -> str:
    """A hash of every engine source and of what else decides the compiled code."""
    settings = f"numba {numba.__version__} bounds {int(config.BOUNDSCHECK or 0)} optimised {config.OPT}"
    return _hash(settings, _sources(engine_packages()))


@functools.cache
def package_fingerprint(name: str) -> str:
    """A hash of the sources of one package, or of a single module, found without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or spec.origin is None:
        return "unknown"
    path = Path(spec.origin).resolve()
    return _hash(name, _sources([path.parent]) if spec.submodule_search_locations else [(name, path)])


def _cache_home() -> Path:
    """The user's cache folder; a folder in the temporary directory where that cannot be written."""
    named = os.environ.get("CARDTABLE_CACHE")
    if named:
        return Path(named)
    base = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME")
    home = Path(base) if base else Path.home() / ".cache"
    try:
        (home / "cardtable").mkdir(parents=True, exist_ok=True)
    except OSError:
        return Path(tempfile.gettempdir()) / "cardtable"
    return home / "cardtable" if os.access(home / "cardtable", os.W_OK) else Path(tempfile.gettempdir()) / "cardtable"


def _drop_old_caches(home: Path, current: Path) -> None:
    """Remove all but the newest cache folders; another process may be doing the same."""
    folders = [path for path in home.iterdir() if path.is_dir() and path != current]
    folders.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in folders[KEPT_CACHES - 1 :]:
        shutil.rmtree(path, ignore_errors=True)


def _open_cache() -> Path:
    home = _cache_home()
    current = home / fingerprint()
    if not current.is_dir():
        current.mkdir(parents=True, exist_ok=True)
        _drop_old_caches(home, current)
    return current


CACHE = _open_cache() if COMPILED else Path()
"""Where this process keeps its compiled kernels."""


@functools.cache
def cache_of(package: str) -> Path:
    """Where the compiled kernels of a package are kept: those of the engine in `CACHE`, others in a folder inside it."""
    if not COMPILED or package == "__main__" or package in {folder.name for folder in engine_packages()}:
        return CACHE
    return CACHE / f"{package}-{package_fingerprint(package)}"


def kernel(function: Function) -> Function:
    """Compile `function` without the GIL, cached on disk. With `NUMBA_DISABLE_JIT=1` it stays plain Python."""
    return _compiled(function, forceinline=False)


def helper(function: Function) -> Function:
    """A small kernel that is always inlined into its callers: faster, but compiled anew in each of them."""
    return _compiled(function, forceinline=True)


def _compiled(function: Function, *, forceinline: bool) -> Function:
    """Kernels never allocate, so they need no reference counts (`_nrt`); those cost a third of a step.

    No C code calls them either: the entry for it is left out, which compiles faster.
    """
    if not COMPILED:
        return function
    package = function.__module__.partition(".")[0]
    previous, config.CACHE_DIR = config.CACHE_DIR, str(cache_of(package))
    try:
        compiler = _njit(cache=True, nogil=True, _nrt=False, no_cfunc_wrapper=True, forceinline=forceinline)
        return cast(Function, compiler(function))
    finally:
        config.CACHE_DIR = previous


def wrapping_kernel(function: Function) -> Function:
    """A kernel whose 64-bit arithmetic is meant modulo 2**64: no overflow warning in plain Python."""
    if COMPILED:
        return helper(function)

    @functools.wraps(function)
    def wrapped(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return cast(Function, wrapped)


def compile_once(name: str, compile_all: Callable[[], None], package: str = "cardtable") -> None:
    """Run `compile_all` if nothing is cached for `name` by this package yet, telling the user on standard error.

    Of processes that start together, one compiles and the others wait for it.
    """
    marker = cache_of(package) / f"{name}.ready"
    if not COMPILED or marker.exists():
        return
    marker.parent.mkdir(parents=True, exist_ok=True)
    with _alone(marker.with_suffix(".lock")):
        if marker.exists():
            return
        _say(f"compiling {name} for this machine; once per version, about a minute ...")
        start = time.perf_counter()
        compile_all()
        marker.touch()
        _say(f"{name} compiled in {time.perf_counter() - start:.0f} s")


def _say(text: str) -> None:
    """Tell the user on standard error."""
    print(f"cardtable: {text}", file=sys.stderr, flush=True)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Wait until no other process holds this lock, and hold it; the system frees it if the process is killed."""
    if fcntl is None:
        yield
        return
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def compile_calls(calls: Iterable[tuple[Any, ...]]) -> None:
    """Compile kernels for the types of the arguments given, without calling them. A call is (kernel, *arguments)."""
    for function, *arguments in calls:
        function.compile(tuple(map(numba.typeof, arguments)))


@contextmanager
def second_process(code: str, *arguments: str) -> Iterator[None]:
    """Run Python code in a process beside this one, if there is a core for it; stop it at the end if it still runs."""
    if cores() < 2:
        yield
        return
    command = [sys.executable, "-c", code, *arguments]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def as_games(records: np.ndarray) -> np.ndarray:
    """What kernels take: the plain array when compiled, a recarray (attribute access) in plain Python."""
    return records if COMPILED else records.view(np.recarray)
