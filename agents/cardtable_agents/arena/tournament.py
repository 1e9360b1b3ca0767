"""The arena: agents play each other on the same deals from every seat, wherever that is, into a file that can be continued."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from cardtable.players.views import prepare_views
from cardtable_agents.arena import results
from cardtable_agents.arena.plan import Plan
from cardtable_agents.arena.processes import played_here
from cardtable_agents.arena.results import Line
from cardtable_agents.arena.work import (
    LARGEST_MATCH,
    ArenaWork,
    Finished,
    Players,
    Task,
    cut_all,
    left_to_play,
    number_of_deals,
)

TASKS_A_WORKER = 16
"""So many at least, if there are games enough: for progress, and for little to be lost by a kill."""

Executor = Callable[[ArenaWork, list[Task]], Iterator[Finished]]
"""Plays tasks, which it may cut or not, and gives what each part has made, in any order."""


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


def run(
    plan: Plan,
    games: int,
    folder: Path,
    *,
    workers: int = 1,
    replays: bool = False,
    salt: str | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
    executor: Executor | None = None,
    shard: Callable[[int], range] = range,
    enough: Callable[[Sequence[Line]], bool] = lambda lines: False,
) -> list[Line]:
    """Play until each line-up has `games` games; the lines of all games so far, those of earlier runs included.

    `progress` is called with (games so far, games in all). Whatever interrupts this, finished tasks are in the file; at the
    end it is in the order of the plan, whoever has played what. `executor` plays the tasks; `workers` processes if it is not
    given. `shard` chooses deals: number of deals -> those to be played. `enough` looks at the lines so far and may end it
    early.
    """
    with results.open_results(folder, plan, salt) as writer:
        deals = shard(number_of_deals(plan, games))
        left = left_to_play(plan, deals, {(tuple(line["agents"]), line["deal"]) for line in writer.games})
        total = len(writer.games) + sum(task.games for task in left)
        progress(len(writer.games), total)
        play = executor or _executor(workers, len(deals))
        for finished in play(ArenaWork(Players(plan, writer.salt), replays), [] if enough(writer.games) else left):
            _keep(finished, writer, folder)
            progress(len(writer.games), total)
            if enough(writer.games):
                break
        writer.put_in_order()
        return writer.games


def _executor(workers: int, deals: int) -> Executor:
    """Worker processes of this machine."""
    number = min(max(deals // (workers * TASKS_A_WORKER), 1), LARGEST_MATCH)
    return lambda work, tasks: played_here(work, sorted(cut_all(tasks, number), key=_first_deal), workers)


def _first_deal(task: Task) -> int:
    """What tasks are played in the order of: whenever it ends, all line-ups have played about as many deals."""
    return task.first


def _keep(finished: Finished, writer: results.Writer, folder: Path) -> None:
    """Write what a task has made: replays first, then the lines that count its games."""
    if finished.replays:
        (folder / results.REPLAYS).mkdir(exist_ok=True)
        for line, replay in zip(finished.lines, finished.replays, strict=True):
            name = results.replay_name(line["agents"], line["deal"])
            line["replay"] = f"{results.REPLAYS}/{results.save_replay(folder / results.REPLAYS, name, replay).name}"
    writer.append(finished.lines)
