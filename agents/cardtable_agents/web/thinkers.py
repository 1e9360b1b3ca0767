"""Agents that think in threads, so that whoever serves pages never waits for them.

Agents get copies of what they see (`Views`), and what some remember of a game they can do without, so any agent of the same
name will do: a few of each are kept and handed to whoever asks, however many tables there are. Kernels release the
interpreter's lock while they run.
"""

import asyncio
import json
import threading
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from cardtable.engine.jit import cores
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.players.agent import Agent
from cardtable.players.roster import make_agent

MOST_IDLE = 16
"""Agents that are kept for the next question; a search of 1,600 simulations takes 5 MB."""

Answer = TypeVar("Answer")
Kind = tuple[str, str, str]
"""Name of the agent, id of the game, its options as text."""


class Thinkers:
    """Threads in which agents answer questions, as many at a time as the machine has cores."""

    def __init__(self, workers: int | None = None) -> None:
        self._pool = ThreadPoolExecutor(workers or cores(), thread_name_prefix="thinker")
        self._idle: deque[tuple[Kind, Agent]] = deque()
        self._lock = threading.Lock()

    async def ask(self, name: str, game: Game, options: Options, question: Callable[[Agent], Answer]) -> Answer:
        """What the agent of a name answers; whatever it raises is raised here."""
        return await asyncio.get_running_loop().run_in_executor(self._pool, self.answer, name, game, options, question)

    def answer(self, name: str, game: Game, options: Options, question: Callable[[Agent], Answer]) -> Answer:
        """The same, in the caller's thread."""
        kind = (name, game.id, json.dumps(options.to_dict(), sort_keys=True))
        agent = self._take(kind) or make_agent(name, game, options)
        answer = question(agent)  # one that fails is not kept
        self._keep(kind, agent)
        return answer

    def _take(self, kind: Kind) -> Agent | None:
        """An agent that is idle."""
        with self._lock:
            for place, (other, agent) in enumerate(self._idle):
                if other == kind:
                    del self._idle[place]
                    return agent
        return None

    def _keep(self, kind: Kind, agent: Agent) -> None:
        with self._lock:
            self._idle.append((kind, agent))
            dropped = [self._idle.popleft()[1]] if len(self._idle) > MOST_IDLE else []
        _let_go(dropped)

    def close(self) -> None:
        """Let go of threads and agents; nobody waits for answers that are still being thought about."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            dropped = [agent for _, agent in self._idle]
            self._idle.clear()
        _let_go(dropped)


def _let_go(agents: Iterable[Agent]) -> None:
    """End what agents hold outside of Python, if they hold anything."""
    for agent in agents:
        agent.close()
