"""Homes: the folders that stores of compiled kernels lie in.

`CARDTABLE_CACHE` names the folder in which our `cardtable/` lies; without it that is the user's cache folder. Where that
cannot be used, kernels go to a folder of the user in the temporary directory, or to one of this process alone.
"""

import atexit
import functools
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from cardtable.engine.trust import HAS_OWNERS, may_use, trouble, trouble_above, writable
from cardtable.support.notices import said, say_once

NAMED = "CARDTABLE_CACHE"
"""The environment variable with which a user names the folder that our folder lies in."""
FALLBACK = "CARDTABLE_FALLBACK_CACHE"
"""The environment variable by which processes that we start learn of the fallback that we use."""
OWN = "cardtable"
"""What our folder is called."""


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
    return problem or ("" if writable(home) else f"{home} cannot be written")


def why_not_kept() -> str:
    """Why what this process compiles is not kept where the environment asks for it; empty if it is."""
    return problem_of_home() or said("fallback") or said("writing")


def _users_fallback() -> Path:
    """The home of this user in the temporary directory."""
    return Path(os.path.realpath(tempfile.gettempdir())) / (f"{OWN}-{os.geteuid()}" if HAS_OWNERS else OWN)


def homes() -> list[Path]:
    """Where stores are looked for. The fallback is one only where the home that is wanted cannot be written."""
    found: list[Path] = []
    wanted, _ = wanted_home()
    if wanted is not None and may_use(wanted):
        found.append(wanted)
    elif wanted is not None and os.path.lexists(wanted):
        writing_home()  # says why it is not used
    if problem_of_home():
        told = os.environ.get(FALLBACK)
        with suppress(OSError):
            found += filter(may_use, [Path(told) if told else _users_fallback()])
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
        return trouble(home) or ("" if writable(home) else f"{home} cannot be written")
    except OSError as error:
        return f"{home} cannot be made: {error.strerror}"


def _fallback_home(problem: str) -> Path | None:
    """A home in the temporary directory: that of a process that started this one, the user's, or a new one."""
    told = os.environ.get(FALLBACK)
    if told and may_use(Path(told)) and writable(Path(told)):
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
