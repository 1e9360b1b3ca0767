"""Where compiled kernels are kept on disk, and how they are read and written.

Kernels are kept as pickles with machine code in them: whoever can write one runs code in our process, and a damaged one
crashes it. So a folder is used only if nobody else can write there, and a file only if its digest is right. Whatever cannot
be used counts as missing: the kernel is compiled, and play goes on.

`CARDTABLE_CACHE` names the folder in which our `cardtable/` lies; without it that is the user's cache folder. In it each
version of sources, libraries, Python and processor (`Store`) has a folder of its own. Where that cannot be used, kernels go to
a folder of the user in the temporary directory, or to one of this process alone.
"""

import atexit
import functools
import hashlib
import os
import pickle
import platform
import re
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
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

from cardtable.support import files

NAMED = "CARDTABLE_CACHE"
"""The environment variable with which a user names the folder that our folder lies in."""
FALLBACK = "CARDTABLE_FALLBACK_CACHE"
"""The environment variable by which processes that we start learn of the fallback that we use."""

OWN = "cardtable"
STORE_NAME = re.compile(r"[0-9a-f]{16}")
MARKER = "cardtable-cache.txt"
"""The file that says that a folder is a store of ours. Nothing without it is ever deleted."""
KERNEL, READY, LOCK = ".kernel", ".ready", ".lock"
KEPT_STORES = 6
"""How many stores are kept, those used last; older ones belong to versions that are gone."""

MAGIC = b"cardtable kernel 1\n"
DIGEST_SIZE = 64
LARGEST_KERNEL = 1 << 28

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
DAY = 24 * 60 * 60

config: Any = _config
CompileResult: Any = _CompileResult  # numba has no types
dumps: Any = _dumps
normalize_signature: Any = _normalize_signature
HAS_OWNERS = hasattr(os, "geteuid")
"""False on Windows, where the folders that we use belong to the user by themselves."""

_said: dict[str, str] = {}
"""Subject -> what this process has told the user about it."""


def say(text: str) -> None:
    """Tell the user on standard error."""
    if sys.stderr is not None:
        with suppress(OSError, ValueError):  # nobody may be listening
            print(f"cardtable: {text}", file=sys.stderr, flush=True)


def say_once(subject: str, text: str) -> None:
    """Tell the user, unless this process has said something on the subject already."""
    if subject not in _said:
        say_again(subject, text)


def say_again(subject: str, text: str) -> None:
    """Tell the user; `say_once` has nothing to add on the subject."""
    _said[subject] = text
    say(text)


# ---- Whom we trust


def _ours(status: os.stat_result) -> bool:
    return status.st_uid in (os.geteuid(), 0)


def _private_group(group: int) -> bool:
    """Whether a group is that of one user alone: root's, or one that has the number of the user."""
    return group == 0 or group == os.getegid() == os.geteuid()


def trouble_above(folder: Path) -> str:
    """Why somebody else could put another folder in the place of one that lies in this one; empty if nobody can."""
    if not HAS_OWNERS:
        return ""
    status = folder.stat()
    if not _ours(status):
        return f"{folder} belongs to another user"
    open_to_group = status.st_mode & stat.S_IWGRP and not _private_group(status.st_gid)
    if (open_to_group or status.st_mode & stat.S_IWOTH) and not status.st_mode & stat.S_ISVTX:
        return f"{folder} can be written by others"
    return ""


def trouble(folder: Path) -> str:
    """Why the code in this folder must not be run; empty if it may. `OSError` if there is no such folder."""
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode):
        return f"{folder} is not a folder"
    if not HAS_OWNERS:
        return ""
    if not _ours(status):
        return f"{folder} belongs to another user"
    if status.st_mode & OTHERS_WRITE:
        return f"{folder} can be written by others (chmod go-w, if you trust what is in it)"
    return trouble_above(folder.parent)


def _may_use(folder: Path) -> bool:
    try:
        return not trouble(folder)
    except OSError:
        return False


def _writable(folder: Path) -> bool:
    """Whether we can write into a folder, or make it if it is not there."""
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK | os.X_OK)


# ---- Homes: the folders that stores lie in


@functools.cache
def wanted_home() -> tuple[Path | None, str]:
    """The home that the environment asks for; None if there is none, and why."""
    named = os.environ.get(NAMED)
    if named:
        return Path(os.path.realpath(named)) / OWN, ""
    base = os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME")
    if base and os.path.isabs(base):
        return Path(os.path.realpath(base)) / OWN, ""
    try:
        home = Path.home()
    except RuntimeError:
        return None, "this user has no home folder"
    if not home.is_absolute() or not os.path.isdir(home):
        return None, f"there is no home folder {str(home)!r}"
    return Path(os.path.realpath(home / ".cache")) / OWN, ""


