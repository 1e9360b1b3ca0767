"""The arena: agents play each other on the same deals from every seat, in all processes, into a file that can be continued."""

import hashlib
import json
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from agents import roster, worlds
from agents.match import Match, Played
from agents.roster import AgentError
from cardtable.game import checked_seed
from cardtable.jit import fingerprint, package_fingerprint
from cardtable.registry import find
from cardtable.replay import Replay

RESULTS = "games.jsonl"
"""The file of results in its folder: a header, then a line for each game."""
CHUNKS_A_WORKER = 16
LARGEST_CHUNK = 250
"""Games that are played beside each other: enough for batches, few enough for progress and for little to be lost."""

Seating = tuple[str, ...]
"""The agent at each seat."""


@dataclass(frozen=True)
class Plan:
    """What is to be played."""

    game: str
    """The id of the game."""
    options: dict[str, Any]
    agents: tuple[str, ...]
    seed: int
    modules: tuple[str, ...] = ()
    """Modules or files that register agents."""

    def header(self) -> dict[str, Any]:
        """What a result file begins with: results of other plans, rules or sources are not mixed."""
        game = find(self.game)
        return {
            "format": "cardtable arena 1",
            **asdict(self),
            "options": game.parse_options(self.options).to_dict(),
            "rules": game.rules_version,
            "sources": " ".join([fingerprint(), package_fingerprint("agents"), *map(_hash_of, self.modules)]),
        }

    def folder(self) -> Path:
        """Where results go if nothing else is said: the same for the same arguments."""
        text = json.dumps(self.header(), sort_keys=True)
        return Path("runs") / "arena" / f"{self.game}-{hashlib.sha256(text.encode()).hexdigest()[:10]}"


def _hash_of(module: str) -> str:
    """A hash of the sources of a module or file that registers agents."""
    if module.endswith(".py"):
        return hashlib.sha256(Path(module).read_bytes()).hexdigest()[:16]
    return package_fingerprint(module.partition(".")[0])


@dataclass(frozen=True)
class Task:
    """Some games of one seating: deals `first` to `first + number - 1`."""

    seating: Seating
    first: int
    number: int


def checked_plan(plan: Plan) -> Plan:
    """The plan with the full id of its game; errors where it cannot be played, before anything is."""
    for module in plan.modules:
        roster.load_module(module)
    game = find(plan.game)
    options = game.parse_options(plan.options)
    for agent in plan.agents:
        roster.make_agent(agent, game, options)
    if len(set(plan.agents)) != len(plan.agents):
        raise AgentError(f"agents {', '.join(plan.agents)}: each may be named once")
    return Plan(game.id, plan.options, plan.agents, checked_seed(plan.seed), plan.modules)


def prepare(plan: Plan) -> None:
    """Compile what game and agents need, once, before processes do it all at the same time."""
    game = find(plan.game)
    worlds.prepare(game)
    for agent in plan.agents:
        roster.make_agent(agent, game, game.parse_options(plan.options)).prepare()


def line_ups(agents: Sequence[str], seats: int) -> list[list[Seating]]:
    """Who plays whom: for each line-up its seatings, all of which play the same deals.

    With agents enough to fill the seats, every choice of them, rotated through the seats. With fewer, agents sit down
    in turn until the table is full.
    """
    if len(agents) >= seats:
        return [_rotations(chosen) for chosen in combinations(agents, seats)]
    full = [tuple(agents[(start + seat) % len(agents)] for seat in range(seats)) for start in range(len(agents))]
    return [list(dict.fromkeys(seating for filled in full for seating in _rotations(filled)))]


def _rotations(seating: Seating) -> list[Seating]:
    return list(dict.fromkeys(seating[turn:] + seating[:turn] for turn in range(len(seating))))


def tasks_of(plan: Plan, games: int, done: set[tuple[Seating, int]], workers: int) -> list[Task]:
    """What is left to play of `games` games for each line-up, rounded up to whole rotations."""
    seats = find(plan.game).parse_options(plan.options).num_players
    tasks: list[Task] = []
    for seatings in line_ups(plan.agents, seats):
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


