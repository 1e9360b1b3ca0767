"""`kernel`: numba compilation with a disk cache that notices every change of a source that a kernel depends on.

Environment variables: `CARDTABLE_CACHE` (where compiled kernels are kept), `NUMBA_DISABLE_JIT=1` (plain Python, for
debugging and coverage), `NUMBA_BOUNDSCHECK=1` (array bounds checked; stores of its own).
"""

import functools
import itertools
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core import config as _config
from numba.core.bytecode import FunctionIdentity as _FunctionIdentity

from cardtable.engine import cache, sources
from cardtable.engine.origins import origin_of_group
from cardtable.support.notices import say, say_again
from cardtable.types import Records

config: Any = _config

COMPILED = not config.DISABLE_JIT
"""False when numba is switched off and every kernel runs as plain Python."""

CHECKED = bool(config.BOUNDSCHECK)
"""True when compiled kernels check the bounds of arrays."""

_njit: Any = numba.njit  # the stubs do not know `_nrt`
FunctionIdentity: Any = _FunctionIdentity

unsigned: Any = np.uint64 if COMPILED else int
"""Makes an index that is never negative: compiled code need not ask whether it counts from the end."""

FLOATS: Any = {"fastmath": {"contract", "nsz", "reassoc"}, "error_model": "numpy"}
"""How arithmetic with floats is compiled where speed counts more than the order of sums."""

Function = TypeVar("Function", bound=Callable[..., Any])


def _number_kernels_apart() -> None:
    """Let numba count what it compiles from a random number on.

    It names a compiled function by module, name, argument types and this count, and a record among those types by a count of
    its own. Both would begin anew in every process: a loop over the records of one game, compiled by one process, had the name
    of the same loop over another game's, compiled by another, and who loaded both from the cache might call the wrong one.
    """
    FunctionIdentity._unique_ids = itertools.count(secrets.randbits(60))


if COMPILED:
    sources.remember_declared()  # before their kernels are made: they may be edited while this process runs
    _number_kernels_apart()
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_number_kernels_apart)


# ---- Compiling


def kernel(function: Function) -> Function:
    """Compile `function` without the GIL, cached on disk. With `NUMBA_DISABLE_JIT=1` it stays plain Python."""
    return _compiled(function)


def float_kernel(function: Function) -> Function:
    """A kernel whose sums of floats may be added up in any order, several at once. NaN and infinity stay what they are.

    Division by zero gives one of these, as in numpy: a check of every divisor would keep Adam from moving several parameters at
    once.
    """
    return _compiled(function, **FLOATS)


def helper(function: Function) -> Function:
    """A small kernel that is always inlined into its callers: faster, but compiled anew in each of them."""
    return _compiled(function, forceinline=True)


def float_helper(function: Function) -> Function:
    """A helper with the sums and divisions of a `float_kernel`, for kernels of this kind."""
    return _compiled(function, forceinline=True, **FLOATS)


def _compiled(function: Function, **settings: Any) -> Function:
    """Kernels never allocate, so they need no reference counts (`_nrt`); those cost a third of a step.

    No C code calls them either: the entry for it is left out, which compiles faster.
    """
    if not COMPILED:
        return function
    sources.imported(sources.package_of(function.__module__))
    dispatcher = _njit(nogil=True, _nrt=False, no_cfunc_wrapper=True, **settings)(function)
    dispatcher._cache = cache.KernelCache(function)
    return cast(Function, dispatcher)


def either(compiled: object, plain: Function) -> Function:
    """What kernels call: a function of compiled code (numba's `intrinsic`), or its twin in plain Python, whose types it has."""
    return cast(Function, compiled) if COMPILED else plain


def wrapping_kernel(function: Function) -> Function:
    """A kernel whose 64-bit arithmetic is meant modulo 2**64: no overflow warning in plain Python."""
    if COMPILED:
        return helper(function)

    @functools.wraps(function)
    def wrapped(*args: Any) -> Any:
        with np.errstate(over="ignore"):
            return function(*args)

    return cast(Function, wrapped)


def compile_once(
    name: str, compile_all: Callable[[], None], module: str = sources.SHARED, record: np.dtype | None = None
) -> None:
    """Run `compile_all` if nothing is cached for `name` yet, telling the user on standard error.

    The kernels are those of a module, for games of a record: an edit of what they are made from compiles them anew. Of
    processes that start together, one compiles and the others wait for it.
    """
    if not COMPILED or name in prepared:
        return
    origin = origin_of_group(module, record)
    store, group, compiled = cache.store_of(origin), f"{name}-{origin.details()}", False
    if not store.is_ready(group):
        with store.lock(group, lambda: say(f"waiting for another process that is compiling {name} ...")):
            if not store.is_ready(group):
                compiled = True
                _compile_and_tell(name, compile_all)
                if not sources.edited(origin.packages):
                    store.set_ready(group)
    prepared[name] = compiled


prepared: dict[str, bool] = {}
"""What `compile_once` has seen to in this process -> whether it had to be compiled."""


def _compile_and_tell(name: str, compile_all: Callable[[], None]) -> None:
    say_again("compiling", f"compiling {name} for this machine; once per version, about a minute ...")
    start = time.perf_counter()
    compile_all()
    say(f"{name} compiled in {time.perf_counter() - start:.0f} s")


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


def as_games(records: Records) -> Records:
    """What kernels take: the plain array when compiled, a recarray (attribute access) in plain Python."""
    return records if COMPILED else records.view(np.recarray)
