"""A person against agents in the terminal: `cardtable play`."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

from cardtable.cli import telling
from cardtable.cli.choosing import Choice, choices_of, completed_by_tab, folded, listed, meant
from cardtable.cli.rules import laid_out, opening
from cardtable.cli.screen import Screen
from cardtable.errors import AgentError, CardtableError, OptionError, ReplayError
from cardtable.game.events import Event
from cardtable.game.game import Game, checked_seed
from cardtable.game.legality import action_ids
from cardtable.game.look import Look
from cardtable.game.options import Options
from cardtable.game.record import SEATS
from cardtable.players import keys, roster
from cardtable.players.agent import LEFT, Agent, Clocks, set_clocks
from cardtable.players.seen import Seen
from cardtable.players.views import Views, prepare_views, view_of
from cardtable.replay import Replay, load_verified, rewound, save_somewhere
from cardtable.rulebook import look_up
from cardtable.support import files
from cardtable.support.messages import shown
from cardtable.table import Table

HELP = (
    "Type a number, or a move's name or the beginning of it (Tab completes it), to play that move; "
    "Enter plays the only one, or shows the table again. ? explains what is on the table, ? N what move N does; "
    "r shows the rules, r CHAPTER a part of them; h gives a hint; u takes back your last move; "
    "t shows all of the table and what each move does; q quits."
)
PROMPT = "your move (? explains) > "
COLOURS = "Colours only repeat what letters and words say."
RULES = "`r CHAPTER` shows a chapter, by its title or number, or a clause by its id."
ADVISOR = "search:400"
COMMANDS = ("u", "?", "h", "r", "t", "q")
"""What is typed and is not a move; after `?` and `r` something may follow."""
SEEDS = 10**9
"""A deal without a given seed has one below this: short enough to type again."""

Ask = Callable[[str], str]
Say = Callable[[str], None]


class Leave(Exception):
    """The person quits."""


class Session:
    """One game between a person at `seat` and agents at the other seats."""

    def __init__(
        self,
        table: Table,
        seat: int,
        agents: Mapping[int, Agent],
        advisor: Agent | None,
        ask: Ask,
        say: Say,
        names: Mapping[int, str] | None = None,
    ) -> None:
        """`names`: what the agents are called, by seat."""
        self.table = table
        self.seat = seat
        self._agents = agents
        self._advisor = advisor
        self._ask = ask
        self._out = say
        self._names = dict(names or {})
        self._screen = Screen.of(sys.stdout)
        self._salt = keys.new_salt()
        self._told = len(table.events(seat))  # how many events the person knows of
        self._choices: list[Choice] = []

    def run(self) -> None:
        """Play to the end; `Leave` if the person quits before."""
        with completed_by_tab(lambda: [choice.name for choice in self._choices]):
            while not self.table.ending:
                if self.table.seat == self.seat:
                    self._person_plays()
                else:
                    self._agent_plays(self.table.seat)
        self._leave(self.table)
        self._say("\n".join(["", self._text(), outcome(self.table, self.seat, self._names)]))

    def greet(self, what: str) -> None:
        """Say what is played, against whom, and how."""
        others = [self._look().title(SEATS[seat]) for seat in range(self.table.players) if seat != self.seat]
        against = f" against {', '.join(others)}" if others else ""
        self._say(f"{self.table.game.title}, {what}: you are player_{self.seat}{against}. {HELP}")

    def _agent_plays(self, seat: int) -> None:
        agent = self._agents[seat]
        self.table.play(int(agent.act(self._view(agent.wants_stories))[0]))
        self._say("; ".join(telling.story(self.table.game, self._news(), self.seat)))

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

    def _say(self, text: str) -> None:
        """Show a text in what the terminal has: its width, its characters, its colours."""
        self._out(self._screen.shown(text, self.table.game.legend))

    def _text(self, height: int | None = None) -> str:
        return self.table.text(self.seat, width=self._screen.width, height=height, agents=self._names)

    def _look(self) -> Look:
        return Look(self.seat, agents=self._names)

    # ---- Asking

    def _person_plays(self) -> None:
        """Ask until the person plays a move or takes one back."""
        self._choices = choices_of(self.table)
        self._show()
        while True:
            answer = " ".join(self._ask(PROMPT).split())
            if answer.casefold() == "u" and self.seat in self.table.movers:
                self._take_back()
                return
            command, _, rest = answer.casefold().partition(" ")
            if command in COMMANDS and (not rest or command in ("?", "r")):
                self._obey(command, rest)
                continue
            found = meant(answer, self._choices)
            if len(found) == 1:
                self.table.play(found[0].action)
                self._news()  # the person sees it at the table
                return
            self._ask_again(answer, found)

    def _ask_again(self, answer: str, found: Sequence[Choice]) -> None:
        """Say why an answer is not a move."""
        if not answer:
            self._show()
        elif found:
            self._say("\n".join([f"{shown(answer)} may be one of {len(found)} moves:", *listed(found, self._screen.width)]))
        else:
            self._say(f"{shown(answer)}: moves are 1 to {len(self._choices)}, or by their names; ? explains")

    def _obey(self, command: str, rest: str) -> None:
        """Do what is not a move."""
        if command == "q":
            raise Leave
        if command == "?":
            self._explain(rest)
        elif command == "r":
            self._show_rules(rest)
        elif command == "h":
            self._advise()
        elif command == "t":
            self._show_all()
        else:
            self._say("you have no move to take back")

    # ---- Showing

    def _show(self) -> None:
        """The table as the person sees it, and the numbered moves; less of both where that lets a window hold them."""
        width, most = self._screen.width, self._screen.height
        for moves in (listed(self._choices, width), folded(self._choices, width)):
            room = 0 if most is None else max(most - len(moves) - 1, 0)  # a line is for the prompt
            table = self._text(room)
            if len(table.splitlines()) <= room:
                self._say("\n".join([table, *moves]))
                return
        self._show_all()

    def _show_all(self) -> None:
        """All of the table, and what every move does."""
        self._say("\n".join(["", self._text(), *listed(self._choices, self._screen.width)]))

    def _explain(self, asked: str) -> None:
        """The legend; or what a move does, with its clause."""
        if not asked:
            signs = [f"{sign.shown}: {sign.meaning}" for sign in self.table.game.legend]
            self._say("\n".join([*signs, *([COLOURS] if self._screen.colours else []), HELP]))
            return
        found = meant(asked, self._choices)
        meanings = {block.name: block.meaning for block in self.table.game.actions.blocks}
        if found:
            self._say("\n".join(f"{choice.text().strip()} - {meanings[choice.block]}" for choice in found))
        else:
            self._say(f"? {shown(asked)}: moves are 1 to {len(self._choices)}, or by their names")

    def _show_rules(self, asked: str) -> None:
        """The rules in brief, or a part of them."""
        try:
            self._say(laid_out(look_up(self.table.game, asked)) if asked else opening(self.table.game, RULES))
        except OptionError as error:
            self._say(str(error))

    def _advise(self) -> None:
        """Say what the advisor would play, from what the person's seat knows."""
        if self._advisor is None:
            self._say("no agent can give advice on this game")
            return
        try:
            (chosen,) = action_ids(self.table.game, self._advisor.act(self._view(self._advisor.wants_stories)), 1)
            action = self.table.checked_action(chosen)
        except CardtableError as error:  # whoever gives advice: the game goes on without it
            self._say(f"no hint: {error}")
            return
        advised = next(choice for choice in self._choices if choice.action == action)
        remark = self._advisor.remark()
        self._say(f"hint: {advised.number} ({advised.name}){f': {remark}' if remark else ''}")

    def _take_back(self) -> None:
        """Go back to before the person's last move; what the agents answered is taken back with it."""
        last = max(number for number, mover in enumerate(self.table.movers) if mover == self.seat)
        self._leave(self.table)
        self.table = rewound(self.table, last)
        self._told = len(self.table.events(self.seat))


