"""Attacks on replays: files damaged by accident or by hand, and processes killed while they save."""

import copy
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from cardtable.game.game import Game
from cardtable.game.registry import find, game_ids
from cardtable.replay import Replay
from cardtable.table import Table
from tools.attack.damage import ACCIDENTS, count_attempt, hostile_values
from tools.attack.tally import Tally

# ---- Damaged files


def damaged_replays(cases: int, seed: int) -> Tally:
    """Damage a replay in each case: it must be refused in words, or be the same game."""
    tally, chance = Tally("replay, damaged"), Random(seed)
    originals = [recorded(find(game_id), kind, chance) for game_id in game_ids() for kind in KINDS]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.json"
        for case in range(cases):
            original = chance.choice(originals)
            content, how = damaged(original.to_json(), chance)
            path.write_bytes(content)
            try_replay(tally, path, original, f"case {case} of seed {seed}: {how}")
    return tally


def damaged(text: str, chance: Random) -> tuple[bytes, str]:
    """A replay with one damage, and what that is called."""
    if chance.random() < 0.5:
        accident = chance.choice(ACCIDENTS)
        return accident(text.encode(), chance), accident.__name__
    edit, data = chance.choice(EDITS), json.loads(text)
    edit(data, chance)
    return json.dumps(data).encode(), edit.__name__


def try_replay(tally: Tally, path: Path, original: Replay, case: str) -> None:
    """Load and verify a damaged replay, and count how that ends."""
    count_attempt(tally, case, lambda: Replay.of(Replay.load(path).verify()) == original)


KINDS = ("whole", "half", "from a state", "with an edition")


def recorded(game: Game, kind: str, chance: Random) -> Replay:
    """A random game: from its deal or from its middle, to its end or not."""
    editions = [variant["edition"] for variant in game.variants if "edition" in variant]
    table = Table(game, game.parse_options({"edition": editions[0]} if kind == "with an edition" and editions else {}))
    table.deal(chance.getrandbits(32))
    play_on(table, chance, 30 if kind in ("half", "from a state") else 10_000)
    if kind == "from a state":
        table.load_state_dict(table.state_dict())
        play_on(table, chance, 30)
    return Replay.of(table)


def play_on(table: Table, chance: Random, moves: int) -> None:
    """Play random moves, to the end of the game at most."""
    while not table.ending and moves:
        table.play(chance.choice(np.flatnonzero(table.mask).tolist()))
        moves -= 1


def swap_moves(data: dict[str, Any], chance: Random) -> None:
    """Two neighbours change places."""
    place = chance.randrange(len(data["moves"]) - 1)
    data["moves"][place : place + 2] = reversed(data["moves"][place : place + 2])


def drop_moves(data: dict[str, Any], chance: Random) -> None:
    """One or some moves are gone, often the last ones."""
    place = chance.randrange(len(data["moves"])) if chance.random() < 0.5 else len(data["moves"]) - 1
    del data["moves"][place : place + chance.randint(1, 3)]
    if chance.random() < 0.5:
        data["result"] = None


def repeat_move(data: dict[str, Any], chance: Random) -> None:
    """A move twice."""
    place = chance.randrange(len(data["moves"]))
    data["moves"].insert(place, copy.deepcopy(data["moves"][place]))


def change_action(data: dict[str, Any], chance: Random) -> None:
    """Another action of the game."""
    chance.choice(data["moves"])["action"] = chance.choice(find(data["game"]).actions.names)


def take_twin(data: dict[str, Any], chance: Random) -> None:
    """Another action that leads to the very same position, if there is one in the game."""
    game, names = find(data["game"]), [move["action"] for move in data["moves"]]
    table = Replay.play(game, data["options"], data["start"], []).verify()
    twins = []
    for step, name in enumerate(names):
        before, played = table.state_bytes(), game.actions.id_of(name)
        legal = [action for action in np.flatnonzero(table.mask).tolist() if action != played]
        table.play(played)
        if chance.random() < 0.2:
            after = table.state_hash()
            twins += [(step, action) for action in legal if _leads_to(after, before, action, table)]
    if twins:
        step, action = chance.choice(twins)
        data["moves"][step]["action"] = game.actions.names[action]
    else:
        change_action(data, chance)


def _leads_to(after: str, before: bytes, action: int, table: Table) -> bool:
    other = Table(table.game, table.options)
    other.load_state_bytes(before)
    other.play(action)
    return other.state_hash() == after


