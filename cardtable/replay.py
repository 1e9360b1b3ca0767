"""Replays: a game as a JSON text that can be checked step by step.

The text names versions, options, the start (seed and number, with injected decks; or a state), every action in
notation with the hash of the state after it, and the result. A replay verifies, or is refused with the step where it
diverges.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cardtable import __version__
from cardtable.errors import CardtableError, ReplayError
from cardtable.game import Game
from cardtable.registry import find
from cardtable.table import Table

FORMAT = "cardtable replay 1"
KEYS = ("format", "cardtable", "game", "rules", "options", "start", "start_hash", "moves", "result")


@dataclass(frozen=True)
class Replay:
    """A recorded game."""

    game: Game
    options: dict[str, Any]
    start: dict[str, Any]
    start_hash: str
    moves: list[dict[str, Any]] = field(default_factory=list)
    """One dict a decision: `seat`, `action` (its name), `hash` (of the state after it)."""
    result: dict[str, Any] | None = None
    """`ending`, `scores`, `returns`; None if the game was not over."""

    @classmethod
    def of(cls, table: Table) -> "Replay":
        """The game on a table, from its start to where it stands."""
        names = [table.game.actions.names[number] for number in table.history]
        return cls.play(table.game, table.options.to_dict(), table.start, names)

    @classmethod
    def play(cls, game: Game, options: dict[str, Any], start: dict[str, Any], actions: list[str]) -> "Replay":
        """Play these actions from a start and record them."""
        table = _open_table(game, options, start)
        first, moves = table.state_hash(), []
        for name in actions:
            seat = table.seat
            table.play(table.checked_action(game.actions.id_of(name)))
            moves.append({"seat": seat, "action": name, "hash": table.state_hash()})
        return cls(game, options, start, first, moves, _result(table))

    def verify(self) -> Table:
        """Play the replay again and compare every step; the table at its end, or `ReplayError` naming the step."""
        try:
            table = _open_table(self.game, self.options, self.start)
        except CardtableError as error:
            raise ReplayError(f"{self.game.id}: the replay cannot start: {error}") from None
        if table.state_hash() != self.start_hash:
            raise ReplayError(f"{self.game.id}: the replay diverges at its start: {table.state_hash()}, not {self.start_hash}")
        for step, move in enumerate(self.moves):
            _verify_move(table, step, move)
        if _result(table) != self.result:
            raise ReplayError(f"{self.game.id}: the replay ends with {self.result}, the game with {_result(table)}")
        return table

    def to_json(self) -> str:
        """The replay as text, one line a move."""
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
        return "\n".join(["{", *lines, f' "moves": [\n{moves}\n ],', f' "result": {json.dumps(self.result)}', "}", ""])

    @classmethod
    def from_json(cls, text: str) -> "Replay":
        """The replay in a text; `ReplayError` if it is none or of another version of the rules. `verify` checks the game."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError, TypeError) as error:
            raise ReplayError(f"not a replay: not a JSON text: {error}") from None
        if not isinstance(data, dict) or sorted(data) != sorted(KEYS) or data["format"] != FORMAT:
            raise ReplayError(f"not a replay: a replay is an object with 'format': {FORMAT!r} and the keys {', '.join(KEYS)}")
        try:
            game = find(data["game"])
        except (CardtableError, TypeError) as error:
            raise ReplayError(f"the replay's game cannot be played here: {error}") from None
        if data["rules"] != game.rules_version:
            raise ReplayError(f"the replay is of {game.id} rules {data['rules']}; installed are rules {game.rules_version}")
        for key, kind in (("options", dict), ("start", dict), ("start_hash", str), ("moves", list)):
            if not isinstance(data[key], kind):
                raise ReplayError(f"not a replay: {key!r} is a {type(data[key]).__name__}, not a {kind.__name__}")
        return cls(game, *(data[key] for key in ("options", "start", "start_hash", "moves", "result")))

    def save(self, path: str | Path) -> None:
        """Write the replay to a file."""
        Path(path).write_text(self.to_json(), encoding="utf-8")

    @classmethod
    def load(cls, path: str | Path) -> "Replay":
        """Read a replay from a file."""
        try:
            text = Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise ReplayError(f"{path}: cannot be read: {error}") from None
        try:
            return cls.from_json(text)
        except ReplayError as error:
            raise ReplayError(f"{path}: {error}") from None


def _open_table(game: Game, options: dict[str, Any], start: dict[str, Any]) -> Table:
    table = Table(game, game.parse_options(options))
    if set(start) == {"state"}:
        table.load_state_dict(start["state"])
    elif set(start) in ({"seed", "index"}, {"seed", "index", "deal"}):
        if start["seed"] is None or start["index"] is None:
            raise ReplayError("a replay's seed and index are whole numbers")
        table.deal(start["seed"], start["index"], start.get("deal"))
    else:
        raise ReplayError(f"a game starts from seed and index (and deal), or from state, not from {sorted(start)}")
    return table


def _verify_move(table: Table, step: int, move: Any) -> None:
    where = f"{table.game.id}: the replay diverges at step {step}"
    if not isinstance(move, dict) or set(move) != {"seat", "action", "hash"}:
        raise ReplayError(f"{where}: {move!r} is not an object with seat, action and hash")
    if move["seat"] != table.seat or isinstance(move["seat"], bool):
        raise ReplayError(f"{where}: seat {move['seat']!r} acts, in the game it is seat {table.seat}")
    try:
        table.play(table.checked_action(table.game.actions.id_of(move["action"])))
    except CardtableError as error:
        raise ReplayError(f"{where}: {error}") from None
    if move["hash"] != table.state_hash():
        raise ReplayError(f"{where}, {move['action']!r}: state hash {table.state_hash()}, the replay says {move['hash']!r}")


def _result(table: Table) -> dict[str, Any] | None:
    if not table.ending:
        return None
    returns, scores = table.result()
    return {"ending": table.ending.name.lower(), "scores": scores, "returns": returns}