@functools.cache
def problem_of_home() -> str:
    """Why nothing can be written to the home that is wanted; empty if it can."""
    home, problem = wanted_home()
    if home is None:
        return problem
    with suppress(OSError):  # it may not be there yet
        problem = trouble(home)
    return problem or ("" if _writable(home) else f"{home} cannot be written")


def why_not_kept() -> str:
    """Why what this process compiles is not kept where the environment asks for it; empty if it is."""
    return problem_of_home() or _said.get("fallback", "") or _said.get("writing", "")


def _users_fallback() -> Path:
    """The home of this user in the temporary directory."""
    return Path(os.path.realpath(tempfile.gettempdir())) / (f"{OWN}-{os.geteuid()}" if HAS_OWNERS else OWN)


def homes() -> list[Path]:
    """Where stores are looked for. The fallback is one only where the home that is wanted cannot be written."""
    found: list[Path] = []
    wanted, _ = wanted_home()
    if wanted is not None and _may_use(wanted):
        found.append(wanted)
    elif wanted is not None and os.path.lexists(wanted):
        writing_home()  # says why it is not used
    if problem_of_home():
        told = os.environ.get(FALLBACK)
        with suppress(OSError):
            found += filter(_may_use, [Path(told) if told else _users_fallback()])
    return found


@functools.cache
def writing_home() -> Path | None:
    """Where stores are written: the home that is wanted, else the fallback; None if there is no place at all."""
    wanted, _ = wanted_home()
    problem = problem_of_home()
    if wanted is not None and not problem:
        problem = _make_home(wanted)
    return _fallback_home(problem) if problem or wanted is None else wanted


def _make_home(home: Path) -> str:
    """Make a home if it is not there; why it cannot be used, or nothing."""
    try:
        above = home.parent
        for folder in reversed([above, *above.parents]):
            if not folder.exists():
                folder.mkdir(0o755 if os.environ.get(NAMED) else 0o700, exist_ok=True)
        if problem := trouble_above(above):
            return problem
        home.mkdir(0o700, exist_ok=True)
        return trouble(home) or ("" if _writable(home) else f"{home} cannot be written")
    except OSError as error:
        return f"{home} cannot be made: {error.strerror}"


def _fallback_home(problem: str) -> Path | None:
    """A home in the temporary directory: that of a process that started this one, the user's, or a new one."""
    told = os.environ.get(FALLBACK)
    if told and _may_use(Path(told)) and _writable(Path(told)):
        return Path(told)
    try:
        home = _users_fallback()
        if second := _make_home(home):
            home = _private_home()
            problem = f"{problem}; {second}" if second != problem else problem
            problem = f"{problem}. It is deleted when this process ends"
    except OSError as error:  # no temporary directory either
        say_once("fallback", f"compiled kernels are not kept: {problem}; {error}")
        return None
    os.environ[FALLBACK] = str(home)
    say_once("fallback", f"compiled kernels are kept in {home}: {problem}")
    return home


def _private_home() -> Path:
    """A home of this process and those that it starts, deleted when it ends."""
    home, process = Path(os.path.realpath(tempfile.mkdtemp(prefix=f"{OWN}-"))), os.getpid()

    def delete() -> None:
        if os.getpid() == process:  # not in a fork of it
            shutil.rmtree(home, ignore_errors=True)

    atexit.register(delete)
    return home


# ---- Stores


