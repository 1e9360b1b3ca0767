"""The file of results of an arena: a header, then a line for each game, each line with a check value.

One process writes at a time; finished games are on the disk before more are asked for. A kill can leave a part of a line at
the end, which the next run that writes cuts off. Anything else that is not as it was written is refused, with the number of
the line, and nothing is changed.

What the file holds follows from the plan and the salt alone (bots and their forfeits excepted): while games are played their
lines come in any order, at the end of a run they are put in the order of the plan. So the file is the same to the byte
whoever has played what. The time that agents took, which is never the same twice, goes to a file of its own.
"""

import hashlib
import json
import os
import re
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NoReturn

from cardtable.engine.ending import Ending
from cardtable.errors import AgentError
from cardtable.game.record import LARGEST_SEED
from cardtable.players import keys
from cardtable.players.agent import Clocks, Forfeit
from cardtable.support import files
from cardtable.support.messages import cut, shown
from cardtable_agents.arena.match import FORFEIT
from cardtable_agents.arena.plan import Plan, Seating

RESULTS = "games.jsonl"
TIMES = "times.jsonl"
LOCK = "games.lock"
PICTURE = "win_rates.png"
MATRIX = "head_to_head.png"
REPLAYS = "replays"
FORMAT = "cardtable arena 3"
FAMILY = "cardtable arena "
LONGEST_LINE = 1_000_000
"""Bytes; a usual line has 250, a header with an edition 10,000."""
CHECK = re.compile(rb'(.*), "check": "([0-9a-f]{16})"\}', re.DOTALL)
BEGINNING = b'{"agents": ['
"""What the line of a game begins with, and that of its times."""
LARGEST_NUMBER = 1e15
LISTS = ("returns", "scores", "decisions")
KEYS = {"agents", "deal", "ending", *LISTS}
SECONDS = "seconds"
"""In memory a line of a game has the time of each seat, too, if it is known."""
TIME_KEYS = {"agents", "deal", SECONDS}
MORE_KEYS = {"replay", "forfeit"}
"""Keys that only some lines have."""
ENDINGS = [Ending.TERMINATED.name.lower(), Ending.TRUNCATED.name.lower(), FORFEIT]
FORFEIT_KEYS = {each.name for each in fields(Forfeit)}
LONGEST_FORFEIT = 1_000
"""Characters of each text about a forfeit."""
LONGEST_FAULT = 300
"""Characters of what is told about a header that cannot be read."""

Line = dict[str, Any]


@dataclass
class Results:
    """What a file of results holds."""

    salt: str
    """Where the random bits of the agents come from."""
    header: bytes
    """The first line of the file."""
    games: list[Line] = field(default_factory=list)
    size: int = 0
    """Bytes of header and games; what follows was cut off by a kill."""
    size_of_times: int = 0
    """Likewise of the file of times; 0 if there is none."""


# ---- Lines


def sealed(fields: Mapping[str, Any], header_digest: str = "") -> bytes:
    """A line with its checksum, which covers the header too: lines of another file do not match."""
    text = json.dumps(fields).encode()
    return text[:-1] + f', "check": "{_check(text, header_digest)}"}}\n'.encode()


def _check(text: bytes, header_digest: str) -> str:
    return hashlib.sha256(header_digest.encode() + text).hexdigest()[:16]


def _opened(line: bytes, header_digest: str) -> Line:
    """The fields of a line; `ValueError` if it is not as it was written."""
    found = CHECK.fullmatch(line)
    if found is None:
        raise ValueError("it does not end with a checksum")
    text = found[1] + b"}"
    if _check(text, header_digest) != found[2].decode():
        raise ValueError("its checksum does not match")
    fields = json.loads(text)
    if not isinstance(fields, dict):
        raise ValueError("it is not an object")
    return fields


def _digest(header: bytes) -> str:
    return hashlib.sha256(header).hexdigest()


# ---- Reading