def change_start(data: dict[str, Any], chance: Random) -> None:
    """Another deal, or another value in the state that the game goes on from."""
    start = data["start"].get("state", data["start"])
    name = chance.choice([name for name, value in start.items() if type(value) is int])
    start[name] += chance.choice((-1, 1))


def change_option(data: dict[str, Any], chance: Random) -> None:
    """Another value of an option."""
    name = chance.choice(list(data["options"]))
    value = data["options"][name]
    data["options"][name] = not value if isinstance(value, bool) else value + 1 if isinstance(value, int) else "random"


def rename_card(data: dict[str, Any], chance: Random) -> None:
    """Another name of a card in the edition, or another version of the library, which no game depends on."""
    edition = data["options"].get("edition")
    if not isinstance(edition, dict):
        data["cardtable"] = "0.0.0"
        return
    chance.choice(edition.get("object") or edition["creations"])["name"] = "Another name"


def put_nonsense(data: dict[str, Any], chance: Random) -> None:
    """Something that is nowhere right, anywhere but in the version of the library."""
    places: list[tuple[Any, Any]] = [(data, key) for key in data if key != "cardtable"]
    move = chance.choice(data["moves"])
    for inside in (data["start"], data["options"], data["result"] or {}, move, move, move):
        places += [(inside, key) for key in inside]
    holder, key = chance.choice(places)
    holder[key] = chance.choice(hostile_values())


EDITS: tuple[Callable[[dict[str, Any], Random], None], ...] = (
    swap_moves,
    drop_moves,
    repeat_move,
    change_action,
    take_twin,
    change_start,
    change_option,
    rename_card,
    put_nonsense,
)


# ---- Killed while saving


def killed_saves(cases: int, seed: int) -> Tally:
    """Kill a process that saves games over an earlier one: the file must be one of them, whole, every time."""
    return in_new_process("tools.attack.replays", "kill_saves", cases, seed)


def in_new_process(module: str, function: str, cases: int, seed: int) -> Tally:
    """The tally of a function that forks, called in a process without threads."""
    program = f"import json; from {module} import {function} as attack; tally = attack({cases}, {seed});"
    program += "print(json.dumps([tally.attack, tally.outcomes, tally.failures]))"
    done = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=True)
    name, outcomes, failures = json.loads(done.stdout.splitlines()[-1])
    tally = Tally(name, failures=failures)
    tally.outcomes.update(outcomes)
    return tally


def kill_saves(cases: int, seed: int) -> Tally:
    """The attack itself: half of the cases save replays, half play games that are saved."""
    tally, chance = Tally("game being saved, killed"), Random(seed)
    game = find("muster")
    replays = [recorded(game, kind, chance) for kind in ("whole", "half")]
    texts = {replay.to_json() for replay in replays}
    with tempfile.TemporaryDirectory() as name:
        for case in range(cases):
            folder = Path(name) / str(case)
            folder.mkdir()
            path = folder / "game.json"
            replays[0].save(path)
            work, longest = (_save_games, 0.05) if case % 2 else (_play_games, 1.0)
            kill_after(chance.random() * longest, work, path, replays)
            try:
                whole = path.read_text() in texts if case % 2 else Replay.load(path).verify() is not None
            except Exception as error:
                tally.fail(f"case {case} of seed {seed}: {type(error).__name__}: {error}")
                continue
            if whole:
                tally.count("old or new game, whole")
            else:
                tally.fail(f"case {case} of seed {seed}: neither the old game nor the new one")
    return tally


def kill_after(seconds: float, work: Callable[..., object], *arguments: Any) -> None:
    """Do some work in a fork of this process, and kill it after some time."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, b"!")  # from now on it counts
            work(*arguments)
        finally:
            os._exit(1)
    os.read(reading, 1)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(reading)
    os.close(writing)


def _save_games(path: Path, replays: list[Replay]) -> None:
    while True:
        for replay in replays:
            replay.save(path)


def _play_games(path: Path, _: list[Replay]) -> None:
    """`cardtable play`, fed by standard input, one game after another."""
    import io

    from cardtable.cli.main import main

    sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # until this process is killed
    for moves in range(1, 1000):
        sys.stdin = io.StringIO("1\n" * moves + "q\n")
        main(["play", "muster", "--against", "random", "--seed", str(moves), "--save", str(path), "--overwrite"])
