"""Files: written whole or not at all, read up to a limit, locked by one process at a time.

Whatever we write goes through `write_whole`, so that a full disk, a kill or a second process leaves the old file or the new
one. Whatever we read from outside goes through `read_bytes` or `read_text`, so that a device, a pipe or a huge file is refused
before it fills the memory. Errors of the system stay `OSError`s that name the file.
"""

import errno
import importlib
import importlib.util
import os
import re
import secrets
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

fcntl: Any = importlib.import_module("fcntl") if importlib.util.find_spec("fcntl") else None  # Windows has none
msvcrt: Any = importlib.import_module("msvcrt") if importlib.util.find_spec("msvcrt") else None  # only Windows has it

PART = ".part"
"""What the name of a file ends with that is still being written."""
TOKEN_BYTES = 4
"""Random bytes in its name."""


HELD = (errno.EAGAIN, errno.EACCES, errno.EDEADLK)
"""What systems say of a lock that somebody else holds."""


class FileTooLarge(OSError):
    """A file is larger than anything of its kind."""


class Locked(OSError):
    """Another process holds the lock."""


# ---- Writing


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> None:
    """Write a file so that, whatever happens, there is the old one or the new one and never a part of either.

    Text is written as UTF-8. The new content is written beside the file and renamed; a link stays a link to what is
    written. Devices and pipes, which cannot be renamed to, are written as they are.
    """
    target = Path(os.path.realpath(path))
    data = content.encode() if isinstance(content, str) else content
    if target.exists() and not target.is_file() and not target.is_dir():
        target.write_bytes(data)
        return
    _respect_protection(target, path)
    part = _part_of(target)
    try:
        with _new_file(part) as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            os.chmod(part, stat.S_IMODE(target.stat().st_mode))
        os.replace(part, target)
    except BaseException as error:
        with suppress(OSError):
            part.unlink()
        if isinstance(error, OSError):
            raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
        raise
    sync_folder(target.parent)


def _respect_protection(target: Path, path: str | os.PathLike[str]) -> None:
    """Refuse to replace a file that its owner has protected from being written: renaming would not ask."""
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), os.fspath(path))


def write_disposable(path: Path, data: bytes) -> None:
    """Write a file that can be made again, and whose reader notices if it is not whole: renamed like those of `write_whole`,
    but without waiting for the disk. Others may read it and not write it. A link is replaced, not followed."""
    part = _part_of(path)
    try:
        with _new_file(part, 0o644) as file:
            file.write(data)
        os.replace(part, path)
    except BaseException:
        with suppress(OSError):
            part.unlink()
        raise


def remove_parts(folder: Path, pattern: str = "*") -> None:
    """Remove what killed processes left of files that they were writing; only for who keeps others from writing there."""
    for part in folder.glob(f".{pattern}.*{PART}"):
        if re.fullmatch(rf"\..+\.[0-9a-f]{{{2 * TOKEN_BYTES}}}{re.escape(PART)}", part.name):
            part.unlink(missing_ok=True)


def _part_of(target: Path) -> Path:
    """A name beside a file that nobody else uses."""
    return target.with_name(f".{target.name}.{secrets.token_hex(TOKEN_BYTES)}{PART}")


def _new_file(path: Path, mode: int = 0o666) -> IO[bytes]:
    """A file that did not exist before, open for writing, with the permissions that the user's files have."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode), "wb")


def append_whole(path: str | os.PathLike[str], content: bytes) -> None:
    """Add to a file that exists, and wait until it is on the disk. What a full disk has taken of it is cut off again.

    A kill in the middle can leave a part of it.
    """
    with open(path, "r+b", buffering=0) as file:
        end, left = file.seek(0, os.SEEK_END), memoryview(content)
        try:
            while left:
                left = left[file.write(left) :]
            os.fsync(file.fileno())
        except BaseException as error:
            with suppress(OSError):
                file.truncate(end)
            if isinstance(error, OSError):
                raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
            raise


def sync_folder(folder: Path) -> None:
    """Make sure that names in a folder outlive a loss of power; Windows cannot open a folder, and need not."""
    if os.name == "nt":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except PermissionError:  # a folder that may be written but not read: the file is there all the same
        return
    try:
        os.fsync(descriptor)
    except OSError as error:  # some network file systems cannot sync a folder
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def new_path(path: Path) -> Path:
    """The path, or if there is something already the first of `name-2.ext`, `name-3.ext`, … where there is nothing."""
    number, free = 1, path
    while os.path.lexists(free):
        number += 1
        free = path.with_name(f"{path.stem}-{number}{path.suffix}")
    return free


def require_writable(path: Path) -> None:
    """Raise the `OSError` that writing this file would end in, before there is anything to lose."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if target.exists() and not target.is_file():
        return
    _respect_protection(target, path)
    probe = _part_of(target)
    try:
        _new_file(probe).close()
        probe.unlink()
    except OSError as error:
        raise type(error)(error.errno, error.strerror, os.fspath(path)) from None


