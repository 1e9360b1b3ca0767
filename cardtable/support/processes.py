"""Worker processes: they end with this one, and import nothing from the folder that it was started in."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import connection
from typing import Any

SAFE_PATH = "PYTHONSAFEPATH"
"""The environment variable that keeps a new Python from importing what lies in the current folder."""


@contextmanager
def worker_processes(
    number: int, start: Callable[..., None] | None = None, *arguments: object
) -> Iterator[ProcessPoolExecutor]:
    """Processes to submit tasks to; each runs `start(*arguments)` first. Whatever ends the block early ends them."""
    others, before = set(multiprocessing.active_children()), os.environ.get(SAFE_PATH)
    os.environ[SAFE_PATH] = "1"
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(number, context, _start, (before, start, arguments))
    try:
        yield executor
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        raise
    finally:
        _set_safe_path(before)
    executor.shutdown()


def _start(safe_path: str | None, start: Callable[..., None] | None, arguments: tuple[Any, ...]) -> None:
    """The parent process alone handles an interrupt, and ends the others; what they start has the user's own settings."""
    _set_safe_path(safe_path)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _end_with_parent()
    if start is not None:
        start(*arguments)


def _set_safe_path(value: str | None) -> None:
    if value is None:
        os.environ.pop(SAFE_PATH, None)
    else:
        os.environ[SAFE_PATH] = value


def _end_with_parent() -> None:
    """End this process when its parent has ended, even if that was killed."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def wait(sentinel: int) -> None:
        connection.wait([sentinel])
        os._exit(1)

    threading.Thread(target=wait, args=(parent.sentinel,), daemon=True).start()
