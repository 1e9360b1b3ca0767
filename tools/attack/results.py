"""Attacks on the results of an arena: damaged files, and kills."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from cardtable_agents.arena import results, standings, tournament
from cardtable_agents.arena.plan import Plan, make_plan

from cardtable.errors import AgentError
from cardtable.players import keys
from tools.attack.tally import Tally

GAME = "muster"
MOST_WORDS = 1000
"""Characters of a message."""

Content = list[bytes]
"""The lines of a file."""
FILES = (results.RESULTS, results.TIMES)


# ---- Damaged files


def damaged_results(cases: int, seed: int) -> Tally:
    """One damage to a real file of results or of times: refused in a line, or harmless; never another table."""
    tally, generator = Tally("arena results, damaged"), random.Random(seed)
    plan = make_plan(GAME, {"max_turns": 20}, ["random", "random", "random"], seed=3)
    with TemporaryDirectory() as name:
        folder = Path(name)
        played = tournament.run(plan, 10, folder / "whole")
        tournament.run(plan, 10, folder / "other")
        for case in range(cases):
            damaged = generator.choice(FILES)
            whole, other = (_lines(folder / each, damaged) for each in ("whole", "other"))
            content = b"".join(whole)
            while content == b"".join(whole):
                damage = generator.choice(DAMAGES)
                content = damage(generator, list(whole), other)
            shutil.rmtree(folder / "damaged", ignore_errors=True)
            shutil.copytree(folder / "whole", folder / "damaged")
            (folder / "damaged" / damaged).write_bytes(content)
            _judge(tally, plan, folder / "damaged", played, f"case {case} of seed {seed} ({damage.__name__}, {damaged})")
    return tally


def _lines(folder: Path, name: str = results.RESULTS) -> Content:
    return (folder / name).read_bytes().splitlines(keepends=True)


def _contents(folder: Path) -> list[bytes]:
    return [(folder / name).read_bytes() for name in FILES]


def _judge(tally: Tally, plan: Plan, folder: Path, played: list[results.Line], case: str) -> None:
    """Report and go on with a folder in which a file is damaged; count how that ended."""
    before = _contents(folder)
    try:
        reported = _reported(folder / results.RESULTS, plan)
        wrong = [game for game in reported or [] if not _is_among(game, played)]
        if wrong:
            tally.fail(f"{case}: reported a game that was never played: {wrong[0]}")
            return
        if _contents(folder) != before:
            tally.fail(f"{case}: a file was changed by who reports")
            return
        outcome = _gone_on(folder, plan, refused=reported is None)
    except Exception as error:  # whatever it is, it is what the user would see
        tally.fail(f"{case}: {type(error).__name__}: {error}")
        return
    if reported is None and _contents(folder) != before:
        tally.fail(f"{case}: a file that was refused has been changed")
    elif outcome.startswith("wrong"):
        tally.fail(f"{case}: {outcome}")
    else:
        tally.count(outcome)


def _reported(path: Path, plan: Plan) -> list[results.Line] | None:
    """The games that a table is made of; None if the file is refused in a line."""
    try:
        games = results.read_results(path, plan).games
    except AgentError as error:
        _require_a_line(str(error))
        return None
    standings.table(standings.standings(plan.labels, games))
    return games


def _is_among(game: results.Line, played: list[results.Line]) -> bool:
    """Whether this is one of the games that were played; its time may be lost."""
    return game in played or any(game | {results.SECONDS: each[results.SECONDS]} == each for each in played)


def _gone_on(folder: Path, plan: Plan, *, refused: bool) -> str:
    """How it ends when the same command is given again."""
    try:
        tournament.run(plan, 10, folder)
    except AgentError as error:
        _require_a_line(str(error))
        return "refused" if refused else f"wrong: reported, then refused: {error}"
    if refused:
        return "wrong: refused, then continued"
    same = _lines(folder) == _lines(folder.with_name("whole"))
    return "harmless" if same else "wrong: other games than without the damage"


def _require_a_line(message: str) -> None:
    if "\n" in message or len(message) > MOST_WORDS:
        raise RuntimeError(f"a message of {len(message)} characters: {message[:200]}")


def flip_bytes(generator: random.Random, lines: Content, other: Content) -> bytes:
    """Some bytes become others."""
    data = bytearray(b"".join(lines))
    for _ in range(generator.randint(1, 8)):
        data[generator.randrange(len(data))] ^= generator.randint(1, 255)
    return bytes(data)


def flip_a_bit(generator: random.Random, lines: Content, other: Content) -> bytes:
    """One bit turns."""
    data = bytearray(b"".join(lines))
    data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
    return bytes(data)


def change_a_digit(generator: random.Random, lines: Content, other: Content) -> bytes:
    """A digit becomes another."""
    data = bytearray(b"".join(lines))
    places = [place for place, byte in enumerate(data) if chr(byte).isdigit()]
    data[generator.choice(places)] = ord(generator.choice("0123456789"))
    return bytes(data)


def delete_lines(generator: random.Random, lines: Content, other: Content) -> bytes:
    """Some lines are missing."""
    for _ in range(generator.randint(1, 3)):
        del lines[generator.randrange(len(lines))]
    return b"".join(lines)


def repeat_a_line(generator: random.Random, lines: Content, other: Content) -> bytes:
    """A line is there twice."""
    lines.insert(generator.randint(1, len(lines)), generator.choice(lines))
    return b"".join(lines)


def swap_lines(generator: random.Random, lines: Content, other: Content) -> bytes:
    """Two lines change places."""
    one, two = generator.sample(range(len(lines)), 2)
    lines[one], lines[two] = lines[two], lines[one]
    return b"".join(lines)


def cut_off(generator: random.Random, lines: Content, other: Content) -> bytes:
    """The end is missing."""
    data = b"".join(lines)
    return data[: generator.randrange(len(data))]


def cut_out(generator: random.Random, lines: Content, other: Content) -> bytes:
    """A part in the middle is missing."""
    data = b"".join(lines)
    start = generator.randrange(len(data))
    return data[:start] + data[start + generator.randint(1, 600) :]


def splice(generator: random.Random, lines: Content, other: Content) -> bytes:
    """The header, a line, or all games from one line on are those of another arena."""
    place = generator.randrange(len(lines))
    end = generator.choice([place + 1, len(lines)]) if place else 1
    lines[place:end] = other[place:end]
    return b"".join(lines)


def add_garbage(generator: random.Random, lines: Content, other: Content) -> bytes:
    """Something is added, at the end or in the middle."""
    data = b"".join(lines)
    garbage = generator.choice([generator.randbytes(generator.randint(1, 400)), b"\n", b"{}\n", b"null\n", b"\0" * 512, b"NaN"])
    place = generator.choice([len(data), generator.randrange(len(data))])
    return data[:place] + garbage + data[place:]


DAMAGES: list[Callable[[random.Random, Content, Content], bytes]] = [
    *(flip_bytes, flip_a_bit, change_a_digit, delete_lines, repeat_a_line, swap_lines),
    *(cut_off, cut_out, splice, add_garbage),
]


# ---- Kills

ENOUGH = 60.0
"""Seconds after which workers that are still there stay for good."""
MOST_KILLS = 3
"""So often an arena is killed before it may come to its end."""


def killed_arenas(cases: int, seed: int) -> Tally:
    """The arena is killed at random moments and started again until it is done: its games are those of one left alone."""
    tally, generator = Tally("arena, killed and continued"), random.Random(seed)
    with TemporaryDirectory() as name:
        folder, salt = Path(name), keys.open_salt(f"attack {seed}")
        _wait_for(_start(folder / "alone", salt))  # kernels may have to be compiled first
        shutil.rmtree(folder / "alone")
        start = time.monotonic()
        _wait_for(_start(folder / "alone", salt))
        seconds = time.monotonic() - start
        alone = _lines(folder / "alone")
        for case in range(cases):
            failure = _kill_and_go_on(folder / f"{case}", salt, alone, generator, seconds)
            if failure:
                tally.fail(f"case {case} of seed {seed}: {failure}")
            else:
                tally.count("resumed, equal to the byte")
    return tally


def _start(folder: Path, salt: str) -> "subprocess.Popen[Any]":
    command = ["arena", GAME, "random", "heuristic", "--games", "2000", "--workers", "2", "--salt", salt, "--out", str(folder)]
    return subprocess.Popen(
        [sys.executable, "-m", "cardtable", *command],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def _wait_for(process: "subprocess.Popen[Any]") -> None:
    said = process.communicate()[1]
    if process.returncode:
        raise RuntimeError(f"the arena ended with {process.returncode}: {said.decode(errors='replace')[-500:]}")


def _kill_and_go_on(folder: Path, salt: str, alone: Content, generator: random.Random, seconds: float) -> str:
    """What went wrong, or nothing."""
    for _ in range(generator.randint(1, MOST_KILLS)):
        failure = _killed(_start(folder, salt), generator.uniform(0, seconds))
        if failure:
            return failure
        before = _lines(folder) if (folder / results.RESULTS).exists() else []
    try:
        _wait_for(_start(folder, salt))
    except RuntimeError as error:
        return str(error)
    after = _lines(folder)
    lost = [line for line in before if line.endswith(b"\n") and line not in after]
    if lost:
        return f"{len(lost)} lines that had been written are lost"
    return "" if after == alone else "the file is not that of an arena left alone"


def _killed(process: "subprocess.Popen[Any]", after: float) -> str:
    """Kill a process, not its workers, after some seconds; what is wrong if they outlive it."""
    with suppress(subprocess.TimeoutExpired):
        process.wait(after)
    process.kill()
    process.wait()
    assert process.stderr is not None
    process.stderr.close()
    deadline = time.monotonic() + ENOUGH
    while _is_alive(process.pid):
        if time.monotonic() > deadline:
            os.killpg(process.pid, signal.SIGKILL)
            return f"killed after {after:.2f} s, its workers stayed"
        time.sleep(0.02)
    return ""


def _is_alive(group: int) -> bool:
    """Whether there is a process left in a group."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True
