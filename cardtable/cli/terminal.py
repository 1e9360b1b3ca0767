"""A person against agents in the terminal: `cardtable play`."""

import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from cardtable.errors import AgentError, OptionError
from cardtable.game.game import Game, checked_seed
from cardtable.game.options import Options
from cardtable.players import keys, roster
from cardtable.players.agent import Agent
from cardtable.players.views import Views, view_of
from cardtable.replay import Replay, save_somewhere
from cardtable.support import files
from cardtable.support.messages import shown
from cardtable.table import Table
from cardtable.types import Actions

HELP = "Type a number to play that move; u takes back your last move, ? asks for advice, t shows the table again, q quits."
WIDTH = 120
"""Characters in a line of moves."""
GAP = 3
MOST_DIGITS = 9
"""Digits of a number that a person types."""
ADVISOR = "search:400"
SEEDS = 10**9
"""A deal without a given seed has one below this: short enough to type again."""

Ask = Callable[[str], str]
Say = Callable[[str], None]


class Leave(Exception):
    """The person quits."""


class Session:
    """One game between a person at `seat` and agents at the other seats."""

    def __init__(self, table: Table, seat: int, agents: Mapping[int, Agent], advisor: Agent | None, ask: Ask, say: Say) -> None:
        self.table = table
        self.seat = seat
        self._agents = agents
        self._advisor = advisor
        self._ask = ask
        self._say = say
        self._salt = keys.new_salt()
        self._own: list[int] = []  # how many moves had been made before each move of the person

    def run(self) -> None:
        """Play to the end; `Leave` if the person quits before."""
        while not self.table.ending:
            if self.table.seat == self.seat:
                self._person_plays()
            else:
                self._agent_plays(self.table.seat)
        self._say("\n".join(["", self.table.text(self.seat), outcome(self.table, self.seat)]))

    def _agent_plays(self, seat: int) -> None:
        table = self.table
        action = int(self._agents[seat].act(self._view())[0])
        table.play(action)
        self._say(f"player_{seat}: {table.game.actions.name_for_others(action)}")

    def _view(self) -> Views:
        return view_of(self.table, self._salt)

    def _person_plays(self) -> None:
        """Ask until the person plays a move or takes one back."""
        moves = np.flatnonzero(self.table.mask)
        self._show(moves)
        while True:
            answer = self._ask("> ").strip().lower()
            if answer.isdecimal() and len(answer) <= MOST_DIGITS and 1 <= int(answer) <= len(moves):
                self._own.append(len(self.table.history))
                self.table.play(int(moves[int(answer) - 1]))
                return
            if answer == "u" and self._own:
                self._take_back()
                return
            self._answer(answer, moves)

    def _answer(self, answer: str, moves: Actions) -> None:
        """Answer what is not a move."""
        if answer == "q":
            raise Leave
        if answer == "?":
            self._advise()
        elif answer == "t":
            self._show(moves)
        elif answer == "u":
            self._say("you have no move to take back")
        else:
            self._say(f"{shown(answer)}: moves are 1 to {len(moves)}; {HELP}")

    def _show(self, moves: Actions) -> None:
        """The table as the person sees it, and the numbered moves."""
        names = [f"{number:>3} {self.table.game.actions.names[move]}" for number, move in enumerate(moves, start=1)]
        width = max(map(len, names)) + GAP
        columns = max(WIDTH // width, 1)
        rows = [names[start : start + columns] for start in range(0, len(names), columns)]
        lines = ["".join(f"{name:<{width}}" for name in row).rstrip() for row in rows]
        self._say("\n".join(["", self.table.text(self.seat), *lines]))

    def _advise(self) -> None:
        """Say what the advisor would play, from what the person's seat knows."""
        if self._advisor is None:
            self._say("no agent can give advice on this game")
            return
        action = int(self._advisor.act(self._view())[0])
        number = int(self.table.mask[:action].sum()) + 1
        self._say(f"advice: {number} ({self.table.game.actions.names[action]})")

    def _take_back(self) -> None:
        """Go back to before the person's last move; what the agents answered is taken back with it."""
        kept, start = self.table.history[: self._own.pop()], self.table.start
        table = Table(self.table.game, self.table.options)
        table.deal(start["seed"], start["index"])
        for action in kept:
            table.play(action)
        self.table = table


def outcome(table: Table, seat: int) -> str:
    """How a game ended for a seat, in words."""
    returns, scores = table.result()
    winners = [other for other, result in enumerate(returns) if result == max(returns)]
    points = ", ".join(f"{'you' if other == seat else f'player_{other}'} {score:g}" for other, score in enumerate(scores))
    if table.players == 1:
        return f"game over: {points}"
    if seat not in winners:
        return f"you lose: {points}"
    return f"{'you win' if len(winners) == 1 else 'a shared win'}: {points}"


def play(
    game: Game,
    options: Mapping[str, Any],
    against: Sequence[str],
    *,
    seat: int = 0,
    seed: int | None = None,
    hint: str | None = None,
    save: Path | None = None,
    overwrite: bool = False,
    ask: Ask = input,
    say: Say = print,
) -> Path:
    """Let a person play; returns where the replay is. Whatever ends the game, the replay so far is kept.

    Without `save` the replay goes to a new file, named by game and seed. A file that exists is replaced only with `overwrite`.
    """
    checked = game.parse_options(options)
    if not 0 <= seat < checked.num_players:
        raise OptionError(f"{game.id}: seat={seat}: allowed: 0 to {checked.num_players - 1}")
    others = [other for other in range(checked.num_players) if other != seat]
    if len(against) > len(others) > 0:
        raise AgentError(f"{game.id}: {len(against)} agents for {len(others)} other seats")
    agents = {other: roster.make_agent(against[place % len(against)], game, checked) for place, other in enumerate(others)}
    table = Table(game, checked)
    table.deal(checked_seed(seed) if seed is not None else checked_seed(None) % SEEDS)
    wanted = save or Path(f"{game.id}-{table.start['seed']}.json")
    if save and os.path.lexists(save) and not overwrite:
        raise OptionError(f"{save} exists: choose another file, or overwrite it (--overwrite)")
    files.require_writable(wanted if overwrite else files.new_path(wanted))  # known before the game, not after it
    session = Session(table, seat, agents, _advisor(game, checked, hint), ask, say)
    say(f"{game.title}, seed {table.start['seed']}: you are player_{seat}. {HELP}")
    try:
        session.run()
    except (Leave, EOFError, KeyboardInterrupt):
        say("")
    finally:
        with _patiently():
            path = wanted if overwrite else files.new_path(wanted)
            save_somewhere(Replay.of(session.table), path, say)
    say(f"replay: {path}")
    return path


@contextmanager
def _patiently() -> Iterator[None]:
    """An interrupt in here takes effect at the end; a second one at once."""
    if threading.current_thread() is not threading.main_thread():
        yield  # interrupts go to the main thread
        return
    interrupted = False

    def note(number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        if interrupted:
            raise KeyboardInterrupt
        interrupted = True

    before = signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if interrupted:
        raise KeyboardInterrupt


def _advisor(game: Game, options: Options, hint: str | None) -> Agent | None:
    """Who answers `?`: the agent named, else a search where one can play the game."""
    if hint is not None:
        return roster.make_agent(hint, game, options)
    try:
        return roster.make_agent(ADVISOR, game, options)
    except AgentError:
        return None
