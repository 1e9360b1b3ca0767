"""Tasks played in this process, or in worker processes of this machine."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from multiprocessing.util import Finalize
from typing import Any

from cardtable.errors import AgentError
from cardtable.support.processes import worker_processes
from cardtable_agents.arena.work import Done, Task, Work


def played_here(work: Work[Done], tasks: Sequence[Task], workers: int) -> Iterator[Done]:
    """What is made of each task, in the order in which they are finished."""
    if workers == 1 or len(tasks) < 2:
        with closing(work):
            yield from map(work.play, tasks)
        return
    try:
        with worker_processes(min(workers, len(tasks)), _start, work) as executor:
            futures: list[Future[Done]] = [executor.submit(_play, task) for task in tasks]
            for future in as_completed(futures):
                yield future.result()
    except BrokenProcessPool:
        raise AgentError("a worker process was killed; run the same command again to continue") from None


# ---- In a worker's process

_work: Work[Any]


def _start(work: Work[Any]) -> None:
    """Remember what the tasks of this process are about; if no agents can be made, the first one tells the parent."""
    global _work
    _work = work
    Finalize(work, work.close, exitpriority=0)  # `atexit` is not run in processes of a pool


def _play(task: Task) -> Any:  # noqa: ANN401  # what the work makes
    return _work.play(task)
