"""The messages of the bot protocol, docs/protocol.md: built and read as plain dicts, one in a line.

What is read comes from a program of anybody's: whatever is not as the protocol has it is a `Fault`, unknown fields are ignored.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from cardtable.bots.faults import MISSING, NOT_AN_ANSWER, NOT_JSON, NOT_LEGAL, UNKNOWN_ACTION, Fault, printable
from cardtable.bots.process import LONGEST_LINE
from cardtable.errors import IllegalAction
from cardtable.game.actions import ActionSpace
from cardtable.game.events import Event
from cardtable.game.game import Game
from cardtable.game.options import Options
from cardtable.game.record import SEATS
from cardtable.game.sight import View
from cardtable.players.agent import Clocks
from cardtable.support.messages import cut, shown

PROTOCOL = 1
OFFERS = ("view", "events", "observation", "mask", "key", "record")
"""What a bot may want with each ask."""
MOST_GAMES = 1_024
"""Games that a bot may be asked about at once."""
LONGEST_NAME = 80
LONGEST_TEXT = 500
"""Characters of a name or version, and of a line for people, that are kept."""
MOST_MOVES = 1_000
"""Moves with their probabilities that are kept of an answer."""

Message = dict[str, Any]


# ---- Lines


def encode(message: Mapping[str, Any]) -> bytes:
    """A message as a line."""
    return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode() + b"\n"


def decode(line: bytes) -> Message:
    """The message in a line; `Fault` if there is none."""
    try:
        message = json.loads(line.decode(), parse_constant=_refuse_constant)
    except RecursionError:
        raise Fault(NOT_JSON, "lists and objects lie too deep in one another", line) from None
    except ValueError as error:
        raise Fault(NOT_JSON, f"not JSON in UTF-8: {error}", line) from None
    if not isinstance(message, dict):
        raise Fault(NOT_AN_ANSWER, f"expected an object, found {shown(message)}", line)
    return message


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


# ---- To the bot


def hello(game: Game, options: Options, clocks: Clocks) -> Message:
    """The first message: what will be played, and what there is to know about the protocol."""
    return {
        "type": "hello",
        "protocol": PROTOCOL,
        "game": game.id,
        "rules": game.rules_version,
        "options": options.to_dict(),
        "players": list(SEATS[: options.num_players]),
        "actions": game.actions.size,
        "time": {"per_move": clocks.per_move, "per_game": clocks.per_game},
        "offers": list(OFFERS),
        "longest_line": LONGEST_LINE,
    }


def start(game: int, seat: int, view: View) -> Message:
    """A game begins for the bot."""
    return {"type": "start", "game": game, "seat": seat, "view": view}


def entry(
    game: int, seat: int, decision: int, actions: ActionSpace, ids: Sequence[int], clock: Mapping[str, float | None]
) -> Message:
    """What is asked about one game; `ids` are the legal actions. What was wanted is added by the caller."""
    legal = [actions.names[action] for action in ids]
    return {"game": game, "seat": seat, "decision": decision, "legal": legal, "ids": list(ids), "clock": dict(clock)}


def ask(entries: Iterable[Message]) -> Message:
    """The bot decides."""
    return {"type": "ask", "asks": list(entries)}


def refused(entries: Iterable[Message], faults: Mapping[int, Fault]) -> Message:
    """The bot decides once more about games (by number) in which its answer could not be taken."""
    asks = [{**each, "reason": faults[each["game"]].reason, "detail": faults[each["game"]].detail} for each in entries]
    return {"type": "refused", "asks": asks}


def end(
    game: int, ending: str, scores: Sequence[float] | None, returns: Sequence[float] | None, events: Sequence[Event] | None
) -> Message:
    """A game is over, or left without a result; `events` are None if they are not wanted."""
    message: Message = {"type": "end", "game": game, "ending": ending, "scores": scores, "returns": returns}
    return message if events is None else {**message, "events": events}


def leave() -> Message:
    """The bot is to end."""
    return {"type": "quit"}


# ---- From the bot


@dataclass(frozen=True)
class Ready:
    """What a bot says of itself."""

    name: str = ""
    version: str = ""
    wants: tuple[str, ...] = ()
    games: int = 1


@dataclass(frozen=True)
class Info:
    """What a bot says about its answer, for people who watch."""

    value: float | None = None
    """What it expects its seat to win, -1 to 1."""
    moves: Mapping[str, float] = field(default_factory=dict)
    """Names of actions with their probabilities."""
    text: str = ""

    def __bool__(self) -> bool:
        return self != Info()


@dataclass(frozen=True)
class Answer:
    """An action that can be played."""

    action: int
    info: Info = Info()


def read_ready(message: Message) -> Ready:
    """What a bot says in answer to `hello`; `Fault` if it is not `ready`."""
    if message.get("type") != "ready":
        raise Fault(NOT_AN_ANSWER, f'expected {{"type": "ready", …}}, found {shown(message)}')
    if not _is_integer(message.get("protocol")) or message["protocol"] != PROTOCOL:
        raise Fault(NOT_AN_ANSWER, f"protocol: {shown(message.get('protocol'))}: expected {PROTOCOL}")
    wants, games = message.get("wants", []), message.get("games", 1)
    if not isinstance(wants, list) or not all(isinstance(each, str) and each in OFFERS for each in wants):
        raise Fault(NOT_AN_ANSWER, f"wants: {shown(wants)}: expected a list of {', '.join(OFFERS)}")
    if not _is_integer(games) or not 1 <= games <= MOST_GAMES:
        raise Fault(NOT_AN_ANSWER, f"games: {shown(games)}: expected an integer from 1 to {MOST_GAMES:,}")
    name, version = (_short_text(message, field) for field in ("name", "version"))
    return Ready(name, version, tuple(each for each in OFFERS if each in wants), games)


def _short_text(message: Message, name: str) -> str:
    text = message.get(name, "")
    if not isinstance(text, str):
        raise Fault(NOT_AN_ANSWER, f"{name}: {shown(text)}: expected a text")
    return cut(printable(text), LONGEST_NAME)


def read_answers(message: Message, asks: Sequence[Message], actions: ActionSpace) -> tuple[dict[int, Answer], dict[int, Fault]]:
    """By number of the game, the answers that can be played and what is wrong with the others, to these entries of `asks`."""
    answers: dict[int, Answer] = {}
    faults: dict[int, Fault] = {}
    given = _answers_by_game(message, asks)
    for each in asks:
        game = each["game"]
        try:
            answers[game] = _read_answer(given.get(game, []), each, actions)
        except Fault as fault:
            faults[game] = fault.kept()
    return answers, faults


def _answers_by_game(message: Message, asks: Sequence[Message]) -> dict[int, list[Message]]:
    """What a bot has answered about each game; entries that are about no game are left out."""
    if "answers" not in message and "action" in message and len(asks) == 1:
        message = {"answers": [{"game": asks[0]["game"], **message}]}
    given = message.get("answers")
    if not isinstance(given, list):
        few = '{"action": …}' if len(asks) == 1 else '{"answers": [{"game": …, "action": …}, …]}'
        raise Fault(NOT_AN_ANSWER, f"expected {few}, found {shown(message)}")
    found: dict[int, list[Message]] = {}
    for each in given:
        if isinstance(each, dict) and _is_integer(each.get("game")):
            found.setdefault(each["game"], []).append(each)
    return found


def _read_answer(given: Sequence[Message], asked: Message, actions: ActionSpace) -> Answer:
    """The answer to one entry of `asks`; `Fault` if it is not one that can be played."""
    if not given:
        raise Fault(MISSING, f"no answer about game {asked['game']}")
    if len(given) > 1:
        raise Fault(NOT_AN_ANSWER, f"{len(given)} answers about game {asked['game']}")
    action = given[0].get("action")
    number = _action_number(action, actions)
    if number not in asked["ids"]:
        raise Fault(NOT_LEGAL, f"action {shown(action)} is not legal now")
    return Answer(number, read_info(given[0].get("info"), actions)[0])


def _action_number(action: object, actions: ActionSpace) -> int:
    if isinstance(action, str):
        try:
            return actions.id_of(action)
        except IllegalAction:
            raise Fault(UNKNOWN_ACTION, f"no action is called {shown(action)}") from None
    if not isinstance(action, int) or isinstance(action, bool):
        raise Fault(NOT_AN_ANSWER, f"action: {shown(action)}: expected a name or a number of `legal` or `ids`")
    if not 0 <= action < actions.size:
        raise Fault(UNKNOWN_ACTION, f"action {shown(action)} does not exist; ids are 0 to {actions.size - 1}")
    return action


def read_info(given: object, actions: ActionSpace) -> tuple[Info, list[str]]:
    """What can be shown of an `info`, and what is wrong with the rest: it does not change the game."""
    if given is None:
        return Info(), []
    if not isinstance(given, dict):
        return Info(), [f"info: {shown(given)}: expected an object"]
    value, moves, text = given.get("value"), given.get("moves"), given.get("text")
    wrong = []
    if value is not None and not (_is_share(value, -1)):
        wrong.append(f"info.value: {shown(value)}: expected a number from -1 to 1")
        value = None
    if moves is not None and not _are_moves(moves, actions):
        wrong.append(f"info.moves: {shown(moves)}: expected at most {MOST_MOVES:,} names of actions, each with a probability")
        moves = None
    if text is not None and not isinstance(text, str):
        wrong.append(f"info.text: {shown(text)}: expected a text")
        text = None
    return Info(value, moves or {}, cut(printable(text or ""), LONGEST_TEXT)), wrong


def _are_moves(moves: object, actions: ActionSpace) -> bool:
    if not isinstance(moves, dict) or len(moves) > MOST_MOVES:
        return False
    names = set(actions.names)
    return names.issuperset(moves) and all(_is_share(chance, 0) for chance in moves.values())


def _is_share(value: object, lowest: float) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and lowest <= value <= 1 and math.isfinite(value)


def _is_integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# ---- The bot's side


def ready(name: str = "", version: str = "", wants: Sequence[str] = (), games: int = 1) -> Message:
    """The answer to `hello`."""
    return {"type": "ready", "protocol": PROTOCOL, "name": name, "version": version, "wants": list(wants), "games": games}


def answers(actions: Mapping[int, int | str]) -> Message:
    """The answer to `ask` or `refused`: the action chosen in each game, by number of the game."""
    return {"answers": [{"game": game, "action": action} for game, action in actions.items()]}
