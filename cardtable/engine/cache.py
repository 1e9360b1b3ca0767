"""The cache that numba asks: every compiled overload of a kernel is a file in a store.

A store is named by the packages whose sources its kernels depend on, and by a hash of those sources, of `cardtable`, of the
libraries, of Python and of the processor: an edit of one game compiles no other. `cardtable.engine.origins` says what an
overload depends on, `cardtable.engine.homes` where stores are, `cardtable.engine.store` how they are read and written.
"""

import functools
import hashlib
import pickle
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import llvmlite
import numba
import numpy as np
from numba.core import config as _config
from numba.core.compiler import CompileResult as _CompileResult
from numba.core.registry import cpu_target
from numba.core.serialize import dumps as _dumps
from numba.core.sigutils import normalize_signature as _normalize_signature

from cardtable.engine import sources
from cardtable.engine.origins import Origin, origin_of
from cardtable.engine.store import KERNEL, MAGIC, Store, tell_damage
from cardtable.support.notices import say_once

config: Any = _config
CompileResult: Any = _CompileResult  # numba has no types
dumps: Any = _dumps
normalize_signature: Any = _normalize_signature

LONGEST_PREFIX = 100
"""Letters of the names of packages in the name of a store."""


def settings() -> str:
    """The settings of the compiler on which compiled code depends."""
    checks = f"bounds {int(config.BOUNDSCHECK or 0)} optimised {config.OPT} debug {config.DEBUGINFO_DEFAULT}"
    return f"{checks} vectorize {config.LOOP_VECTORIZE} {config.SLP_VECTORIZE}"


def machine() -> str:
    """All that compiled code depends on, and how it is written, besides sources."""
    versions = f"numba {numba.__version__} llvmlite {llvmlite.__version__} numpy {np.__version__}"
    python = f"{platform.python_implementation()} {platform.python_version()} {sys.implementation.cache_tag}"
    form = MAGIC.decode().strip()
    return "\n".join((form, versions, python, settings(), *cpu_target.target_context.codegen().magic_tuple()))


def store_of(origin: Origin) -> Store:
    """Where compiled code of an origin is kept, as its sources were imported."""
    return _store(tuple(origin.declared))


@functools.cache
def _store(packages: tuple[str, ...]) -> Store:
    versions = [f"{each} {sources.imported(each)}" for each in (sources.SHARED, *packages)]
    about = "\n".join((*versions, machine()))
    prefix = "+".join(packages or (sources.SHARED,))[:LONGEST_PREFIX]
    return Store(f"{prefix}-{hashlib.sha256(about.encode()).hexdigest()[:16]}", about)


def usable_store(origin: Origin) -> Store | None:
    """Where compiled code of an origin is looked for; None if its sources are not those that were imported."""
    return store_of(origin) if _as_imported(origin.packages) else None


@functools.cache
def _as_imported(packages: frozenset[str]) -> bool:
    """Whether the sources were those that this process imported when they were needed first; the user is told if not."""
    edited = sources.edited(packages)
    if edited and sources.imported(edited[0]) != sources.UNKNOWN:
        say_once("edited", f"sources of {edited[0]} were edited after they were imported: its kernels are not kept")
    return not edited


class KernelCache:
    """What a numba dispatcher takes as its cache.

    Numba's own cache believes whatever it finds, loses entries when two processes write, and knows a function by its path.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    @property
    def cache_path(self) -> str | None:
        """Where kernels without records are looked for; numba's statistics tell it."""
        store = usable_store(origin_of(self.function.__module__, ()))
        return str(store.folders()[0]) if store and store.folders() else None

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled kernel for these argument types, or None."""
        target.refresh()
        arguments, _ = normalize_signature(signature)
        origin = origin_of(self.function.__module__, arguments)
        store = usable_store(origin)
        payload = store.read(self._name(arguments, origin)) if store else None
        if store and payload is not None:
            try:
                reduced = pickle.loads(payload)
                if tuple(reduced[3].args) == tuple(arguments):
                    return CompileResult._rebuild(target, *reduced)
            except Exception as error:  # whatever is wrong with it, the kernel can be compiled
                tell_damage(next(iter(store.folders()), Path(store.name)), f"{type(error).__name__}: {error}")
        say_once("compiling", f"compiling kernels that are not in the cache yet, {self.function.__qualname__} first ...")
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a compiled kernel, unless it refers to what is in the memory of this process or its sources were edited."""
        arguments, _ = normalize_signature(signature)
        origin = origin_of(self.function.__module__, arguments)
        store = usable_store(origin)
        can_cache = not result.library.has_dynamic_globals and all(each.can_cache for each in result.lifted)
        if store and can_cache and not sources.edited(origin.packages):
            store.write(self._name(arguments, origin), dumps(result._reduce()))

    def flush(self) -> None:
        """Numba asks for it before it compiles a kernel again, which replaces the file."""

    def _name(self, arguments: tuple[Any, ...], origin: Origin) -> str:
        """The name of the file with the code for these argument types."""
        function, code = self.function, self.function.__code__
        parts = [function.__module__, function.__qualname__, str(code.co_firstlineno), *map(str, arguments), origin.details()]
        parts += [hashlib.sha256(code.co_code).hexdigest(), *(map(_hash_of_cell, function.__closure__ or ()))]
        name = function.__name__ if function.__name__.isidentifier() else "kernel"
        return f"{name}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]}{KERNEL}"


def _hash_of_cell(cell: Any) -> str:
    return hashlib.sha256(dumps(cell.cell_contents)).hexdigest()
