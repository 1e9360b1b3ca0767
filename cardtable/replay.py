"""Replays: a game as a JSON text that can be checked step by step.

The text names versions, options, the start (seed and number, with injected decks; or a state), every action in
notation, and the result. A replay verifies, or is refused with the step where it diverges.

Hashes make a chain: `start_hash` is one of game, options, start and first state; the `hash` of each move is one of the hash
before it, the seat, the action and the state after it; `end_hash` is one of the last of them and the result. Files of
format 1, in which each hash is that of a state alone, are read and verified too.
"""

import copy
import hashlib
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cardtable.errors import CardtableError, OptionError, ReplayError
from cardtable.game.game import Game
from cardtable.game.registry import find
from cardtable.support import files
from cardtable.support.messages import cut, shown
from cardtable.support.plain import is_integer
from cardtable.table import Table
from cardtable.version import __version__

FORMAT = "cardtable replay 2"
FORMAT_1 = "cardtable replay 1"
"""What was written before hashes made a chain."""
_KEYS_1 = ("format", "cardtable", "game", "rules", "options", "start", "start_hash", "moves", "result")
KEYS = {FORMAT: (*_KEYS_1, "end_hash"), FORMAT_1: _KEYS_1}
"""What a text of each format has."""
LARGEST_FILE = 1 << 25
"""Bytes of a replay, enough for some 400,000 moves; a usual game has about 10,000."""
LONGEST_FAULT = 500
"""Characters of a message that explain why a game cannot be played."""


