"""Tasks played on a Ray cluster: sent from here, played by one thread each, and everything written here.

Every node needs the same version of cardtable: games and agents are found where they are installed. A node that dies costs
the tasks that it was playing, which are sent again.
"""

import os
import pickle
import socket
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from typing import Any

from threadpoolctl import threadpool_limits

from cardtable.errors import AgentError
from cardtable.support.messages import cut, shown
from cardtable_agents.arena.cutting import Cutter
from cardtable_agents.arena.plan import Plan
from cardtable_agents.arena.work import Done, Task, Work

MISSING = "--ray needs Ray, which is not installed: pip install 'cardtable[ray]'"
LOCAL, AUTO = "local", "auto"
TASKS_A_CORE = 2
"""Tasks that are out for each core: one that is played, one that is ready to be."""
RETRIES = 3
"""How often Ray itself plays a task again whose machine was lost."""
MOST_LOSSES = 4
"""How often one task may be lost beyond that: what kills its machine every time is not the machine's fault."""
OBJECT_STORE = 200_000_000
"""Bytes of shared memory on a machine of our own; results of a task are far smaller."""
PATIENCE = 5.0
"""Seconds to wait for an answer of an address."""
WAIT = 2.0
"""Seconds between looks at how many cores there are."""
LONGEST_FAULT = 300


def checked_address(text: str) -> str:
    """An address of a cluster, if it is one: `HOST:PORT`, `local` or `auto`."""
    host, colon, port = text.rpartition(":")
    if text in (LOCAL, AUTO) or (colon and host and "/" not in host and port.isdecimal() and 0 < int(port[:6]) < 65536):
        return text
    raise AgentError(
        f"--ray {shown(text)}: allowed: HOST:PORT of a cluster's head (ray:// is not), {AUTO} for the one that runs on this "
        f"machine, {LOCAL} for a new one of this machine alone"
    )


def require_cluster(address: str) -> None:
    """Refuse what cannot be: an address that is none or where nobody listens, or Ray itself not installed."""
    if find_spec("ray") is None:
        raise AgentError(MISSING)
    if address and checked_address(address) not in (LOCAL, AUTO):
        _require_listener(address)


def played_on_ray(work: Work[Done], left: Sequence[Task], plan: Plan, address: str | None, grain: int = 1) -> Iterator[Done]:
    """What is made of the tasks, cut by how long they take (at multiples of `grain` deals), in any order.

    Without an address it is the cluster that RAY_ADDRESS names, or one of this machine alone.
    """
    if not left:
        return
    with _connected(address or os.environ.get("RAY_ADDRESS") or LOCAL) as ray:
        yield from Driver(ray, work, plan, Cutter(left, grain)).play()


class Driver:
    """Sends tasks and takes back what was made of them."""

    def __init__(self, ray: Any, work: Work[Any], plan: Plan, cutter: Cutter) -> None:
        self._ray, self._cutter = ray, cutter
        self._work = ray.put(pickle.dumps((plan, work)))
        self._remote = ray.remote(num_cpus=1, max_retries=RETRIES)(_play)
        self._out: dict[Any, Task] = {}
        self._losses: dict[Task, int] = {}

    def play(self) -> Iterator[Any]:
        """What is made of each task."""
        self._send()
        while self._out:
            done, _ = self._ray.wait(list(self._out), num_returns=1, timeout=WAIT)
            for reference in done:
                task = self._out.pop(reference)
                made = self._made(task, reference)
                if made is not None:
                    yield made[0]
            self._send()

    def _send(self) -> None:
        """Send tasks, as many as the cores there are now can take."""
        most = TASKS_A_CORE * max(int(self._ray.cluster_resources().get("CPU", 0)), 1)
        while len(self._out) < most and (task := self._cutter.next()) is not None:
            self._out[self._remote.remote(self._work, task)] = task

    def _made(self, task: Task, reference: Any) -> tuple[Any] | None:
        """What was made of a task; None if it was lost, and is sent again."""
        errors = self._ray.exceptions
        try:
            seconds, made = self._ray.get(reference)
        except errors.RayTaskError as error:
            raise _told(error) from None
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.ObjectLostError, errors.OutOfMemoryError) as error:
            self._send_again(task, error)
            return None
        self._cutter.learn(task, seconds)
        return (made,)

    def _send_again(self, task: Task, error: Exception) -> None:
        """A task was lost; `AgentError` if that has happened too often."""
        self._losses[task] = self._losses.get(task, 0) + 1
        if self._losses[task] > MOST_LOSSES:
            raise AgentError(
                f"deals {task.first} to {task.first + task.number - 1} of {shown(task.seatings[0])} end the process that "
                f"plays them, every time: {cut(_first_line(error), LONGEST_FAULT)}"
            ) from None
        self._out[self._remote.remote(self._work, task)] = task


def _told(error: Any) -> BaseException:
    """What went wrong on a node, as it would be told here."""
    cause = error.cause
    if isinstance(cause, ImportError):
        return AgentError(f"a node cannot import what it needs ({cause}): install the same version of cardtable on every node")
    return cause if isinstance(cause, Exception) else AgentError(cut(_first_line(error), LONGEST_FAULT))


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


# ---- The cluster


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """Ray, connected to a cluster; one of our own ends with the block."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    require_cluster(address)
    import ray

    if ray.is_initialized():  # by whoever called us: theirs to end
        yield ray
        return
    try:
        ray.init(address=address, **_settings(address))
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        raise AgentError(f"--ray {address}: no cluster to work with: {cut(_first_line(error), LONGEST_FAULT)}") from None
    try:
        _require_cores(ray, address)
        yield ray
    finally:
        ray.shutdown()


def _settings(address: str) -> dict[str, Any]:
    quiet = {"log_to_driver": False, "logging_level": "ERROR", "configure_logging": False}
    if address != LOCAL:
        return quiet
    return {**quiet, "include_dashboard": False, "object_store_memory": OBJECT_STORE}


def _require_listener(address: str) -> None:
    """Refuse an address where nobody listens, before Ray tries for a minute."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host, int(port)), PATIENCE).close()
    except OSError as error:
        raise AgentError(
            f"--ray {address}: nobody answers there ({error}); is the cluster running? `ray status` tells"
        ) from None


def _require_cores(ray: Any, address: str) -> None:
    if not ray.cluster_resources().get("CPU"):
        raise AgentError(f"--ray {address}: the cluster has no node with a core for tasks")


# ---- On a node

_work: tuple[bytes, Work[Any]] | None = None
"""What the tasks of this process are about."""


def _play(pickled: bytes, task: Task) -> tuple[float | None, Any]:
    """Play a task; how long it took, unless it was the first of this process, and what was made of it."""
    is_first = _work is None
    work = _work_of(pickled)
    start = time.perf_counter()
    with threadpool_limits(1):
        made = work.play(task)
    return None if is_first else time.perf_counter() - start, made


def _work_of(pickled: bytes) -> Work[Any]:
    """What tasks are about, in this process: agents are made once."""
    global _work
    if _work is None or _work[0] != pickled:
        plan, work = pickle.loads(pickled)
        _require_same_sources(plan)
        if _work is not None:
            with suppress(Exception):
                _work[1].close()
        _work = pickled, work
    return _work[1]


def _require_same_sources(plan: Plan) -> None:
    if not plan.has_its_sources():
        raise AgentError(
            f"node {socket.gethostname()}, {sys.prefix}: the sources of engine or agents there are not those of this command: "
            "install the same version of cardtable, and the same files for --load, on every node"
        )
