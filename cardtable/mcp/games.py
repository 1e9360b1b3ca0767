"""The games in progress of one server, by id. Nothing here knows of a protocol.

A client holds one seat or more and sees what these see; agents at the other seats play as soon as it is their turn. Threads
may call at once: each game has a lock.
"""

import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any

from cardtable.cli.terminal import ADVISOR
from cardtable.errors import AgentError, Busy, IllegalAction, OptionError
from cardtable.game.game import Game, agents_of, checked_seed
from cardtable.game.legality import action_ids
from cardtable.game.registry import game_of
from cardtable.mcp.permissions import NOTHING_MORE, Permissions
from cardtable.players import keys, roster
from cardtable.players.agent import LEFT, Agent
from cardtable.players.seen import Seen
from cardtable.players.views import prepare_views, view_of
from cardtable.prompt import position, since_last_decision
from cardtable.replay import Replay
from cardtable.support.messages import cut, listed, shown
from cardtable.support.plain import is_integer
from cardtable.table import Table

MOST_GAMES = 32
"""Games that a server keeps at once, those that are over included."""
PATIENCE = 30.0
"""Seconds that a call waits for another one on the same game."""
LONGEST_FAULT = 500
"""Characters of what is told of an agent's fault."""


@dataclass(frozen=True)
class Position:
    """A game as one of the client's seats sees it."""

    game_id: str
    """What the game is called in other calls."""
    game: str
    """Which game it is."""
    seat: int
    """The seat that sees this."""
    your_seats: list[int]
    """All seats that the client plays."""
    players: list[str]
    """Who plays, by seat: "you" or the name of an agent."""
    decisions: int
    """How many decisions have been made."""
    to_act: int | None
    """The seat that decides now; null if the game is over."""
    your_turn: bool
    """Whether `seat` decides now."""
    over: bool
    """Whether the game is over."""
    legal_actions: list[str]
    """The names of the actions that `seat` may play now; empty if it is not its turn."""
    text: str
    """The table as the seat sees it, what happened since its last decision, the legal actions."""


@dataclass(frozen=True)
class Result:
    """How a game stands or ended."""

    game_id: str
    over: bool
    """Whether the game is over; if not, the rest is as if it ended now."""
    ending: str
    """`ongoing`, `terminated` by the rules, or `truncated`: cut off."""
    scores: list[float]
    """By seat, in the game's own points."""
    returns: list[float]
    """By seat, what counts: higher is better. Of several players the highest won."""
    winners: list[int]
    """The seats that won; empty while the game goes on, and in a game for one."""
    text: str
    """The same in words."""