@dataclass(frozen=True)
class Replay:
    """A recorded game."""

    game: Game
    options: dict[str, Any]
    start: dict[str, Any]
    start_hash: str
    moves: list[dict[str, Any]] = field(default_factory=list)
    """One dict a decision: `seat`, `action` (its name), `hash`."""
    result: dict[str, Any] | None = None
    """`ending`, `scores`, `returns`; None if the game was not over."""
    end_hash: str = ""
    format: str = FORMAT

    @classmethod
    def of(cls, table: Table) -> "Replay":
        """The game on a table, from its start to where it stands."""
        names = [table.game.actions.names[number] for number in table.history]
        return cls.play(table.game, table.options.to_dict(), copy.deepcopy(table.start), names)

    @classmethod
    def play(cls, game: Game, options: dict[str, Any], start: dict[str, Any], actions: list[str]) -> "Replay":
        """Play these actions from a start and record them."""
        table = _open_table(game, options, start)
        first = last = _hash_of_start(table)
        moves: list[dict[str, Any]] = []
        for name in actions:
            seat = table.seat
            table.play(table.checked_action(game.actions.id_of(name)))
            last = chain(last, seat, name, table.state_hash())
            moves.append({"seat": seat, "action": name, "hash": last})
        return cls(game, options, start, first, moves, _result(table), chain(last, _result(table)))

    def verify(self) -> Table:
        """Play the replay again and compare every step; the table at its end, or `ReplayError` naming the step."""
        try:
            table = _open_table(self.game, self.options, self.start)
        except (CardtableError, RecursionError) as error:
            raise ReplayError(f"{self.game.id}: the replay cannot start: {cut(error, LONGEST_FAULT)}") from None
        chained = self.format == FORMAT
        last = _hash_of_start(table) if chained else table.state_hash()
        if last != self.start_hash:
            raise ReplayError(f"{self.game.id}: the replay diverges at its start: {last}, not {shown(self.start_hash)}")
        for step, move in enumerate(self.moves):
            last = _verify_move(table, step, move, last if chained else None)
        result = _result(table)
        if result != self.result:
            raise ReplayError(f"{self.game.id}: the replay ends with {shown(self.result)}, the game with {result}")
        if chained and self.end_hash != chain(last, self.result):
            raise ReplayError(
                f"{self.game.id}: the replay's end_hash is {shown(self.end_hash)}: moves or parts of the result are missing"
            )
        return table

    def _repr_svg_(self) -> str | None:
        """What a notebook shows: the table at the end of the replay, as the seat that would act next sees it."""
        return self.verify()._repr_svg_()

    def to_json(self) -> str:
        """The replay as text, one line a move; always in the newest format."""
        if self.format != FORMAT:
            return Replay.of(self.verify()).to_json()
        head = {
            "format": FORMAT,
            "cardtable": __version__,
            "game": self.game.id,
            "rules": self.game.rules_version,
            "options": self.options,
            "start": self.start,
            "start_hash": self.start_hash,
        }
        lines = [f' "{key}": {json.dumps(value)},' for key, value in head.items()]
        moves = ",\n".join(f"  {json.dumps(move)}" for move in self.moves)
        end = [f' "result": {json.dumps(self.result)},', f' "end_hash": {json.dumps(self.end_hash)}']
        return "\n".join(["{", *lines, f' "moves": [\n{moves}\n ],', *end, "}", ""])

    @classmethod
    def from_json(cls, text: str) -> "Replay":
        """The replay in a text; `ReplayError` if it is none or of another version of the rules. `verify` checks the game."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError, TypeError) as error:
            raise ReplayError(f"not a replay: not valid JSON: {cut(error)}") from None
        format_name = data.get("format") if isinstance(data, dict) else None
        if not isinstance(format_name, str) or sorted(data) != sorted(KEYS.get(format_name, ())):
            keys = ", ".join(KEYS[FORMAT])
            raise ReplayError(f"not a replay: a replay is an object with 'format': {FORMAT!r} and the keys {keys}")
        try:
            game = find(data["game"])
        except (CardtableError, TypeError) as error:
            raise ReplayError(f"the replay's game cannot be played here: {cut(error, LONGEST_FAULT)}") from None
        if type(data["rules"]) is not int or data["rules"] != game.rules_version:
            raise ReplayError(f"the replay is of {game.id} rules {cut(data['rules'])}; installed: rules {game.rules_version}")
        for key, kind in (("options", dict), ("start", dict), ("start_hash", str), ("moves", list), ("end_hash", str)):
            if key in data and not isinstance(data[key], kind):
                raise ReplayError(f"not a replay: {key!r} is a {type(data[key]).__name__}, not a {kind.__name__}")
        given = {key: data[key] for key in ("options", "start", "start_hash", "moves", "result", "format")}
        return cls(game, **given, end_hash=data.get("end_hash", ""))

    def save(self, path: str | Path) -> None:
        """Write the replay to a file; what was there is replaced when all of it is on the disk."""
        files.write_whole(path, self.to_json())

    @classmethod
    def load(cls, path: str | Path) -> "Replay":
        """Read a replay from a file."""
        where = cut(path, LONGEST_FAULT)
        try:
            text = files.read_text(path, LARGEST_FILE)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error  # without the path, which stands in front already
            raise ReplayError(f"{where}: cannot be read: {cut(reason, LONGEST_FAULT)}") from None
        try:
            return cls.from_json(text)
        except ReplayError as error:
            raise ReplayError(f"{where}: {error}") from None


def chain(before: str, *what: object) -> str:
    """A short hash of plain data and of the hash before it."""
    text = json.dumps([before, *what], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _hash_of_start(table: Table) -> str:
    """A hash of everything that determines a game, including options that do not show in a state, such as card names."""
    game, start = table.game, table.start
    if "state" in start:
        start = {"state": table.state_dict()}  # as the game tells it, not as it was given
    return chain(FORMAT, game.id, game.rules_version, table.options.to_dict(), start, table.state_hash())


def _open_table(game: Game, options: dict[str, Any], start: dict[str, Any]) -> Table:
    return _started(Table(game, game.parse_options(options)), start)


def _started(table: Table, start: dict[str, Any]) -> Table:
    """A new table at the start that a replay tells of."""
    if set(start) == {"state"}:
        table.load_state_dict(start["state"])
    elif set(start) in ({"seed", "index"}, {"seed", "index", "deal"}):
        if start["seed"] is None or start["index"] is None:
            raise ReplayError("a replay's seed and index are integers")
        table.deal(start["seed"], start["index"], start.get("deal"))
    else:
        raise ReplayError(f"a game starts from seed and index (and deal), or from state, not from {shown(sorted(start))}")
    return table


def _verify_move(table: Table, step: int, move: object, last: str | None) -> str:
    """Play a move of a replay; its hash, which goes on from the last one, or is that of the state alone (format 1)."""
    where = f"{table.game.id}: the replay diverges at step {step}"
    if not isinstance(move, dict) or set(move) != {"seat", "action", "hash"}:
        raise ReplayError(f"{where}: {shown(move)} is not an object with seat, action and hash")
    seat = table.seat
    if move["seat"] != seat or isinstance(move["seat"], bool):
        raise ReplayError(f"{where}: the replay says seat {shown(move['seat'])}, the game says seat {seat}")
    try:
        table.play(table.checked_action(table.game.actions.id_of(move["action"])))
    except CardtableError as error:
        raise ReplayError(f"{where}: {cut(error, LONGEST_FAULT)}") from None
    found = table.state_hash()
    if last is not None:
        found = chain(last, seat, move["action"], found)
    if move["hash"] != found:
        raise ReplayError(f"{where}, {shown(move['action'])}: hash {found}, the replay says {shown(move['hash'])}")
    return found


def _result(table: Table) -> dict[str, Any] | None:
    if not table.ending:
        return None
    returns, scores = table.result()
    return {"ending": table.ending.name.lower(), "scores": scores, "returns": returns}


# ---- Tables of games that were played


def load_verified(path: str | Path) -> tuple[Replay, Table]:
    """Read a replay from a file and verify it: the replay, and the table at its end; `ReplayError` names the file."""
    replay = Replay.load(path)
    try:
        return replay, replay.verify()
    except ReplayError as error:
        raise ReplayError(f"{cut(path, LONGEST_FAULT)}: {error}") from None


def rewound(table: Table, decisions: int) -> Table:
    """A new table with the same game, from the same start, after its first so many decisions."""
    if not is_integer(decisions) or not 0 <= int(decisions) <= len(table.history):
        raise OptionError(f"{table.game.id}: decisions={shown(decisions)}: allowed: 0 to {len(table.history)}")
    table.require_dealt()
    earlier = _started(Table(table.game, table.options), table.start)
    for action in table.history[: int(decisions)]:
        earlier.play(action)
    return earlier


# ---- Nothing lost


def save_somewhere(replay: Replay, path: Path, say: Callable[[str], None]) -> None:
    """Save a replay; if that fails, in a new temporary folder, and if that fails too, by saying its text.

    `ReplayError` if it is not where it should be, naming where it is.
    """
    try:
        replay.save(path)
    except OSError as error:
        reason = f"the replay could not be written to {path}: {error.strerror}"
    else:
        return
    try:
        folder = Path(tempfile.mkdtemp(prefix="cardtable-"))
        replay.save(folder / path.name)
    except OSError:
        say(replay.to_json())
        raise ReplayError(f"{reason}; it is printed above") from None
    raise ReplayError(f"{reason}; it was saved to {folder / path.name}")