def read_results(path: Path, plan: Plan) -> Results:
    """What a file of results holds, with the times beside it; `AgentError` if it is damaged or holds games of another plan.

    Nothing is changed.
    """
    lines = files.read_lines(path, LONGEST_LINE)
    try:
        results = _read_header(path, next(lines, b""), plan)
        digest, places = _digest(results.header), places_of(plan)
        seen: dict[tuple[Seating, int], int] = {}
        for number, line in enumerate(lines, start=2):
            if not line.endswith(b"\n"):
                _check_tail(path, number, line)
                break
            game = _read_line(path, number, line, digest, lambda game: _fault(game, places))
            key = key_of(game)
            if key in seen:
                _refuse(path, number, f"the same game as in line {seen[key]}: {list(key[0])}, deal {key[1]}")
            seen[key] = number
            results.games.append(game)
            results.size += len(line)
    except files.FileTooLarge as error:
        raise AgentError(f"{path}: not a results file: a line is too long: {error.strerror}") from None
    _read_times(path.with_name(TIMES), places, digest, results)
    return results


def _read_times(path: Path, places: Mapping[Seating, int], digest: str, results: Results) -> None:
    """Add to games the time that they took, where it is known."""
    if not os.path.lexists(path):
        return
    games = {key_of(game): game for game in results.games}
    try:
        for number, line in enumerate(files.read_lines(path, LONGEST_LINE), start=1):
            if not line.endswith(b"\n"):
                _check_tail(path, number, line)
                break
            times = _read_line(path, number, line, digest, lambda times: _fault_of_times(times, places))
            if (key := key_of(times)) in games:
                games[key][SECONDS] = times[SECONDS]
            results.size_of_times += len(line)
    except files.FileTooLarge as error:
        raise AgentError(f"{path}: not the times of an arena: a line is too long: {error.strerror}") from None


def key_of(line: Line) -> tuple[Seating, int]:
    """Which game a line is about."""
    return tuple(line["agents"]), line["deal"]


def places_of(plan: Plan) -> dict[Seating, int]:
    """All seatings of a plan, each with its place among them: in the file, games of a deal come in this order."""
    seatings = [seating for line_up in plan.seatings() for seating in line_up]
    return {seating: place for place, seating in enumerate(seatings)}


def _read_header(path: Path, line: bytes, plan: Plan) -> Results:
    try:
        plain = json.loads(line)
        found_format = plain.get("format") if isinstance(plain, dict) else None
    except (ValueError, RecursionError):
        found_format = None
    if isinstance(found_format, str) and found_format.startswith(FAMILY) and found_format != FORMAT:
        raise AgentError(
            f"{path}: its format is {shown(found_format)}, this version reads and writes {FORMAT!r}; choose another --out "
            "folder; the file is left as it is"
        )
    try:
        header = _opened(line.removesuffix(b"\n"), "")
        salt = keys.checked_salt(str(header.pop("salt", "")))
    except (ValueError, RecursionError) as error:
        raise AgentError(f"{path}: not a results file, or damaged: line 1: {error}") from None
    if not line.endswith(b"\n"):
        raise AgentError(f"{path}: damaged: line 1 is incomplete; nothing has been changed")
    if header != {"format": FORMAT, **plan.header()}:
        differs = ", ".join(_differences(header, plan))
        raise AgentError(
            f"{path}: holds games of another plan (different: {differs}); choose another --out folder, or leave out --out: "
            "then every plan has a folder of its own"
        )
    return Results(salt, line, size=len(line))


def _differences(header: Line, plan: Plan) -> list[str]:
    """What is not as the plan has it, in words."""
    wanted = plan.header()
    differs = [name for name in wanted if header.get(name) != wanted[name]]
    found = header.get("fingerprints")
    if differs == ["fingerprints"] and isinstance(found, list) and len(found) == len(plan.agents):
        names = [name for name, own, other in zip(plan.agents, plan.fingerprints, found, strict=True) if own != other]
        return [f"the content behind {name!r}" for name in dict.fromkeys(names)]
    return differs


def read_plan(path: Path) -> Plan:
    """What the arena whose results these are was to play; `AgentError` if its header does not tell."""
    try:
        return plan_from(json.loads(next(files.read_lines(path, LONGEST_LINE))))
    except (OSError, StopIteration, ValueError, RecursionError, LookupError, TypeError) as error:
        raise AgentError(f"its results cannot be read: {cut(error, LONGEST_FAULT)}") from None


def plan_from(header: Line) -> Plan:
    """The plan that a header tells of; some error or other if it tells of none."""
    given: dict[str, Any] = {each.name: header[each.name] for each in fields(Plan) if each.name != "clocks"}
    given |= {name: tuple(given[name]) for name in ("agents", "fingerprints", "modules")}
    plan = Plan(**given, clocks=Clocks(**header["clocks"]) if "clocks" in header else None)
    plan.checked()
    return plan


