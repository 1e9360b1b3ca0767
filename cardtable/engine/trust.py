"""Whom we trust: which folders and files may hold code that we run.

Compiled kernels are pickles with machine code in them: whoever can write one runs code in our process. So a folder is used
only if it belongs to us or to root and nobody else can write there, or put another one in its place.
"""

import os
import stat
from pathlib import Path

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
HAS_OWNERS = hasattr(os, "geteuid")
"""False on Windows, where the folders that we use belong to the user by themselves."""


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


def may_use(folder: Path) -> bool:
    """Whether there is such a folder, and the code in it may be run."""
    try:
        return not trouble(folder)
    except OSError:
        return False


def may_load(status: os.stat_result) -> bool:
    """Whether the code in a file may be run, if that in its folder may."""
    return not HAS_OWNERS or (_ours(status) and not status.st_mode & OTHERS_WRITE)


def writable(folder: Path) -> bool:
    """Whether we can write into a folder, or make it if it is not there."""
    while not os.path.lexists(folder) and folder != folder.parent:
        folder = folder.parent
    return os.access(folder, os.W_OK | os.X_OK)
