"""`kernel`: numba compilation with a disk cache that notices every change of an engine source.

Kernels call into other files (card tables, helpers, the kernels of a game), so the name of the cache is a hash of all of them
(files in `NOT_COMPILED` have no say in what is compiled). Kernels of a package that no game depends on, such as
`cardtable_agents`, are known by a hash of that package besides: an edit there compiles no game anew. `cardtable.engine.cache` says where the cache is.

Environment variables: `CARDTABLE_CACHE` (where compiled kernels are kept), `NUMBA_DISABLE_JIT=1` (plain Python, for
debugging and coverage), `NUMBA_BOUNDSCHECK=1` (array bounds checked; a cache of its own).
"""

import functools
import hashlib
import importlib.util
import itertools
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config as _config
from numba.core.bytecode import FunctionIdentity as _FunctionIdentity

from cardtable.engine import cache

ENGINE_GROUPS = ("cardtable.games", "cardtable.kernels")
"""Entry-point groups whose packages hold kernels, besides `cardtable` itself."""

NOT_COMPILED = frozenset(
    (
        "__main__.py",
        "audit.py",
        "batch.py",
        "cache.py",
        "cli.py",
        "console.py",
        "env.py",
        "render.py",
        "replay.py",
        "sb3.py",
        "solo.py",
        "tables.py",
    )
)
"""Files of engine packages without a say in what is compiled: an edit of one compiles nothing anew. A test holds this true."""

config: Any = _config

COMPILED = not config.DISABLE_JIT
"""False when numba is switched off and every kernel runs as plain Python."""

CHECKED = bool(config.BOUNDSCHECK)
"""True when compiled kernels check the bounds of arrays."""

_njit: Any = numba.njit  # the stubs do not know `_nrt`
FunctionIdentity: Any = _FunctionIdentity

unsigned: Any = np.uint64 if COMPILED else int
"""Makes an index that is never negative: compiled code need not ask whether it counts from the end."""

Function = TypeVar("Function", bound=Callable[..., Any])


# ---- Sources


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
            if path.name in NOT_COMPILED:
                continue
            yield f"{folder.name}/{path.relative_to(folder).as_posix()}", path


def _hash(start: str, sources: Iterable[tuple[str, Path]] = ()) -> str:
    digest = hashlib.sha256(start.encode())
    for name, path in sources:
        digest.update(name.encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def fingerprint() -> str:
    """A hash of every engine source and of the settings of the compiler; the same on every machine."""
    settings = f"numba {numba.__version__} bounds {int(config.BOUNDSCHECK or 0)} optimised {config.OPT}"
    return _hash(settings, _sources(engine_packages()))


UNKNOWN = "unknown"
"""The fingerprint of a package whose sources cannot be found: what was typed at a prompt."""


@functools.cache
def package_fingerprint(name: str) -> str:
    """A hash of the sources of one package, or of a single module, found without importing it."""
    return _hash_package(name)


def _hash_package(name: str) -> str:
    try:
        spec = importlib.util.find_spec(name)
    except ValueError:  # the main program has no specification
        spec = None
    origin = spec.origin if spec else getattr(sys.modules.get(name), "__file__", None)
    if origin is None or not os.path.isfile(origin):
        return UNKNOWN
    path = Path(origin).resolve()
    whole = spec is not None and spec.submodule_search_locations
    return _hash(name, _sources([path.parent]) if whole else [(name, path)])


@functools.cache
def _in_engine(package: str) -> bool:
    return package in {folder.name for folder in engine_packages()}


# ---- The cache


IMPORTED = fingerprint() if COMPILED else ""
"""The fingerprint of the sources that this process imports: they may be edited while it runs."""


def _unchanged(package: str) -> bool:
    """Whether the sources on disk are those that this process has imported."""
    try:
        same = _in_engine(package) or _hash_package(package) == package_fingerprint(package) != UNKNOWN
        return same and fingerprint() == IMPORTED
    except OSError:  # another version may be being installed
        return False


@functools.cache
def store() -> cache.Store:
    """Where the compiled kernels of this process are kept."""
    return cache.Store(_hash(f"{IMPORTED}\n{cache.machine()}"), f"sources {IMPORTED}\n{cache.machine()}")


@functools.cache
def _store_for(package: str) -> cache.Store | None:
    """Where compiled kernels of a package are looked for; None if its sources are not those that were imported."""
    if _unchanged(package):
        return store()
    if package_fingerprint(package) != UNKNOWN:
        cache.say_once("edited", f"sources of {package} were edited after they were imported: its kernels are not kept")
    return None


def _sources_of(package: str) -> str:
    """What the name of a kernel's file says of its sources: those of the engine are in the name of the store."""
    return "" if _in_engine(package) else package_fingerprint(package)


def _number_kernels_apart() -> None:
    """Let numba count what it compiles from a random number on.

    It names a compiled function by module, name, argument types and this count, and a record among those types by a count of
    its own. Both would begin anew in every process: a loop over the records of one game, compiled by one process, had the name
    of the same loop over another game's, compiled by another, and who loaded both from the cache might call the wrong one.
    """
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(60))


if COMPILED:
    _number_kernels_apart()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_number_kernels_apart)


# ---- Compiling


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
    dispatcher = _njit(nogil=True, _nrt=False, no_cfunc_wrapper=True, forceinline=forceinline)(function)
    dispatcher._cache = cache.KernelCache(
        function, _sources_of(package), partial(_store_for, package), partial(_unchanged, package)
    )
    return cast(Function, dispatcher)


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
    if not COMPILED:
        return
    if name in prepared:
        return
    group = name if _in_engine(package) else f"{name}-{package_fingerprint(package)}"
    compiled = False
    if not store().is_ready(group):
        with store().lock(group, lambda: cache.say(f"waiting for another process that is compiling {name} ...")):
            if not store().is_ready(group):
                compiled = True
                _compile_and_tell(name, compile_all)
                if _unchanged(package):
                    store().set_ready(group)
    prepared[name] = compiled


prepared: dict[str, bool] = {}
"""What `compile_once` has seen to in this process -> whether it had to be compiled."""


def _compile_and_tell(name: str, compile_all: Callable[[], None]) -> None:
    cache.say_again("compiling", f"compiling {name} for this machine; once per version, about a minute ...")
    start = time.perf_counter()
    compile_all()
    cache.say(f"{name} compiled in {time.perf_counter() - start:.0f} s")


def compile_calls(calls: Iterable[tuple[Any, ...]]) -> None:
    """Compile kernels for the types of the arguments given, without calling them. A call is (kernel, *arguments)."""
    for function, *arguments in calls:
        function.compile(tuple(map(numba.typeof, arguments)))


ENDING_WITH_ITS_PARENT = """
import os, threading

def watch():
    os.read(0, 1)  # nobody writes: this returns when the process at the other end of the pipe has ended
    os._exit(1)

threading.Thread(target=watch, daemon=True).start()
"""


@contextmanager
def second_process(code: str, *arguments: str) -> Iterator[None]:
    """Run Python code in a process beside this one, if there is a core for it; it ends with the block, or with us.

    It imports nothing that lies in the current folder (`-P`): that may be anybody's.
    """
    if cores() < 2:
        yield
        return
    command = [sys.executable, "-P", "-c", ENDING_WITH_ITS_PARENT + code, *arguments]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        process.terminate()
        process.communicate()


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def as_games(records: np.ndarray) -> np.ndarray:
    """What kernels take: the plain array when compiled, a recarray (attribute access) in plain Python."""
    return records if COMPILED else records.view(np.recarray)