def _read_line(path: Path, number: int, line: bytes, header_digest: str, fault_in: Callable[[Line], str]) -> Line:
    """The fields of a line; `AgentError` if there is a fault in it."""
    try:
        found = _opened(line.removesuffix(b"\n"), header_digest)
    except (ValueError, RecursionError) as error:
        _refuse(path, number, str(error))
    if fault := fault_in(found):
        _refuse(path, number, fault)
    return found


def _fault(game: Line, known: Container[Seating]) -> str:
    """What is wrong with the line of a game, or nothing."""
    if set(game) - MORE_KEYS != KEYS:
        return f"its keys are not {', '.join(sorted(KEYS))}"
    if fault := _fault_of_key(game, known):
        return fault
    agents = game["agents"]
    if game["ending"] not in ENDINGS or not isinstance(game.get("replay", ""), str):
        return "its ending or replay is invalid"
    if (game["ending"] == FORFEIT) != ("forfeit" in game) or (
        "forfeit" in game and not _is_forfeit(game["forfeit"], len(agents))
    ):
        return f"its forfeit is {shown(game.get('forfeit'))}"
    for name in LISTS:
        if not _is_list(game[name], len(agents)):
            return f"{name} are {shown(game[name])}, expected one number per seat"
    if not all(type(number) is int and number >= 0 for number in game["decisions"]):
        return "its decisions are not counts"
    return ""


def _fault_of_times(times: Line, known: Container[Seating]) -> str:
    """What is wrong with the line of a game's times, or nothing."""
    if set(times) != TIME_KEYS:
        return f"its keys are not {', '.join(sorted(TIME_KEYS))}"
    if fault := _fault_of_key(times, known):
        return fault
    if not _is_list(times[SECONDS], len(times["agents"])) or min(times[SECONDS]) < 0:
        return f"seconds are {shown(times[SECONDS])}, expected one time per seat"
    return ""


def _fault_of_key(line: Line, known: Container[Seating]) -> str:
    """What is wrong with who played which deal, or nothing."""
    agents, deal = line["agents"], line["deal"]
    if not isinstance(agents, list) or not all(isinstance(each, str) for each in agents) or tuple(agents) not in known:
        return f"{shown(agents)} is not a seating of this plan"
    if type(deal) is not int or not 0 <= deal <= LARGEST_SEED:
        return f"{shown(deal)} is not the number of a deal"
    return ""


def _is_forfeit(forfeit: object, seats: int) -> bool:
    """Whether this says who has forfeited a game and why."""
    if not isinstance(forfeit, dict) or set(forfeit) != {"seat", *FORFEIT_KEYS}:
        return False
    texts = [forfeit[key] for key in FORFEIT_KEYS]
    known = type(forfeit["seat"]) is int and 0 <= forfeit["seat"] < seats
    return known and all(isinstance(text, str) and len(text) <= LONGEST_FORFEIT for text in texts)


def _is_list(value: object, length: int) -> bool:
    return isinstance(value, list) and len(value) == length and all(map(_is_number, value))


def _is_number(value: object) -> bool:
    return (type(value) is int or type(value) is float) and -LARGEST_NUMBER <= value <= LARGEST_NUMBER


def _check_tail(path: Path, number: int, tail: bytes) -> None:
    """Refuse an end of the file that is not the beginning of a line: no kill has left that."""
    begins = tail.startswith(BEGINNING) or BEGINNING.startswith(tail)
    if not begins or not tail.isascii() or not tail.decode().isprintable():
        _refuse(path, number, "it is incomplete, and is not the beginning of a game")


def _refuse(path: Path, number: int, fault: str) -> NoReturn:
    loss = "only the time that it tells is lost" if path.name == TIMES else "the same command plays its game again"
    raise AgentError(f"{path}: line {number} is damaged: {fault}. Nothing has been changed; delete that line, and {loss}")


# ---- Writing


