"""A person against agents in the terminal: `cardtable play`."""

import os
import shutil
import signal
import textwrap
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from cardtable.cli import telling
from cardtable.errors import AgentError, OptionError, ReplayError
from cardtable.game.events import Event
from cardtable.game.game import Game, checked_seed
from cardtable.game.options import Options
from cardtable.players import keys, roster
from cardtable.players.agent import LEFT, Agent, Clocks, set_clocks
from cardtable.players.seen import Seen
from cardtable.players.views import Views, prepare_views, view_of
from cardtable.replay import Replay, load_verified, rewound, save_somewhere
from cardtable.support import files
from cardtable.support.messages import shown
from cardtable.table import Table
from cardtable.types import Actions

HELP = (
    "Type a number, or a move's name or the beginning of it, to play that move; Enter plays the only one. "
    "u takes back your last move, ? asks for advice, t shows the table again, q quits."
)
NARROWEST = 40
"""Characters in a line of moves, at least."""
NUMBER_WIDTH = 3
GAP = 3
MOST_DIGITS = 9
"""Digits of a number that a person types."""
ADVISOR = "search:400"
COMMANDS = ("u", "?", "t", "q")
"""What is typed and is not a move."""
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
        self._told = len(table.events(seat))  # how many events the person knows of

    def run(self) -> None:
        """Play to the end; `Leave` if the person quits before."""
        while not self.table.ending:
            if self.table.seat == self.seat:
                self._person_plays()
            else:
                self._agent_plays(self.table.seat)
        self._leave(self.table)
        self._say("\n".join(["", self.table.text(self.seat), outcome(self.table, self.seat)]))

    def _agent_plays(self, seat: int) -> None:
        agent = self._agents[seat]
        self.table.play(int(agent.act(self._view(agent.wants_stories))[0]))
        self._say("\n".join(telling.story(self.table.game, self._news(), self.seat)))

    def _leave(self, table: Table) -> None:
        """Tell the agents that a game is over, or that it goes on without them from here."""
        scores, returns = table.result()[::-1] if table.ending else (None, None)
        ending = table.ending.name.lower() if table.ending else LEFT
        for seat, agent in self._agents.items():
            agent.game_over(Seen(table, seat), ending, scores, returns)

    def close(self) -> None:
        """Let the agents go."""
        for agent in (*self._agents.values(), *([self._advisor] if self._advisor else [])):
            agent.close()

    def _news(self) -> list[Event]:
        """What has happened since the person was told last."""
        events = self.table.events(self.seat, self._told)
        self._told += len(events)
        return events

    def _view(self, stories: bool = False) -> Views:
        return view_of(self.table, self._salt, stories=stories)

    def _person_plays(self) -> None:
        """Ask until the person plays a move or takes one back."""
        moves = np.flatnonzero(self.table.mask)
        self._show(moves)
        while True:
            answer = " ".join(self._ask("> ").casefold().split())
            if answer == "u" and self.seat in self.table.movers:
                self._take_back()
                return
            if answer in COMMANDS:
                self._obey(answer, moves)
                continue
            meant = self._meant(answer, moves)
            if len(meant) == 1:
                self.table.play(meant[0])
                self._news()  # the person sees it at the table
                return
            self._ask_again(answer, meant, moves)

    def _meant(self, answer: str, moves: Actions) -> list[int]:
        """The moves that an answer may mean: by number, by name or its beginning; an empty one means any."""
        if answer.isdecimal():
            number = int(answer) if len(answer) <= MOST_DIGITS else 0
            return [int(moves[number - 1])] if 1 <= number <= len(moves) else []
        names = {int(move): " ".join(self.table.game.actions.names[move].casefold().split()) for move in moves}
        exactly = [move for move, name in names.items() if name == answer]
        return exactly or [move for move, name in names.items() if name.startswith(answer)]

    def _ask_again(self, answer: str, meant: Sequence[int], moves: Actions) -> None:
        """Say why an answer is not a move."""
        if answer and meant:
            candidates = self._listed([move for move in enumerate(moves, start=1) if move[1] in meant])
            self._say("\n".join([f"{shown(answer)} may be one of {len(meant)} moves:", *candidates]))
        else:
            self._say(f"{shown(answer)}: moves are 1 to {len(moves)}. {HELP}")

    def _obey(self, command: str, moves: Actions) -> None:
        """Do what is not a move."""
        if command == "q":
            raise Leave
        if command == "?":
            self._advise()
        elif command == "t":
            self._show(moves)
        else:
            self._say("you have no move to take back")

    def _show(self, moves: Actions) -> None:
        """The table as the person sees it, and the numbered moves."""
        self._say("\n".join(["", self.table.text(self.seat), *self._listed(list(enumerate(moves, start=1)))]))

    def _listed(self, numbered: Sequence[tuple[int, int]]) -> list[str]:
        """Moves with their numbers, in as many columns as the window has room for."""
        names = [f"{number:>{NUMBER_WIDTH}} {self.table.game.actions.names[move]}" for number, move in numbered]
        window = max(shutil.get_terminal_size().columns, NARROWEST)
        width = max(map(len, names)) + GAP
        columns = (window + GAP) // width
        if columns <= 1:
            indent = " " * (NUMBER_WIDTH + 1)
            return [line for name in names for line in _wrapped(name, window, indent)]
        rows = [names[start : start + columns] for start in range(0, len(names), columns)]
        return ["".join(f"{name:<{width}}" for name in row).rstrip() for row in rows]

    def _advise(self) -> None:
        """Say what the advisor would play, from what the person's seat knows."""
        if self._advisor is None:
            self._say("no agent can give advice on this game")
            return
        action = int(self._advisor.act(self._view(self._advisor.wants_stories))[0])
        number = int(self.table.mask[:action].sum()) + 1
        self._say(f"advice: {number} ({self.table.game.actions.names[action]})")

    def _take_back(self) -> None:
        """Go back to before the person's last move; what the agents answered is taken back with it."""
        last = max(number for number, mover in enumerate(self.table.movers) if mover == self.seat)
        self._leave(self.table)
        self.table = rewound(self.table, last)
        self._told = len(self.table.events(self.seat))


