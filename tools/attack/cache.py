"""Damage to the cache of compiled kernels: a program must go on, with the same result, whatever is in its cache."""

import os
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cardtable.engine.cache import store_of
from cardtable.engine.homes import OWN
from cardtable.engine.origins import origin_of_group
from cardtable.engine.store import KERNEL
from cardtable.game.registry import find
from tools.attack import toy
from tools.attack.tally import Tally

AT_ONCE = 2
"""How many programs run at a time."""

MARKS_DAMAGED = 0.1
"""In which share of the cases it is not a kernel that is damaged."""

PLAY_MUSTER = """
from muster_env import muster_v0
env = muster_v0.raw_env()
env.reset(seed=7)
for number in range(12):
    legal = env.last()[0]["action_mask"].nonzero()[0]
    env.step(int(legal[number % len(legal)]))
print(env.legal_actions(), env.last()[0]["observation"].tolist())
"""

LIST_WHAT_IS_READ = """
from cardtable.engine.store import Store
read = Store.read
names = []
Store.read = lambda self, kernel: names.append(self.name + "/" + kernel) or read(self, kernel)
{program}
print(*sorted(set(names)))
"""


# ---- Kinds of damage


def cut(path: Path, dice: random.Random) -> None:
    """Leave the beginning."""
    content = path.read_bytes()
    path.write_bytes(content[: dice.randrange(len(content) or 1)])


def empty(path: Path, dice: random.Random) -> None:
    """Leave nothing."""
    path.write_bytes(b"")


def flip(path: Path, dice: random.Random) -> None:
    """Change some bits."""
    content = bytearray(path.read_bytes())
    for _ in range(dice.randint(1, 8) if content else 0):
        content[dice.randrange(len(content))] ^= 1 << dice.randrange(8)
    path.write_bytes(content)