class Store:
    """The compiled kernels of one version of everything that they depend on, under a name of 16 hex digits.

    It is a folder of that name in each of the homes. Kernels have names too, chosen by `KernelCache`.
    """

    def __init__(self, name: str, about: str = "") -> None:
        self.name = name
        self.about = about
        """What the version is, for those who look into the folder."""

    def folders(self) -> list[Path]:
        """Where its kernels are looked for."""
        found = [home / self.name for home in homes()]
        for folder in found:
            with suppress(OSError):
                if problem := trouble(folder):
                    say_once("damage", f"{problem}: compiled kernels in it are not used")
        return [folder for folder in found if _may_use(folder)]

    def open(self) -> Path | None:
        """The folder that its kernels are written to, made if it is not there; None if there is no place for it."""
        home = writing_home()
        if home is None:
            return None
        folder = home / self.name
        try:
            folder.mkdir(0o700, exist_ok=True)
            if problem := trouble(folder):
                say_once("writing", f"compiled kernels are not kept: {problem}")
                return None
            if not (folder / MARKER).is_file():
                text = f"Compiled kernels of cardtable. This folder may be deleted at any time.\n{self.about}\n"
                files.write_disposable(folder / MARKER, text.encode())
                delete_old_stores(home, self.name)
        except OSError as error:
            _cannot_keep(error)
            return None
        return folder

    def read(self, kernel: str) -> bytes | None:
        """What was written under this name; None if there is nothing, or nothing that can be trusted."""
        for folder in self.folders():
            try:
                content = files.read_bytes(folder / kernel, LARGEST_KERNEL, accept=_not_foreign)
            except FileNotFoundError:
                continue
            except OSError as error:
                _damaged(folder, error.strerror or str(error))
                continue
            if content[: len(MAGIC) + DIGEST_SIZE] == _head(kernel, content[len(MAGIC) + DIGEST_SIZE :]):
                self._mark_as_used(folder)
                return content[len(MAGIC) + DIGEST_SIZE :]
            _damaged(folder, "wrong digest")
        return None

    def write(self, kernel: str, payload: bytes) -> None:
        """Keep a kernel under a name. Where that is not possible, say so once and go on."""
        folder = self.open()
        if folder is None:
            return
        try:
            with suppress(OSError):
                os.rmdir(folder / kernel)  # should there be a folder of that name, nothing could be written
            files.write_disposable(folder / kernel, _head(kernel, payload) + payload)
        except OSError as error:
            _cannot_keep(error)

    def is_ready(self, name: str) -> bool:
        """Whether all kernels of a group are there."""
        return any(os.path.lexists(folder / f"{name}{READY}") for folder in self.folders())

    def set_ready(self, name: str) -> None:
        """Say that all kernels of a group are there."""
        folder = self.open()
        if folder is not None:
            try:
                (folder / f"{name}{READY}").touch(0o644)
            except OSError as error:
                _cannot_keep(error)

    @contextmanager
    def lock(self, name: str, waiting: Callable[[], None]) -> Iterator[None]:
        """Be the only process that compiles a group, where the file system can lock; `waiting` is called once if we wait."""
        with ExitStack() as stack:
            folder = self.open()
            if folder is not None:
                with suppress(OSError):
                    stack.enter_context(files.lock(folder / f"{name}{LOCK}", waiting))
            yield

    def share(self) -> None:
        """Let other users read what is in the folder that we write to, and not write; not if anything else lies beside it."""
        folder = self.open()
        if folder is None or not HAS_OWNERS:
            return
        if foreign := [path.name for path in folder.parent.iterdir() if _last_use(path) is None]:
            say(f"{folder.parent} is not opened for other users: there is more in it than compiled code ({foreign[0]})")
            return
        for path in (folder.parent, folder, *folder.iterdir()):
            status = path.lstat()
            if status.st_uid == os.geteuid() and not stat.S_ISLNK(status.st_mode):
                path.chmod(0o755 if stat.S_ISDIR(status.st_mode) else 0o644)

    def _mark_as_used(self, folder: Path) -> None:
        """Once a day is enough: stores that nobody uses are deleted first."""
        marker = folder / MARKER
        with suppress(OSError):
            status = marker.lstat()
            if stat.S_ISREG(status.st_mode) and time.time() - status.st_mtime > DAY:
                os.utime(marker)


def _head(kernel: str, payload: bytes) -> bytes:
    """What a file begins with: the digest of its name and content."""
    return MAGIC + hashlib.sha256(kernel.encode() + b"\n" + payload).hexdigest().encode()


def _not_foreign(status: os.stat_result) -> bool:
    return not HAS_OWNERS or (_ours(status) and not status.st_mode & OTHERS_WRITE)


def _damaged(folder: Path, reason: str) -> None:
    say_once("damage", f"the cache {folder} is damaged ({reason}); what cannot be read is compiled again")


def _cannot_keep(error: OSError) -> None:
    say_once("writing", f"compiled kernels are not kept: {error}")


# ---- Deleting


def delete_old_stores(home: Path, current: str) -> None:
    """Delete all stores of ours but this one and those used last. Other processes may be doing the same."""
    stores = []
    with suppress(OSError):
        for folder in home.iterdir():
            if folder.name != current and (used := _last_use(folder)) is not None:
                stores.append((used, folder))
    for _, folder in sorted(stores, reverse=True)[KEPT_STORES - 1 :]:
        with suppress(OSError):
            _delete_store(folder)