# ---- Reading


def read_bytes(
    path: str | os.PathLike[str], largest: int, accept: Callable[[os.stat_result], bool] = lambda status: True
) -> bytes:
    """The content of a file of at most so many bytes; `FileTooLarge` if there is more, `OSError` if it is no file.

    `accept` looks at the owner and the permissions of the file that is read; `PermissionError` if it returns False."""
    where = os.fspath(path)
    with open(path, "rb", opener=_without_waiting) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", where)
        if not accept(status):
            raise PermissionError(errno.EPERM, "Others may have written it", where)
        content = file.read(min(status.st_size, largest) + 1)  # room for the largest would take longer than reading
        if len(content) > status.st_size:  # it has grown meanwhile
            content += file.read(largest + 1 - len(content))
    if len(content) > largest:
        raise FileTooLarge(errno.EFBIG, f"Larger than {largest:,} bytes", where)
    return content


def read_lines(path: str | os.PathLike[str], longest: int) -> Iterator[bytes]:
    """The lines of a regular file, newlines included; `FileTooLarge` if one has more bytes than that."""
    with open(path, "rb", opener=_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "Not a regular file", os.fspath(path))
        while line := file.readline(longest + 1):
            if len(line) > longest:
                raise FileTooLarge(errno.EFBIG, f"Larger than {longest:,} bytes", os.fspath(path))
            yield line


def _without_waiting(path: str, flags: int) -> int:
    """Open a file; a pipe that nobody writes into does not keep us waiting."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_text(path: str | os.PathLike[str], largest: int) -> str:
    """The text of a file in UTF-8, with or without a byte-order mark; `UnicodeDecodeError` if it is none."""
    return read_bytes(path, largest).decode("utf-8-sig")


# ---- Locks


@contextmanager
def lock(path: Path, waiting: Callable[[], None] | None = None) -> Iterator[None]:
    """Hold the lock of this file; the system lets go of it if the process is killed.

    If another process (or another `lock` in this one) holds it: `Locked`, or with `waiting`, call that once and wait.
    """
    with path.open("a+b") as file:
        try:
            _acquire(file, wait=False)
        except OSError as error:
            if error.errno not in HELD:  # a file system that has no locks
                raise type(error)(error.errno, error.strerror, os.fspath(path)) from None
            if waiting is None:
                raise Locked(errno.EAGAIN, "Locked by another process", os.fspath(path)) from None
            waiting()
            _acquire(file, wait=True)
        try:
            yield
        finally:
            _release(file)


def is_locked(path: Path) -> bool:
    """Whether a process holds the lock of this file; a file that is not there or cannot be read is not locked.

    Nothing is written. Who asks for the lock at this very moment may find it taken.
    """
    try:
        with path.open("rb") as file:
            try:
                _acquire(file, wait=False)
            except OSError as error:
                return error.errno in HELD
            _release(file)
    except OSError:
        pass
    return False


def _acquire(file: IO[bytes], *, wait: bool) -> None:
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    elif msvcrt is not None:
        file.seek(0)
        while True:  # `LK_LOCK` itself gives up after ten seconds
            try:
                msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                return
            except OSError:
                if not wait:
                    raise


def _release(file: IO[bytes]) -> None:
    if fcntl is not None:
        fcntl.flock(file, fcntl.LOCK_UN)
    elif msvcrt is not None:
        file.seek(0)
        msvcrt.locking(file.fileno(), msvcrt.LK_UNLCK, 1)
