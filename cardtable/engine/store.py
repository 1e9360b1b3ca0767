"""Stores: folders with the compiled kernels of one version of everything that they depend on.

A damaged kernel would crash the process, so a file is used only if its digest is right. Whatever cannot be used counts as
missing: the kernel is compiled, and play goes on. Old stores are deleted when a new one is made, never otherwise.
"""

import hashlib
import os
import re
import stat
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from cardtable.engine.homes import homes, writing_home
from cardtable.engine.trust import HAS_OWNERS, may_load, may_use, trouble
from cardtable.support import files
from cardtable.support.notices import say, say_once

STORE_NAME = re.compile(r"(?:([\w+]+)-)?[0-9a-f]{16}", re.ASCII)
"""The packages whose kernels are in a store, and a hash of all that they depend on. Earlier versions had the hash alone."""
MARKER = "cardtable-cache.txt"
"""The file that says that a folder is a store of ours. Nothing without it is ever deleted."""
KERNEL, READY, LOCK = ".kernel", ".ready", ".lock"
KEPT_STORES = 6
"""How many stores of the same packages are kept, those used last; older ones belong to versions that are gone."""

MAGIC = b"cardtable kernel 1\n"
DIGEST_SIZE = 64
LARGEST_KERNEL = 1 << 28
DAY = 24 * 60 * 60


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
        return [folder for folder in found if may_use(folder)]

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
                content = files.read_bytes(folder / kernel, LARGEST_KERNEL, accept=may_load)
            except FileNotFoundError:
                continue
            except OSError as error:
                tell_damage(folder, error.strerror or str(error))
                continue
            if content[: len(MAGIC) + DIGEST_SIZE] == _head(kernel, content[len(MAGIC) + DIGEST_SIZE :]):
                self._mark_as_used(folder)
                return content[len(MAGIC) + DIGEST_SIZE :]
            tell_damage(folder, "wrong digest")
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


def tell_damage(folder: Path, reason: str) -> None:
    """Say once that something in a store cannot be used."""
    say_once("damage", f"the cache {folder} is damaged ({reason}); what cannot be read is compiled again")


def _cannot_keep(error: OSError) -> None:
    say_once("writing", f"compiled kernels are not kept: {error}")


# ---- All stores of a home


def share_home() -> None:
    """Let other users read the stores in the home that we write to, and not write; not if anything else lies beside them."""
    home = writing_home()
    if home is None or not HAS_OWNERS or not home.is_dir():
        return
    stores = list(home.iterdir())
    if foreign := [path.name for path in stores if _last_use(path) is None]:
        say(f"{home} is not opened for other users: there is more in it than compiled code ({foreign[0]})")
        return
    for path in (home, *stores, *(each for folder in stores for each in folder.iterdir())):
        status = path.lstat()
        if status.st_uid == os.geteuid() and not stat.S_ISLNK(status.st_mode):
            path.chmod(0o755 if stat.S_ISDIR(status.st_mode) else 0o644)


def delete_old_stores(home: Path, current: str) -> None:
    """Delete stores of ours: of the same packages all but those used last, and never the current one.

    Other processes may be doing the same.
    """
    stores: defaultdict[str, list[tuple[float, Path]]] = defaultdict(list)
    with suppress(OSError):
        for folder in home.iterdir():
            if (used := _last_use(folder)) is not None:
                stores[_packages_in(folder.name)].append((float("inf") if folder.name == current else used, folder))
    for found in stores.values():
        for _, folder in sorted(found, reverse=True)[KEPT_STORES:]:
            with suppress(OSError):
                _delete_store(folder)


def _packages_in(name: str) -> str:
    """The packages that the name of a store names."""
    match = STORE_NAME.fullmatch(name)
    return (match[1] or "") if match else ""


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