def _wrapped(text: str, width: int, indent: str) -> list[str]:
    """A text in lines of that width; what it begins with is kept."""
    before = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(text.lstrip(), width, initial_indent=before, subsequent_indent=indent)


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
    clocks: Clocks | None = None,
    ask: Ask = input,
    say: Say = print,
) -> Path:
    """Let a person play a new game; returns where the replay is. Whatever ends the game, the replay so far is kept.

    Without `save` the replay goes to a new file, named by game and seed. A file that exists is replaced only with `overwrite`.
    """
    checked = game.parse_options(options)
    agents = _agents(game, checked, against, seat, clocks)
    table = Table(game, checked)
    table.deal(checked_seed(seed) if seed is not None else checked_seed(None) % SEEDS)
    place = _place(Path(f"{game.id}-{table.start['seed']}.json"), save, overwrite=overwrite)
    session = Session(table, seat, agents, _advisor(game, checked, hint), ask, say)
    say(f"{game.title}, seed {table.start['seed']}: you are player_{seat}. {HELP}")
    return _run(session, place, say)


def resume(
    path: Path,
    against: Sequence[str],
    *,
    game: Game | None = None,
    seat: int = 0,
    hint: str | None = None,
    save: Path | None = None,
    overwrite: bool = False,
    clocks: Clocks | None = None,
    ask: Ask = input,
    say: Say = print,
) -> Path:
    """Let a person go on with the game of a replay, which must be of `game` if that is given; returns where the new replay is.

    Without `save` it goes to a new file beside the old one, or with `overwrite` replaces it.
    """
    replay, table = load_verified(path)
    if game is not None and replay.game is not game:
        raise ReplayError(f"{path}: the replay is of {replay.game.id}, not of {game.id}")
    if table.ending:
        raise ReplayError(f"{path}: the game is over after {len(table.history)} decisions: only one that is not can go on")
    agents = _agents(table.game, table.options, against, seat, clocks)
    place = _place(path, save, overwrite=overwrite)
    session = Session(table, seat, agents, _advisor(table.game, table.options, hint), ask, say)
    say(f"{table.game.title}, {path} after {len(table.history)} decisions: you are player_{seat}. {HELP}")
    return _run(session, place, say)


def _agents(game: Game, options: Options, against: Sequence[str], seat: int, clocks: Clocks | None = None) -> dict[int, Agent]:
    """The agents at the other seats, ready to play."""
    if not 0 <= seat < options.num_players:
        raise OptionError(f"{game.id}: seat={seat}: allowed: 0 to {options.num_players - 1}")
    others = [other for other in range(options.num_players) if other != seat]
    seated = roster.seated(game, against, others)
    agents = {other: roster.make_agent(name, game, options) for other, name in seated.items()}
    set_clocks(agents.values(), clocks)
    prepare_views(game)
    for agent in agents.values():
        agent.prepare()
    return agents


@dataclass(frozen=True)
class Place:
    """Where a replay goes: to this file, or beside it if there is one that may not be replaced."""

    wanted: Path
    overwrite: bool

    def path(self) -> Path:
        """The file as things are now."""
        return self.wanted if self.overwrite else files.new_path(self.wanted)


def _place(default: Path, save: Path | None, *, overwrite: bool) -> Place:
    """Where the replay goes; that it cannot go there is known before the game, not after it."""
    if save and os.path.lexists(save) and not overwrite:
        raise OptionError(f"{save} exists: choose another file, or overwrite it (--overwrite)")
    place = Place(save or default, overwrite)
    files.require_writable(place.path())
    return place


def _run(session: Session, place: Place, say: Say) -> Path:
    """Play, and keep the replay."""
    try:
        session.run()
    except (Leave, EOFError, KeyboardInterrupt):
        say("")
    finally:
        with _patiently():
            path = place.path()
            save_somewhere(Replay.of(session.table), path, say)
        session.close()
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
    """Who answers `?`, ready to do so: the agent named, else a search where one can play the game."""
    try:
        advisor = roster.make_agent(ADVISOR if hint is None else hint, game, options)
    except AgentError:
        if hint is not None:
            raise
        return None
    advisor.prepare()
    return advisor
