"""The arena: agents play each other on the same deals from every seat, in all processes, into a file that can be continued."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import asdict, dataclass
from multiprocessing.util import Finalize
from pathlib import Path

from cardtable.errors import AgentError
from cardtable.players.views import prepare_views
from cardtable.replay import Replay
from cardtable.support.processes import worker_processes
from cardtable_agents.arena import results
from cardtable_agents.arena.match import Match, Played
from cardtable_agents.arena.plan import Plan, Seating
from cardtable_agents.arena.results import Line

CHUNKS_A_WORKER = 16
LARGEST_CHUNK = 250
"""Games that are played beside each other: enough for batches, few enough for progress and for little to be lost."""


@dataclass(frozen=True)
class Task:
    """Some games of one seating: deals `first` to `first + number - 1`."""

    seating: Seating
    first: int
    number: int


def prepare(plan: Plan) -> None:
    """Compile what game and agents need, once, before processes do it all at the same time."""
    prepare_views(plan.checked()[0])
    for agent in plan.make_agents().values():
        try:
            agent.prepare()
        finally:
            agent.close()


def by_the_clock(plan: Plan) -> list[str]:
    """The agents whose play also depends on how fast the machine is."""
    return [label for label, agent in plan.make_agents().items() if not agent.repeatable]


def tasks_of(plan: Plan, games: int, done: set[tuple[Seating, int]], workers: int) -> list[Task]:
    """What is left to play of `games` games for each line-up, rounded up to whole rotations."""
    tasks: list[Task] = []
    for seatings in plan.seatings():
        deals = -(-games // len(seatings))
        chunk = min(max(deals // (workers * CHUNKS_A_WORKER), 1), LARGEST_CHUNK)
        for first in range(0, deals, chunk):
            for seating in seatings:
                left = [deal for deal in range(first, min(first + chunk, deals)) if (seating, deal) not in done]
                tasks.extend(Task(seating, start, number) for start, number in _runs(left))
    return tasks


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(start, length) of each run of consecutive numbers."""
    start = 0
    for place in range(1, len(numbers) + 1):
        if place == len(numbers) or numbers[place] != numbers[place - 1] + 1:
            yield numbers[start], place - start
            start = place


class Worker:
    """Plays tasks of a plan. Its agents are made once, from what the plan says and nothing else."""

    def __init__(self, plan: Plan, salt: str, replays: Path | None) -> None:
        """Replays, if wanted, are written to a folder before the game is counted."""
        self.plan, self.salt, self.replays = plan, salt, replays
        self.game, self.options = plan.checked()
        self.agents = plan.make_agents()

    def play(self, task: Task) -> list[Line]:
        """Play a task; the lines of the file of results."""
        players = [self.agents[label] for label in task.seating]
        match = Match(self.game, self.options, players, self.plan.seed, task.first, task.number, self.salt)
        return [self._line(task, played) for played in match.play()]

    def close(self) -> None:
        """Let the agents go."""
        for agent in self.agents.values():
            agent.close()

    def _line(self, task: Task, played: Played) -> Line:
        line = {"agents": list(task.seating), **asdict(played)}
        line["seconds"] = [round(seconds, 7) for seconds in played.seconds]
        del line["actions"]
        if played.forfeit is None:
            del line["forfeit"]
        if self.replays is not None:
            line["replay"] = f"{self.replays.name}/{self._save(self.replays, task, played).name}"
        return line

    def _save(self, folder: Path, task: Task, played: Played) -> Path:
        actions = [self.game.actions.names[action] for action in played.actions]
        start = {"seed": self.plan.seed, "index": played.deal}
        replay = Replay.play(self.game, self.options.to_dict(), start, actions)
        return results.save_replay(folder, results.replay_name(task.seating, played.deal), replay.to_json())


# ---- Running


def run(
    plan: Plan,
    games: int,
    folder: Path,
    *,
    workers: int = 1,
    replays: bool = False,
    salt: str | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[Line]:
    """Play until each line-up has `games` games; the lines of all games so far, those of earlier runs included.

    `progress` is called with (games so far, games in all). Whatever interrupts this, finished chunks are in the file.
    """
    with results.open_results(folder, plan, salt) as writer:
        replay_folder = folder / results.REPLAYS if replays else None
        if replay_folder is not None:
            replay_folder.mkdir(exist_ok=True)
        tasks = tasks_of(plan, games, {(tuple(line["agents"]), line["deal"]) for line in writer.games}, workers)
        total = len(writer.games) + sum(task.number for task in tasks)
        progress(len(writer.games), total)
        for played in _played(tasks, workers, (plan, writer.salt, replay_folder)):
            writer.append(played)
            progress(len(writer.games), total)
        return writer.games


WorkerArguments = tuple[Plan, str, Path | None]


def _played(tasks: Sequence[Task], workers: int, arguments: WorkerArguments) -> Iterator[list[Line]]:
    if not tasks:
        return
    if workers == 1 or len(tasks) < 2:
        with closing(Worker(*arguments)) as worker:
            yield from map(worker.play, tasks)
        return
    try:
        with worker_processes(min(workers, len(tasks)), _start_worker, arguments) as executor:
            futures: list[Future[list[Line]]] = [executor.submit(_play, task) for task in tasks]
            for future in as_completed(futures):
                yield future.result()
    except BrokenProcessPool:
        raise AgentError("a process of the arena was killed; run the same command again to continue") from None


# ---- In a worker's process

_arguments: WorkerArguments
_worker: Worker | None = None


def _start_worker(arguments: WorkerArguments) -> None:
    """Remember what the tasks of this process are about."""
    global _arguments
    _arguments = arguments


def _play(task: Task) -> list[Line]:
    """Play a task in this process. An error of the first one, when the agents are made, reaches the parent like any other."""
    global _worker
    if _worker is None:
        _worker = Worker(*_arguments)
        Finalize(_worker, _worker.close, exitpriority=0)  # `atexit` is not run in processes of a pool
    return _worker.play(task)