class Sitting:
    """One game: its table, the client's seats, the agents at the others."""

    def __init__(self, name: str, table: Table, agents: Mapping[int, Agent], names: Mapping[int, str]) -> None:
        self.name, self.table = name, table
        self._agents, self._names = agents, names
        self.seats = [seat for seat in range(table.players) if seat not in agents]
        self._salt = keys.new_salt()
        self._lock = threading.Lock()
        self._told = False  # agents know how the game has ended

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Let no other thread in; `Busy` if one stays too long."""
        if not self._lock.acquire(timeout=PATIENCE):
            raise Busy(f"{self.name}: an agent is still thinking: ask again later")
        try:
            yield
        finally:
            self._lock.release()

    def let_agents_play(self) -> None:
        """Until a seat of the client is to act, or the game is over; `AgentError` if an agent fails, which may try again."""
        table = self.table
        while not table.ending and table.seat in self._agents:
            seat = table.seat
            try:
                table.play(self._choice(self._agents[seat]))
            except Exception as error:  # whatever an agent raises: the server goes on
                reason = cut(f"{type(error).__name__}: {error}", LONGEST_FAULT)
                raise AgentError(
                    f"{self.name}: player_{seat} ({self._names[seat]}) could not decide: {reason} "
                    f"(the game waits for it after {len(table.history)} decisions: `see` lets it try again)"
                ) from error
        if table.ending:
            self._tell_end()

    def _tell_end(self) -> None:
        """Tell the agents, once, that the game is over, or that it goes on without them."""
        if self._told:
            return
        self._told = True
        scores, returns = self.table.result()[::-1] if self.table.ending else (None, None)
        ending = self.table.ending.name.lower() if self.table.ending else LEFT
        for seat, agent in self._agents.items():
            agent.game_over(Seen(self.table, seat), ending, scores, returns)

    def close(self) -> None:
        """Let the agents go."""
        self._tell_end()
        for agent in self._agents.values():
            agent.close()

    def advice(self, agent: Agent) -> str:
        """The action that an agent would play for the client's seat to act, by what that seat knows."""
        return self.table.game.actions.names[self.table.checked_action(self._choice(agent))]

    def _choice(self, agent: Agent) -> int:
        views = view_of(self.table, self._salt, stories=agent.wants_stories)
        (chosen,) = action_ids(self.table.game, agent.act(views), 1)
        return int(chosen)

    def checked_seat(self, seat: object) -> int:
        """A seat of the client: the one given, else the one to act, else its first."""
        if seat is None:
            return self.table.seat if not self.table.ending and self.table.seat in self.seats else self.seats[0]
        if not is_integer(seat) or int(seat) not in self.seats:
            raise OptionError(f"{self.name}: seat={shown(seat)}: yours: {listed(map(str, self.seats))}")
        return int(seat)

    def require_turn(self, seat: object) -> None:
        """Refuse a decision of the client that is not due."""
        checked, table = self.checked_seat(seat), self.table
        if table.ending:
            raise IllegalAction(f"{self.name}: the game is over: there is nothing to decide")
        if checked != table.seat:
            raise IllegalAction(f"{self.name}: player_{checked} is not to act: it is the turn of player_{table.seat}")

    def position(self, seat: int) -> Position:
        """The game as a seat of the client sees it."""
        table = self.table
        your_turn = not table.ending and table.seat == seat
        legal = table.legal_actions() if your_turn else []
        events = since_last_decision(table.events(seat), seat)
        return Position(
            game_id=self.name,
            game=table.game.id,
            seat=seat,
            your_seats=self.seats,
            players=self.players(),
            decisions=len(table.history),
            to_act=None if table.ending else table.seat,
            your_turn=your_turn,
            over=bool(table.ending),
            legal_actions=legal,
            text=f"{self.title(seat)}\n\n{position(table.game, seat, table.text(seat, 0), events, legal)}",
        )

    def players(self) -> list[str]:
        """Who plays, by seat."""
        return [self._names.get(seat, "you") for seat in range(self.table.players)]

    def title(self, seat: int) -> str:
        """Which game, who plays, and how it stands with the client."""
        others = ", ".join(f"player_{other} is {name}" for other, name in self._names.items())
        stands = "the game is over" if self.table.ending else f"player_{self.table.seat} is to act"
        return "; ".join(filter(None, [f"{self.name} ({self.table.game.title}): you are player_{seat}", others, stands]))

    def result(self) -> Result:
        """How the game stands or ended."""
        table = self.table
        returns, scores = table.result()
        best = [seat for seat, value in enumerate(returns) if value == max(returns)]
        winners = best if table.ending and table.players > 1 else []
        points = ", ".join(f"{who} {score:g}" for who, score in zip(agents_of(table.players), scores, strict=True))
        won = f"; won by {', '.join(f'player_{seat}' for seat in winners)}" if winners else ""
        state = f"over ({table.ending.name.lower()})" if table.ending else "not over; if it ended now"
        text = f"{self.name} is {state}: scores {points}{won}; returns {', '.join(f'{value:g}' for value in returns)}"
        return Result(self.name, bool(table.ending), table.ending.name.lower(), scores, returns, winners, text)


