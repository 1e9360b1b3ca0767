"""Replays that pages look at: verified, kept for a while, shown step by step from any seat, valued by any agent."""

import asyncio
import hashlib
import re
import secrets
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from cardtable.cli import telling
from cardtable.errors import OptionError, ReplayError
from cardtable.game.events import Event, decisions
from cardtable.players import keys
from cardtable.players.agent import Agent
from cardtable.players.views import Views, view_of
from cardtable.replay import Replay
from cardtable.support.messages import cut, shown
from cardtable.table import Table
from cardtable_agents.arena import results
from cardtable_agents.web.catalogue import NO_EDITIONS, Editions, illustrated, may_name_files
from cardtable_agents.web.hints import Hint, hint
from cardtable_agents.web.tables import picture_of
from cardtable_agents.web.thinkers import Thinkers

MOST_KEPT = 32
"""Replays that are kept in memory; those of folders are read again."""
MOST_MOVES = 5000
"""Of a replay that is shown; the longest games have some 2,000."""
MOST_VALUED = 4
"""Games that are valued at a time."""


@dataclass
class Values:
    """What an agent makes of the decisions of a game, as far as it has come."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    fault: str = ""
    task: asyncio.Task[None] | None = None


class Shown:
    """A verified replay, ready to be looked at."""

    def __init__(self, replay: Replay, name: str, editions: Editions = NO_EDITIONS) -> None:
        if len(replay.moves) > MOST_MOVES:
            raise ReplayError(f"the replay has {len(replay.moves):,} decisions; shown are at most {MOST_MOVES:,}")
        self.replay, self.name = replay, name
        self.table = replay.verify()
        self._options = illustrated(self.table.options, editions.get(self.table.game.id, {}))
        self.values: dict[str, Values] = {}
        self._states = _states(self.table)
        self._parts: dict[int | None, list[list[Event]]] = {}
        self._lock = threading.Lock()

    @property
    def steps(self) -> int:
        """How many decisions it has."""
        return len(self.table.history)

    def head(self) -> dict[str, Any]:
        """What it is a replay of."""
        moves = [{"seat": move["seat"], "action": move["action"]} for move in self.replay.moves]
        game, players = self.table.game, self.table.players
        about = {"game": game.id, "title": game.title, "players": players, "name": self.name}
        return {**about, "moves": moves, "result": self.replay.result}

    def at(self, step: int) -> Table:
        """The table after so many decisions."""
        if not 0 <= step <= self.steps:
            raise OptionError(f"step={step}: allowed: 0 to {self.steps}")
        table = Table(self.table.game, self._options)
        table.load_state_bytes(self._states[step])
        return table

    def frame(self, step: int, viewer: int | None) -> dict[str, Any]:
        """The picture after so many decisions, and what the last of them led to, as a viewer saw it."""
        if viewer is not None and not 0 <= viewer < self.table.players:
            raise OptionError(f"seat={viewer}: allowed: 0 to {self.table.players - 1}, all")
        picture = picture_of(self.at(step), viewer)
        with self._lock:
            if viewer not in self._parts:
                self._parts[viewer] = decisions(self.table.events(viewer))
        sentences = telling.story(self.table.game, self._parts[viewer][step], viewer)
        return {"step": step, "picture": picture, "sentences": sentences}


def _states(table: Table) -> list[bytes]:
    """The state before each decision, and at the end."""
    start = Table(table.game, table.options)
    if "state" in table.start:
        start.load_state_dict(table.start["state"])
    else:
        start.deal(table.start["seed"], table.start["index"], table.start.get("deal"))
    states = [start.state_bytes()]
    for action in table.history:
        start.play(action)
        states.append(start.state_bytes())
    return states


def read_upload(text: str) -> Replay:
    """The replay that a page hands in; `ReplayError` if it is none, or if reading it would mean to open files."""
    replay = Replay.from_json(text)
    usual = replay.game.parse_options().to_dict()
    for name in may_name_files(replay.game):
        value = replay.options.get(name, usual[name])
        if value != usual[name] and not isinstance(value, Mapping):
            raise ReplayError(
                f"the replay's {name} is {shown(value)}: in a replay from a page it is the usual one, or all of it"
            )
    return replay


class Replays:
    """Replays by id: those handed in, and those found in folders."""

    def __init__(self, thinkers: Thinkers) -> None:
        self._thinkers = thinkers
        self._kept: OrderedDict[str, Shown] = OrderedDict()

    def find(self, replay_id: str) -> Shown | None:
        """The replay of an id that is in memory."""
        found = self._kept.get(replay_id)
        if found is not None:
            self._kept.move_to_end(replay_id)
        return found

    def add(self, replay: Shown, replay_id: str | None = None) -> str:
        """Keep a replay; its id."""
        replay_id = replay_id or secrets.token_urlsafe(8)
        self._kept[replay_id] = replay
        while len(self._kept) > MOST_KEPT:
            _, dropped = self._kept.popitem(last=False)
            for values in dropped.values.values():
                if values.task:
                    values.task.cancel()
        return replay_id

    # ---- Values

    def values(self, replay: Shown, name: str) -> Values:
        """What an agent makes of the decisions so far; begins if nobody has asked yet."""
        if name not in replay.values:
            running = [
                each for kept in self._kept.values() for each in kept.values.values() if each.task and not each.task.done()
            ]
            if len(running) >= MOST_VALUED:
                raise OptionError(f"{len(running)} games are being valued already: ask again when one of them is done")
            found = replay.values[name] = Values()
            found.task = asyncio.get_running_loop().create_task(self._value(replay, name, found))
        return replay.values[name]

    async def _value(self, replay: Shown, name: str, values: Values) -> None:
        salt = keys.open_salt(replay.replay.end_hash)
        for step, action in enumerate(replay.table.history):
            table = replay.at(step)
            question = partial(_hint_of, view_of(table, salt))
            try:
                found = await self._thinkers.ask(name, table.game, table.options, question)
            except Exception as error:  # whatever an agent of somebody else's raises
                values.fault = cut(error, 300)
                return
            values.rows.append(_row(table, step, action, found))


def _hint_of(views: Views, agent: Agent) -> Hint:
    return hint(agent, views)


def _row(table: Table, step: int, action: int, found: Hint) -> dict[str, Any]:
    names = table.game.actions.names
    judged = {"value": found.value, "best": names[found.best], "played": names[action], "loss": found.loss(action)}
    return {"step": step, "seat": table.seat, **judged}


# ---- Folders

MOST_FOUND = 5000
"""Replays that are listed."""
OF_ARENA = re.compile(r"(?P<agents>.+)-[0-9a-f]{8}-(?P<deal>\d+)\.json")
"""Names as `results.replay_name` makes them."""
DEEPEST = 5
"""Folders in one another that are looked through."""


@dataclass(frozen=True)
class Found:
    """A file in one of the folders."""

    path: Path
    name: str
    """What pages call it."""


def read_found(place: Found, editions: Editions = NO_EDITIONS) -> Shown:
    """The replay in a file; what is wrong with it is said without where the folder lies."""
    try:
        return Shown(Replay.load(place.path), place.name, editions)
    except ReplayError as error:
        raise ReplayError(str(error).replace(str(place.path), place.name)) from None


def file_id(path: Path) -> str:
    """A number for a file that tells nothing of it, the same as long as it lies there."""
    return hashlib.sha256(str(path).encode()).hexdigest()[:16]


def replays_in(folders: list[Path]) -> dict[str, Found]:
    """The files in folders that may be replays, by number. Links are not followed."""
    files = ((path, folder) for folder in folders for path in _files(folder, 0))
    return {file_id(path): Found(path, _name(path.relative_to(folder))) for path, folder in islice(files, MOST_FOUND)}


def _name(path: Path) -> str:
    """What a file is called: of an arena's game who played, and the deal; of any other where it lies."""
    game = OF_ARENA.fullmatch(path.name)
    if game is None:
        return str(path)
    arena = path.parent.parent if path.parent.name == results.REPLAYS else path.parent
    played = f"{game['agents'].replace('-', ' – ')}, deal {game['deal']}"
    return played if arena == Path() else f"{arena}: {played}"


def _files(folder: Path, depth: int) -> Iterator[Path]:
    try:
        entries = sorted(folder.iterdir())
        files = [each for each in entries if each.suffix == ".json" and each.is_file() and not each.is_symlink()]
        below = [each for each in entries if each.is_dir() and not each.is_symlink()] if depth < DEEPEST else []
    except OSError:  # it may not be read, or is gone
        return
    yield from files
    for each in below:
        yield from _files(each, depth + 1)