def overwrite(path: Path, dice: random.Random) -> None:
    """Put noise in place of all, or of all but the beginning."""
    content = path.read_bytes()
    start = dice.choice((0, len(content) // 2, min(len(content), 100)))
    path.write_bytes(content[:start] + dice.randbytes(len(content) - start))


def lengthen(path: Path, dice: random.Random) -> None:
    """Add noise."""
    path.write_bytes(path.read_bytes() + dice.randbytes(dice.randint(1, 1000)))


def exchange(path: Path, dice: random.Random) -> None:
    """Put another file of the cache in its place."""
    path.write_bytes(dice.choice(sorted(path.parent.glob(f"*{KERNEL}"))).read_bytes())


def remove(path: Path, dice: random.Random) -> None:
    """Leave no file."""
    path.unlink()


def make_folder(path: Path, dice: random.Random) -> None:
    """A folder in its place, with something in it or not."""
    path.unlink()
    path.mkdir()
    if dice.random() < 0.5:
        (path / "something").write_text("else")


def make_link(path: Path, dice: random.Random) -> None:
    """A link in its place: to an endless file, to nothing, to itself, to a folder, to another kernel."""
    other = dice.choice(sorted(path.parent.glob(f"*{KERNEL}")))
    path.unlink()
    path.symlink_to(dice.choice(("/dev/zero", "nowhere", path.name, ".", other.name)))


def make_pipe(path: Path, dice: random.Random) -> None:
    """A pipe in its place, into which nobody writes."""
    path.unlink()
    os.mkfifo(path)


def forbid(path: Path, dice: random.Random) -> None:
    """Nobody but root may read it, or everybody may write it."""
    path.chmod(dice.choice((0o000, 0o666)))


DAMAGES: tuple[Callable[[Path, random.Random], None], ...] = (
    cut,
    empty,
    flip,
    overwrite,
    lengthen,
    exchange,
    remove,
    make_folder,
    make_link,
    make_pipe,
    forbid,
)


# ---- The programs whose cache is damaged


@dataclass(frozen=True)
class Target:
    """A program with a cache in which all that it needs is compiled."""

    program: str
    path: Path
    """What it imports from."""
    cache: Path
    """What `CARDTABLE_CACHE` is a copy of."""
    kernels: list[str]
    """Files of stores that the program reads."""
    marks: list[str]
    """Files of stores that say what is in them."""
    result: str
    """What it prints."""


def make_target(program: str, path: Path, folder: Path) -> Target:
    """A program whose kernels are all in a cache already."""
    listed = toy.run(LIST_WHAT_IS_READ.format(program=program), path, CARDTABLE_CACHE=str(folder))
    if listed.returncode:
        raise RuntimeError(f"the program does not work even with a whole cache:\n{listed.stderr}")
    *printed, names = listed.stdout.splitlines(keepends=True)
    files = sorted(each for each in (folder / OWN).glob("*/*") if not each.name.endswith(KERNEL))
    marks = [each.relative_to(folder / OWN).as_posix() for each in files]
    return Target(program, path, folder, names.split(), marks, "".join(printed))


def toy_target(folder: Path) -> Target:
    """The toy game."""
    (folder / "engine").mkdir(parents=True)
    engine = toy.make_engine(folder / "engine")
    toy.run(toy.PLAY, engine, CARDTABLE_CACHE=str(folder / "cache"))
    return make_target(toy.PLAY, engine, folder / "cache")


def muster_target(folder: Path) -> Target:
    """A few moves of Muster, with a copy of what this process has compiled of it."""
    game = find("muster")
    game.prepare()
    home = folder / "cache" / OWN
    home.mkdir(parents=True)
    home.chmod(0o700)
    for record in (game.state.dtype, None):
        source = store_of(origin_of_group("cardtable", record)).folders()[0]
        shutil.copytree(source, home / source.name)
    return make_target(PLAY_MUSTER, toy.ROOT, folder / "cache")


# ---- The attack


def damaged_cache(cases: int, seed: int) -> Tally:
    """Damage a file in the cache of Muster, in every fourth case of a toy game; the program must print what it always does."""
    with tempfile.TemporaryDirectory() as folder:
        muster, small = muster_target(Path(folder) / "muster"), toy_target(Path(folder) / "toy")
        return attack_targets([muster, muster, muster, small], cases, seed)


def attack_targets(targets: list[Target], cases: int, seed: int) -> Tally:
    """Try the cases on the targets in turn."""
    tally = Tally("kernel cache, damaged")
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for outcome, failed in pool.map(lambda case: _try(targets[case % len(targets)], case, seed), range(cases)):
            (tally.fail if failed else tally.count)(outcome)
    return tally


def _try(target: Target, case: int, seed: int) -> tuple[str, bool]:
    """One damage, one run: how it ended, and whether that is a failure."""
    dice = random.Random(f"{seed} {case}")
    damage = DAMAGES[case % len(DAMAGES)]
    victim = dice.choice(target.marks if dice.random() < MARKS_DAMAGED else target.kernels)
    with _copy(target) as copied:
        path = copied / OWN / victim
        content = path.read_bytes()
        path.unlink()
        path.write_bytes(content)  # the copy shares its files with the original
        damage(path, dice)
        done = toy.run(target.program, target.path, CARDTABLE_CACHE=str(copied))
    if done.returncode or done.stdout != target.result or "Traceback" in done.stderr:
        error = done.stderr.strip().splitlines()[-1:]
        return f"seed {seed}, case {case}: {damage.__name__} {victim}: exit {done.returncode}, {done.stdout!r}, {error}", True
    if "is damaged" in done.stderr:
        return "refused and compiled again", False
    return ("compiled again" if "compiling" in done.stderr else "harmless"), False


@contextmanager
def _copy(target: Target) -> Iterator[Path]:
    """A copy of a cache, whose files are the same ones as long as nobody writes into them."""
    with tempfile.TemporaryDirectory(dir=target.cache.parent) as folder:
        copied = Path(folder) / "cache"
        shutil.copytree(target.cache, copied, copy_function=os.link)
        yield copied