class Games:
    """All games of one server."""

    def __init__(self, permissions: Permissions = NOTHING_MORE, most: int = MOST_GAMES) -> None:
        self.permissions, self._most = permissions, most
        self._sittings: dict[str, Sitting] = {}
        self._started = 0
        self._lock = threading.Lock()

    def names(self) -> list[str]:
        """The ids of all games that are kept."""
        return list(self._sittings)

    def start(
        self,
        game: str,
        options: Mapping[str, Any] | None = None,
        against: Sequence[str] = ("heuristic",),
        seats: Sequence[int] = (0,),
        seed: int | None = None,
    ) -> Position:
        """Deal a game; the agents play until it is the client's turn."""
        found = game_of(game)
        table = self._dealt(found, options or {}, seed)
        held = _held_seats(table, seats)
        names = roster.seated(found, against, [seat for seat in range(table.players) if seat not in held])
        prepare_views(found)
        sitting = self._seated(table, names)
        with sitting.alone():
            sitting.let_agents_play()
            return sitting.position(sitting.checked_seat(None))

    def _dealt(self, game: Game, options: Mapping[str, Any], seed: int | None) -> Table:
        self.permissions.require_options(game, options)
        table = Table(game, options)
        table.deal(checked_seed(seed))
        return table

    def _agent(self, name: str, table: Table) -> Agent:
        """An agent, ready to play."""
        self.permissions.require_agent(name)
        agent = roster.make_agent(name, table.game, table.options)
        agent.prepare()
        return agent

    def _seated(self, table: Table, names: Mapping[int, str]) -> Sitting:
        """A game with its agents; these are let go if it cannot be kept."""
        agents: dict[int, Agent] = {}
        try:
            for seat, name in names.items():
                agents[seat] = self._agent(name, table)
            return self._keep(table, agents, names)
        except BaseException:
            for agent in agents.values():
                agent.close()
            raise

    def _keep(self, table: Table, agents: Mapping[int, Agent], names: Mapping[int, str]) -> Sitting:
        with self._lock:
            if len(self._sittings) >= self._most:
                raise OptionError(
                    f"{len(self._sittings)} games are kept, allowed: {self._most}: close one first: {listed(self._sittings)}"
                )
            self._started += 1
            name = f"{table.game.id.rpartition('_v')[0]}-{self._started}"
            self._sittings[name] = Sitting(name, table, agents, names)
            return self._sittings[name]

    @contextmanager
    def _sitting(self, game_id: str) -> Iterator[Sitting]:
        """The game of an id, for this thread alone, after agents that are to act have played."""
        with self._found(game_id).alone():
            sitting = self._found(game_id)  # it may have been closed in the meantime
            sitting.let_agents_play()
            yield sitting

    def _found(self, game_id: str) -> Sitting:
        if game_id not in self._sittings:
            raise OptionError(f"no game has the id {shown(game_id)}; games: {listed(self._sittings) or 'none, start one'}")
        return self._sittings[game_id]

    def see(self, game_id: str, seat: int | None = None) -> Position:
        """A game as a seat of the client sees it: the one given, else the one to act."""
        with self._sitting(game_id) as sitting:
            return sitting.position(sitting.checked_seat(seat))

    def play(self, game_id: str, action: str, seat: int | None = None) -> Position:
        """Play an action by its name; the agents answer until it is the client's turn again. What comes of it."""
        with self._sitting(game_id) as sitting:
            sitting.require_turn(seat)
            mover = sitting.table.seat
            sitting.table.play(sitting.table.parse_action(action))
            sitting.let_agents_play()
            return sitting.position(mover if sitting.table.ending else sitting.checked_seat(None))

    def result(self, game_id: str) -> Result:
        """How a game stands or ended."""
        with self._sitting(game_id) as sitting:
            return sitting.result()

    def advice(self, game_id: str, agent: str = ADVISOR) -> str:
        """What an agent would play for the client's seat to act, by what that seat knows."""
        with self._sitting(game_id) as sitting:
            sitting.require_turn(None)
            with closing(self._agent(agent, sitting.table)) as adviser:
                return sitting.advice(adviser)

    def replay(self, game_id: str) -> str:
        """The game as the text of a replay file; refused while it goes on, because it tells all hidden cards."""
        with self._sitting(game_id) as sitting:
            if not sitting.table.ending:
                raise OptionError(f"{game_id}: a replay tells the hidden cards: there is one when the game is over or closed")
            return Replay.of(sitting.table).to_json()

    def close(self, game_id: str) -> str:
        """Forget a game, over or not; the text of its replay."""
        with self._found(game_id).alone():
            sitting = self._found(game_id)
            with self._lock:
                del self._sittings[game_id]
            sitting.close()
        return Replay.of(sitting.table).to_json()


def _held_seats(table: Table, seats: Sequence[int]) -> set[int]:
    """The client's seats, if there are such."""
    allowed = f"at least one of 0 to {table.players - 1}, each once"
    if not seats or len({*seats}) < len(seats) or not all(0 <= seat < table.players for seat in seats):
        raise OptionError(f"{table.game.id}: seats={shown(list(seats))}: allowed: {allowed}")
    return {*seats}