def _last_use(folder: Path) -> float | None:
    """When a store of ours was used last; None if the folder is no store of ours."""
    if not STORE_NAME.fullmatch(folder.name):
        return None
    try:
        status, marker = folder.lstat(), (folder / MARKER).lstat()
    except OSError:
        return None
    own = not HAS_OWNERS or status.st_uid == marker.st_uid == os.geteuid()
    return marker.st_mtime if own and stat.S_ISDIR(status.st_mode) and stat.S_ISREG(marker.st_mode) else None


def _delete_store(folder: Path) -> None:
    """Delete a store, its marker last. One in which there is anything that is not ours stays as it is."""
    with os.scandir(folder) as entries:
        found = list(entries)
    if not all(each.is_file(follow_symlinks=False) and _is_our_name(each.name) for each in found):
        return
    for each in sorted(found, key=lambda each: each.name == MARKER):
        os.unlink(each.path)
    folder.rmdir()


def _is_our_name(name: str) -> bool:
    return name == MARKER or name.endswith((KERNEL, READY, LOCK, files.PART))


# ---- What numba asks


def machine() -> str:
    """All that compiled code depends on, and how it is written, besides sources and the settings in their fingerprint."""
    versions = f"numba {numba.__version__} llvmlite {llvmlite.__version__} numpy {np.__version__}"
    python = f"{platform.python_implementation()} {platform.python_version()} {sys.implementation.cache_tag}"
    settings = f"debug {config.DEBUGINFO_DEFAULT} vectorize {config.LOOP_VECTORIZE} {config.SLP_VECTORIZE}"
    form = MAGIC.decode().strip()
    return "\n".join((form, versions, python, settings, *cpu_target.target_context.codegen().magic_tuple()))


class KernelCache:
    """What a numba dispatcher takes as its cache: every compiled overload of a kernel is a file in a store.

    Numba's own cache believes whatever it finds, loses entries when two processes write, and knows a function by its path.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        sources: str,
        find_store: Callable[[], Store | None],
        is_current: Callable[[], bool],
    ) -> None:
        self.function = function
        self.sources = sources
        """A hash of what the kernel is made from that the name of the store says nothing about."""
        self.find_store = find_store
        self.is_current = is_current
        """Whether the sources on disk are still those that the names of store and kernel speak of."""

    @property
    def cache_path(self) -> str | None:
        """Where kernels are looked for; numba's statistics tell it."""
        store = self.find_store()
        return str(store.folders()[0]) if store and store.folders() else None

    def load_overload(self, signature: Any, target: Any) -> Any:
        """The compiled kernel for these argument types, or None."""
        target.refresh()
        store = self.find_store()
        payload = store.read(self._name(signature)) if store else None
        if store and payload is not None:
            try:
                reduced = pickle.loads(payload)
                arguments, _ = normalize_signature(signature)
                if tuple(reduced[3].args) == tuple(arguments):
                    return CompileResult._rebuild(target, *reduced)
            except Exception as error:  # whatever is wrong with it, the kernel can be compiled
                _damaged(Path(self.cache_path or ""), f"{type(error).__name__}: {error}")
        say_once("compiling", f"compiling kernels that are not in the cache yet, {self.function.__qualname__} first ...")
        return None

    def save_overload(self, signature: Any, result: Any) -> None:
        """Keep a compiled kernel, unless it refers to what is in the memory of this process."""
        store = self.find_store()
        can_cache = not result.library.has_dynamic_globals and all(each.can_cache for each in result.lifted)
        if store and can_cache and self.is_current():
            store.write(self._name(signature), dumps(result._reduce()))

    def flush(self) -> None:
        """Numba asks for it before it compiles a kernel again, which replaces the file."""

    def _name(self, signature: Any) -> str:
        """The name of the file with the code for these argument types."""
        arguments, _ = normalize_signature(signature)
        function, code = self.function, self.function.__code__
        parts = [function.__module__, function.__qualname__, str(code.co_firstlineno), *map(str, arguments), self.sources]
        parts += [hashlib.sha256(code.co_code).hexdigest(), *(map(_hash_of_cell, function.__closure__ or ()))]
        name = function.__name__ if function.__name__.isidentifier() else "kernel"
        return f"{name}-{hashlib.sha256(chr(0).join(parts).encode()).hexdigest()[:32]}{KERNEL}"


def _hash_of_cell(cell: Any) -> str:
    return hashlib.sha256(dumps(cell.cell_contents)).hexdigest()