def play_task(plan: Plan, task: Task, replays: Path | None) -> list[dict[str, Any]]:
    """Play a task; the lines of the result file. Replays, if wanted, are written to a folder first."""
    game = find(plan.game)
    options = game.parse_options(plan.options)
    agents = {name: roster.make_agent(name, game, options) for name in task.seating}
    match = Match(game, options, [agents[name] for name in task.seating], plan.seed, task.first, task.number)
    return [_line(plan, task, played, replays) for played in match.play()]


def _line(plan: Plan, task: Task, played: Played, replays: Path | None) -> dict[str, Any]:
    line = {"agents": list(task.seating), **asdict(played)}
    line["seconds"] = [round(seconds, 7) for seconds in played.seconds]
    actions = line.pop("actions")
    if replays is not None:
        game = find(plan.game)
        options = game.parse_options(plan.options).to_dict()
        start = {"seed": plan.seed, "index": played.deal}
        replay = Replay.play(game, options, start, [game.actions.names[action] for action in actions])
        path = replays / f"{'-'.join(task.seating).replace(':', '')}-{played.deal}.json"
        replay.save(path)
        line["replay"] = f"{replays.name}/{path.name}"
    return line


# ---- The result file


def read_results(path: Path, plan: Plan) -> list[dict[str, Any]]:
    """The games in a result file, none if there is no file; `AgentError` if it belongs to another plan.

    A last line that was cut off is dropped from the file.
    """
    if not path.exists():
        return []
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if whole != data:
        os.truncate(path, len(whole))
    try:
        lines = [json.loads(line) for line in whole.splitlines()]
    except ValueError as error:
        raise AgentError(f"{path}: not a file of results: {error}") from None
    header = json.loads(json.dumps(plan.header()))
    if lines and lines[0] != header:
        found = lines[0] if isinstance(lines[0], dict) else {}
        differs = [key for key in header if found.get(key) != header[key]]
        raise AgentError(f"{path}: holds games of another plan (different: {', '.join(differs)}); choose another --out")
    return lines[1:]


def append_lines(path: Path, lines: Iterable[dict[str, Any]]) -> None:
    """Add lines to the result file, in one write."""
    text = "".join(json.dumps(line) + "\n" for line in lines)
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


# ---- Running


def run(
    plan: Plan,
    games: int,
    folder: Path,
    *,
    workers: int = 1,
    replays: bool = False,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> list[dict[str, Any]]:
    """Play until each line-up has `games` games; the lines of all games so far, those of earlier runs included.

    `progress` hears (games so far, games in all). Whatever interrupts this, finished chunks are in the file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / RESULTS
    lines = read_results(path, plan)
    if not path.exists() or not path.stat().st_size:
        append_lines(path, [plan.header()])
    replay_folder = folder / "replays" if replays else None
    if replay_folder is not None:
        replay_folder.mkdir(exist_ok=True)
    tasks = tasks_of(plan, games, {(tuple(line["agents"]), line["deal"]) for line in lines}, workers)
    total = len(lines) + sum(task.number for task in tasks)
    progress(len(lines), total)
    for played in _played(plan, tasks, replay_folder, workers):
        append_lines(path, played)
        lines.extend(played)
        progress(len(lines), total)
    return lines


def _played(plan: Plan, tasks: Sequence[Task], replays: Path | None, workers: int) -> Iterator[list[dict[str, Any]]]:
    if workers == 1 or len(tasks) < 2:
        for task in tasks:
            yield play_task(plan, task, replays)
        return
    others = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(
        min(workers, len(tasks)), multiprocessing.get_context("spawn"), _start_worker, (plan.modules,)
    )
    try:
        futures: list[Future[list[dict[str, Any]]]] = [executor.submit(play_task, plan, task, replays) for task in tasks]
        for future in as_completed(futures):
            yield future.result()
    except BaseException:
        executor.shutdown(wait=False, cancel_futures=True)
        for child in set(multiprocessing.active_children()) - others:
            child.terminate()
        raise
    executor.shutdown()


def _start_worker(modules: tuple[str, ...]) -> None:
    """The parent process alone hears an interrupt, and ends the others."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for module in modules:
        roster.load_module(module)


def usable_cores() -> int:
    """How many processes can run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
