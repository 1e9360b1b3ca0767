"""One of our agents as a bot, for arenas of others: it reads the protocol of docs/protocol.md and answers."""

import secrets
from base64 import b64decode
from collections.abc import Iterable, Sequence
from typing import Any, BinaryIO, TypeVar

import numpy as np

from cardtable.bots import messages
from cardtable.bots.faults import Fault
from cardtable.bots.messages import Message
from cardtable.engine.jit import as_games
from cardtable.errors import AgentError, CardtableError
from cardtable.game.game import Game
from cardtable.game.legality import action_id, action_ids
from cardtable.players import keys
from cardtable.players.agent import Agent
from cardtable.players.roster import make_agent
from cardtable.players.views import Views, view_of
from cardtable.support.messages import shown
from cardtable.table import Table
from cardtable.types import Bits, Mask, Observation, Records, Seats
from cardtable.version import __version__

GAMES = 64
"""Games that are decided in one call of the agent."""
LARGEST_KEY = 2**64 - 1

Thing = TypeVar("Thing")


def serve(game: Game, agent: str, lines: Iterable[bytes], output: BinaryIO) -> None:
    """Answer an arena, line by line, until it says `quit` or closes its end; `AgentError` naming a line that is wrong."""
    served = Served(game, agent)
    for number, line in enumerate(lines, start=1):
        try:
            message = _read(line)
            answer = served.answer(message)
        except CardtableError as error:
            raise AgentError(f"bot {shown(agent)}: line {number} of the arena: {error}") from None
        if answer is not None:
            output.write(messages.encode(answer))
            output.flush()
        if message["type"] == "quit":
            return


class Served:
    """An agent that answers messages. `hello` says which options it plays under; before that there is none."""

    def __init__(self, game: Game, agent: str) -> None:
        self.game, self.name = game, agent
        self._agent: Agent | None = None
        self._wants: list[str] = []

    def answer(self, message: Message) -> Message | None:
        """The answer to a message; None if it wants none."""
        match message["type"]:
            case "hello":
                return self._ready(message)
            case "ask" | "refused":
                return self._actions(_field(message, "asks", list))
        return None

    # ---- hello

    def _ready(self, hello: Message) -> Message:
        """Make the agent and compile all that it needs: afterwards the clock runs."""
        for name, own in (("protocol", messages.PROTOCOL), ("game", self.game.id), ("rules", self.game.rules_version)):
            if _field(hello, name, type(own)) != own:
                raise AgentError(f"{name} is {shown(hello[name])}, this bot plays {own!r}")
        options = self.game.parse_options(_field(hello, "options", dict))
        self._agent = agent = make_agent(self.name, self.game, options)
        agent.prepare()
        table = Table(self.game, options)
        table.deal(seed=0)
        agent.act(view_of(table, keys.new_salt()))  # loads what was compiled
        self._wants = self._wanted(agent, _field(hello, "offers", list))
        return messages.ready(self.name, __version__, self._wants, GAMES)

    def _wanted(self, agent: Agent, offers: list[Any]) -> list[str]:
        """What the agent needs of what is offered; an arena without keys leaves the agent to draw its own."""
        needs = ["observation", *(["record"] if agent.wants_records else [])]
        missing = [name for name in needs if name not in offers]
        if missing:
            raise AgentError(f"the agent needs {', '.join(missing)}, the arena offers {shown(offers)}")
        return [*needs, *(["key"] if "key" in offers else [])]

    # ---- ask

    def _actions(self, asks: list[Any]) -> Message:
        """What the agent plays in each game that it is asked about."""
        if self._agent is None:
            raise AgentError("an `ask` before `hello`")
        views = self._views(self._agent, [_kind(ask, f"asks[{place}]", dict) for place, ask in enumerate(asks)])
        chosen = action_ids(self.game, self._agent.act(views), len(asks)).tolist()
        return messages.answers({ask["game"]: each for ask, each in zip(asks, chosen, strict=True)})

    def _views(self, agent: Agent, asks: Sequence[Message]) -> Views:
        """The views that the agent would have in the arena's own process."""
        for ask in asks:
            _field(ask, "game", int)
        seats = self._seats(agent, asks)
        records = self._records(agent, asks, seats)
        return Views(self.game, agent.options, self._observations(asks), self._masks(asks), seats, self._keys(asks), records)

    def _seats(self, agent: Agent, asks: Sequence[Message]) -> Seats:
        seats = [_field(ask, "seat", int) for ask in asks]
        players = agent.options.num_players
        for seat in seats:
            if not 0 <= seat < players:  # kernels do not ask
                raise AgentError(f"seat {shown(seat)}: allowed: 0 to {players - 1}")
        return np.array(seats, np.int8)

    def _masks(self, asks: Sequence[Message]) -> Mask:
        masks = np.zeros((len(asks), self.game.actions.size), np.int8)
        for mask, ask in zip(masks, asks, strict=True):
            mask[[action_id(self.game, each) for each in _field(ask, "ids", list)]] = 1
        return masks

    def _observations(self, asks: Sequence[Message]) -> Observation:
        size = self.game.layout.size
        rows = [_field(ask, "observation", list) for ask in asks]
        for row in rows:
            if len(row) != size or not all(type(each) in (int, float) for each in row):
                raise AgentError(f"observation {shown(row)}: expected {size} numbers")
        return np.array(rows, np.float32).reshape(len(asks), size)

    def _keys(self, asks: Sequence[Message]) -> Bits:
        return np.array([_key(ask) if "key" in self._wants else secrets.randbits(64) for ask in asks], np.uint64)

    def _records(self, agent: Agent, asks: Sequence[Message], seats: Seats) -> Records:
        blank = self.game.blank(agent.options, seed=0)
        records = as_games(np.repeat(blank, len(asks) if agent.wants_records else 0))
        for place in range(len(records)):
            records[place] = self._record(agent, asks[place])
            if records["seat"][place] != seats[place]:
                raise AgentError(f"seat {seats[place]}: in the record, seat {records['seat'][place]} is to act")
        return records

    def _record(self, agent: Agent, ask: Message) -> np.void:
        text = _field(ask, "record", str)
        try:
            packed = b64decode(text, validate=True)
        except ValueError:
            raise AgentError(f"record {shown(text)}: expected base64") from None
        found: np.void = self.game.unpack(packed, agent.options)[0]
        return found


# ---- Reading


def _read(line: bytes) -> Message:
    """A line as a message; `AgentError` if it is none."""
    try:
        message = messages.decode(line)
    except Fault as fault:
        raise AgentError(f"{fault.detail}: {fault.line}") from None
    _field(message, "type", str)
    return message


def _field(message: Message, name: str, kind: type[Thing]) -> Thing:
    """An entry of a message, if it is of a kind."""
    if name not in message:
        raise AgentError(f"no {name!r} in {shown(message)}")
    return _kind(message[name], name, kind)


def _kind(found: object, name: str, kind: type[Thing]) -> Thing:
    if not isinstance(found, kind) or (isinstance(found, bool) and kind is int):
        raise AgentError(f"{name}: {shown(found)}: expected {KINDS[kind]}")
    return found


KINDS: dict[type, str] = {int: "an integer", str: "a text", list: "a list", dict: "an object"}


def _key(ask: Message) -> int:
    """The random bits of a decision."""
    text = _field(ask, "key", str)
    if not (text.isascii() and text.isdecimal() and len(text) <= len(str(LARGEST_KEY)) and int(text) <= LARGEST_KEY):
        raise AgentError(f"key {shown(text)}: expected a decimal number from 0 to 2**64 - 1 in a text")
    return int(text)