def outcome(table: Table, seat: int, names: Mapping[int, str]) -> str:
    """How a game ended for a seat, in words; `names` are those of the agents at the other seats."""
    returns, scores = table.result()
    winners = [other for other, result in enumerate(returns) if result == max(returns)]
    called = ["you" if other == seat else Look(seat, agents=names).title(SEATS[other]) for other in range(table.players)]
    points = ", ".join(f"{name} {score:g}" for name, score in zip(called, scores, strict=True))
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
    agents, advisor = _others(game, checked, against, seat, hint, clocks)
    table = Table(game, checked)
    table.deal(checked_seed(seed) if seed is not None else checked_seed(None) % SEEDS)
    place = _place(Path(f"{game.id}-{table.start['seed']}.json"), save, overwrite=overwrite)
    session = Session(table, seat, agents, advisor, ask, say, _names(agents, against))
    session.greet(f"seed {table.start['seed']}")
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
    agents, advisor = _others(table.game, table.options, against, seat, hint, clocks)
    place = _place(path, save, overwrite=overwrite)
    session = Session(table, seat, agents, advisor, ask, say, _names(agents, against))
    session.greet(f"{path} after {len(table.history)} decisions")
    return _run(session, place, say)


def _others(
    game: Game, options: Options, against: Sequence[str], seat: int, hint: str | None, clocks: Clocks | None
) -> tuple[dict[int, Agent], Agent | None]:
    """The agents at the other seats, and who answers `h`: ready to play."""
    agents, advisor = _agents(game, options, against, seat), _advisor(game, options, hint)
    everybody = [*agents.values(), *([advisor] if advisor else [])]
    set_clocks(everybody, clocks)
    prepare_views(game)
    for agent in everybody:
        agent.prepare()
    return agents, advisor


def _agents(game: Game, options: Options, against: Sequence[str], seat: int) -> dict[int, Agent]:
    """The agents at the other seats."""
    if not 0 <= seat < options.num_players:
        raise OptionError(f"{game.id}: seat={seat}: allowed: 0 to {options.num_players - 1}")
    others = [other for other in range(options.num_players) if other != seat]
    seated = roster.seated(game, against, others)
    return {other: roster.make_agent(name, game, options) for other, name in seated.items()}


def _names(agents: Mapping[int, Agent], against: Sequence[str]) -> dict[int, str]:
    """What the agents are called, by seat: as the person has named them."""
    return {seat: against[place % len(against)] for place, seat in enumerate(agents)}


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
            say(f"replay: {path}")  # also when an agent's failure ends the game: --resume goes on with it
        session.close()
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
    """Who answers `h`: the agent named, else a search where one can play the game."""
    try:
        return roster.make_agent(ADVISOR if hint is None else hint, game, options)
    except AgentError:
        if hint is not None:
            raise
        return None
