"""Train the runs of a sweep, one after the other or side by side. What is done is skipped, what was interrupted resumes."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from dataclasses import dataclass

from cardtable.errors import AgentError, CardtableError
from cardtable.players.roster import load_module
from cardtable.support.processes import worker_processes
from cardtable_agents.training import checkpoints, runs
from cardtable_agents.training.folder import RunFolder
from cardtable_agents.training.sweep import folders
from cardtable_agents.training.sweep.folders import Place

Show = Callable[[str, float], None]
"""Called with the phase of a run and how much of it is done, from 0 to 1."""


@dataclass(frozen=True)
class Ended:
    """A run that has ended."""

    place: Place
    error: str
    """Why it failed; empty if it did not."""


def train_in_turn(left: Sequence[Place], bar: Callable[[Place], AbstractContextManager[Show]]) -> Iterator[Ended]:
    """Train these runs one after the other in this process; `bar` makes for each what it reports its progress to."""
    for place in left:
        with bar(place) as show:
            error = train(place, show)
        yield Ended(place, error)


def train_side_by_side(left: Sequence[Place], jobs: int, modules: Sequence[str]) -> Iterator[Ended]:
    """Train these runs in several processes, each of which imports the modules first; in the order in which they end."""
    try:
        with worker_processes(min(jobs, len(left)), _load, tuple(modules)) as executor:
            futures = {executor.submit(train, place): place for place in left}
            for future in as_completed(futures):
                yield Ended(futures[future], future.result())
    except BrokenProcessPool:
        raise AgentError("a process of the sweep was killed; run the same command again to continue") from None


def _load(modules: Sequence[str]) -> None:
    for module in modules:
        load_module(module)


def train(place: Place, show: Show = lambda phase, done: None) -> str:
    """Train a run to its end, and record that. The reason if it fails, as one that diverges does: the others go on.

    An interrupt saves nothing: the newest checkpoint lies between two updates, and from there the run learns the same again.
    """
    settings, folder = place.run.settings, RunFolder(place.path)
    folders.write_record(place.path, settings, folders.BEGUN)
    with checkpoints.alone(folder.checkpoints):
        run = runs.resume(settings, place.path) if place.resumable else runs.start(settings, place.path)
        try:
            run.train(show)
        except CardtableError as error:
            folders.write_record(place.path, settings, folders.FAILED, str(error))
            return str(error)
    folders.write_record(place.path, settings, folders.DONE)
    return ""