class Writer:
    """The file of results of a folder, open for more games."""

    def __init__(self, path: Path, plan: Plan, results: Results) -> None:
        self._path, self._times = path, path.with_name(TIMES)
        self._places = places_of(plan)
        self.salt, self.games = results.salt, results.games
        self._header, self._digest = results.header, _digest(results.header)

    def append(self, games: Iterable[Line]) -> None:
        """Add the lines of games, with the time that they took if it is known; they are on the disk afterwards.

        Times come last: a kill can lose some, but leaves none of games that would be played again.
        """
        added = list(games)
        for game in added:
            if fault := self._fault_in(game):
                raise AgentError(f"{self._path}: a game is not written: {fault}: one of the agents has tampered with the match")
        times = [{key: game[key] for key in ("agents", "deal", SECONDS)} for game in added if SECONDS in game]
        files.append_whole(self._path, self._sealed(map(without_seconds, added)))
        self.games.extend(added)
        files.append_whole(self._times, self._sealed(times))

    def _fault_in(self, game: Line) -> str:
        fault = _fault(without_seconds(game), self._places)
        if fault or SECONDS not in game:
            return fault
        return _fault_of_times({key: game[key] for key in TIME_KEYS}, self._places)

    def _sealed(self, lines: Iterable[Line]) -> bytes:
        return b"".join(sealed(line, self._digest) for line in lines)

    def put_in_order(self) -> None:
        """Put the lines of all games in the order of the plan: deal by deal, each in all seatings."""
        keys = [(game["deal"], self._places[tuple(game["agents"])]) for game in self.games]
        if keys == sorted(keys):
            return
        self.games.sort(key=lambda game: (game["deal"], self._places[tuple(game["agents"])]))
        files.write_whole(self._path, self._header + self._sealed(map(without_seconds, self.games)))


def without_seconds(game: Line) -> Line:
    """The line of a game as it is in the file."""
    return {key: value for key, value in game.items() if key != SECONDS}


@contextmanager
def open_results(folder: Path, plan: Plan, salt: str | None = None) -> Iterator[Writer]:
    """The results of a plan in a folder, new or continued; nobody else writes there meanwhile.

    A new file has the salt that is given, or one of its own. `AgentError` if another arena is running in the folder, if it
    holds other games or games with another salt, or files that are not an arena's.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with files.lock(folder / LOCK):
            path = folder / RESULTS
            if not os.path.lexists(path):
                _begin(folder, plan, keys.new_salt() if salt is None else keys.checked_salt(salt))
            results = read_results(path, plan)
            if salt not in (None, results.salt):
                raise AgentError(f"{path}: holds games with another salt; choose another --out folder")
            _cut_off(path, results.size)
            _cut_off(_existing(folder / TIMES), results.size_of_times)
            yield Writer(path, plan, results)
    except files.Locked:
        raise AgentError(
            f"{folder}: another arena is running there; wait until it ends, or choose another --out folder"
        ) from None


def _cut_off(path: Path, size: int) -> None:
    """Drop what a kill has left of a line."""
    if path.stat().st_size != size:
        os.truncate(path, size)


def _existing(path: Path) -> Path:
    """A file that there is, empty if it is new."""
    path.open("ab").close()
    return path


def _begin(folder: Path, plan: Plan, salt: str) -> None:
    """Write the header of a new file; refuse if that would overwrite files that are not the arena's."""
    for other in (PICTURE, MATRIX, TIMES):
        if os.path.lexists(folder / other):
            raise AgentError(f"{folder}: holds a {other} but no arena results; choose another --out folder")
    files.write_whole(folder / RESULTS, sealed({"format": FORMAT, **plan.header(), "salt": salt}))


def replay_name(seating: Sequence[str], deal: int) -> str:
    """A name for the file of a replay: safe, readable, and of this seating and deal alone."""
    readable = "-".join(re.sub(r"[^a-zA-Z0-9.]+", "_", label) for label in seating)[:80].strip("._-")
    return f"{readable}-{hashlib.sha256(json.dumps(seating).encode()).hexdigest()[:8]}-{deal}.json"


def save_replay(folder: Path, name: str, text: str) -> Path:
    """Write a replay, unless it is there; never over another file. Returns where it is."""
    path = folder / name
    if os.path.lexists(path) and not _holds(path, text):
        path = files.new_path(path)
    if not os.path.lexists(path):
        files.write_whole(path, text)
    return path


def _holds(path: Path, text: str) -> bool:
    try:
        return files.read_text(path, len(text.encode())) == text
    except (OSError, UnicodeDecodeError):
        return False
