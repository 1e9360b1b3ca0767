"""Which sources a kernel depends on: whatever has a say in it is hashed, and an edit compiles no more than it must."""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import cardtable
from cardtable.engine import sources
from cardtable.game.registry import find, game_ids
from tools.attack import toy

ROOT = Path(cardtable.__file__).resolve().parent.parent
GAMES = [find(game_id).package for game_id in game_ids()]

# ---- What an edit compiles anew, in a copy of the whole tree

GROUPS = """
import json
from cardtable import audit
from cardtable.engine.store import Store
from cardtable.game.registry import find, game_ids
from cardtable.players.roster import prepare_agents

asked = {}

def is_ready(store, group):
    asked[group.rpartition("-")[0]] = f"{store.name}/{group}"
    return True

Store.is_ready = is_ready
for game_id in game_ids():
    audit.prepare(find(game_id))
    prepare_agents(find(game_id))
print(json.dumps(asked))
"""
"""Prints where every group of kernels, of games and agents, is looked for. Nothing is compiled."""

AGENTS = ("heuristic", "network-search", "search")
OF_A_GAME = ("", "-audits", "-views")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of all packages."""
    folder = tmp_path_factory.mktemp("tree")
    for package in ("cardtable", *GAMES, "agents"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def groups(tree: Path) -> dict[str, str]:
    """Group of kernels -> where it is kept."""
    environment = toy.environment(tree, CARDTABLE_CACHE=str(tree / "none"))
    environment["PYTHONPATH"] += f"{os.pathsep}{tree / 'agents'}"
    command = [sys.executable, "-c", GROUPS]
    done = subprocess.run(command, env=environment, cwd=tree, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found: dict[str, str] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def unedited(tree: Path) -> dict[str, str]:
    return groups(tree)


def edit(path: Path) -> str:
    """Change a file, its size and time as they were; what it was."""
    text, stamp = path.read_text(), path.stat()
    old = next(letter for letter in "eaoi" if letter in text.split('"""')[1])
    head, rest = text.split('"""', 1)
    path.write_text(f'{head}"""{rest.replace(old, old.upper(), 1)}')
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    return text


def games(*names: str) -> set[str]:
    return {f"{name}_v0{group}" for name in names for group in OF_A_GAME}


def agents(*names: str) -> set[str]:
    return {f"{name}_v0-{agent}" for name in names for agent in AGENTS}


NAMES = tuple(game_id.rpartition("_v")[0] for game_id in game_ids())
EDITS = [
    ("muster_env/rules/refill.py", games("muster") | agents("muster")),
    *((f"{name}_env/components.py", games(name) | agents(name)) for name in NAMES),
    ("cardtable/engine/rng.py", games(*NAMES) | agents(*NAMES)),
    ("cardtable/game/actions.py", games(*NAMES) | agents(*NAMES)),
    ("agents/cardtable_agents/evaluations/murano/plans.py", agents(*NAMES)),
    ("muster_env/env.py", set()),
    ("murano_env/render.py", set()),
    ("artisans_env/choices.py", set()),
    ("cardtable/__init__.py", set()),
    ("cardtable/envs/aec.py", set()),
    ("cardtable/cli/main.py", set()),
    ("cardtable/players/roster.py", set()),
    ("cardtable/engine/store.py", set()),
]


def test_every_group_of_kernels_is_looked_at(unedited):
    assert set(unedited) == games(*NAMES) | agents(*NAMES)


@pytest.mark.parametrize(("name", "expected"), EDITS, ids=[name for name, _ in EDITS])
def test_an_edit_compiles_what_depends_on_it_and_nothing_else(tree, unedited, name, expected):
    before = edit(tree / name)
    try:
        after = groups(tree)
    finally:
        (tree / name).write_text(before)
    assert {group for group, place in after.items() if place != unedited[group]} == expected


# ---- The same with kernels that are compiled

GAME = """
import numpy as np
from cardtable.engine import dispatch
from cardtable.engine.jit import kernel
from cardtable.engine.kernels import Kernels
from {name}_env.cards import POINTS

RECORD = np.dtype([("{name}", np.int64)])

@kernel
def is_over(game):
    return game.{name} + POINTS[0]

@kernel
def other(game, *args):
    return 0

@kernel
def another(game, *args):
    return 1

dispatch.register(RECORD, Kernels(**dict.fromkeys(Kernels.__dataclass_fields__, other) | {{"is_over": is_over}}))
"""
BOTS = """
from cardtable.engine.dispatch import is_over
from cardtable.engine.jit import kernel

@kernel
def twice(games):
    return 2 * is_over(games[0])
"""
ABOUT_RED = """
from cardtable.engine.jit import kernel
from bots.about import CARD

@kernel
def card():
    return CARD
"""
PLAY = """
import numba.core.event as event, numpy as np
from cardtable.engine.cache import KernelCache
from cardtable.engine.loops import ending_of
from bots.both import twice
import bots.red, blue_env.rules, red_env.rules

class Count(event.Listener):
    def on_start(self, event):
        if isinstance(event.data["dispatcher"]._cache, KernelCache):
            compiled.add(event.data["dispatcher"].py_func.__module__.partition(".")[0])
            compiled.update(str(each).partition("Record(")[2].partition("[")[0] for each in event.data["args"])
    def on_end(self, event):
        pass

compiled = set()
event.register("numba:compile", Count())
for rules in (red_env.rules, blue_env.rules):
    games = np.zeros(1, rules.RECORD)
    print(ending_of(games), twice(games))
print(bots.red.card())
print(*sorted(compiled - {""}))
"""


@pytest.fixture
def two_games(tmp_path: Path) -> Path:
    """A copy of the shared package beside two toy games and a package of bots, all declared."""
    engine = toy.make_engine(tmp_path)
    points = ["[kernels]"]
    for package, files in {
        "red_env": {"rules": GAME.format(name="red"), "cards": "POINTS = (3, 4)"},
        "blue_env": {"rules": GAME.format(name="blue"), "cards": "POINTS = (5, 6)"},
        "bots": {"both": BOTS, "red": ABOUT_RED, "about": "from red_env import cards\n\nCARD = cards.POINTS[1]"},
    }.items():
        (engine / package).mkdir()
        for name, text in {"__init__": "", **files}.items():
            (engine / package / f"{name}.py").write_text(text)
        points.append(f"{package} = {package}.rules")
    entries = engine / "toy_game-1.0.dist-info" / "entry_points.txt"
    entries.write_text("\n".join(points).replace("[kernels]", "[cardtable.kernels]"))
    return engine


def play(engine: Path) -> tuple[list[str], set[str]]:
    """What the games print, and whose kernels were compiled: packages, and the games of records that others' were for."""
    done = toy.run(PLAY, engine, CARDTABLE_CACHE=str(engine / "cache"))
    assert done.returncode == 0, done.stderr
    *printed, compiled = done.stdout.split("\n")[:-1]
    return printed, set(compiled.split())


def replace(path: Path, old: str, new: str) -> None:
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_an_edited_game_alone_is_compiled_anew(two_games):
    assert play(two_games) == (["3 6", "5 10", "4"], {"cardtable", "red_env", "blue_env", "bots", "red", "blue"})
    assert play(two_games)[1] == set()
    replace(two_games / "blue_env" / "cards.py", "5", "7")
    assert play(two_games) == (["3 6", "7 14", "4"], {"cardtable", "blue_env", "bots", "blue"})
    replace(two_games / "red_env" / "cards.py", "(3, 4)", "(3, 8)")  # read by a kernel of `bots` that takes no record
    assert play(two_games) == (["3 6", "7 14", "8"], {"cardtable", "red_env", "bots", "red"})
    replace(two_games / "bots" / "both.py", "2 *", "3 *")
    assert play(two_games) == (["3 9", "7 21", "8"], {"bots", "red", "blue"})
    assert play(two_games)[1] == set()


def test_which_kernels_a_game_registers_counts_even_if_no_file_that_is_hashed_says_so(two_games):
    rules = two_games / "red_env" / "rules.py"
    lines = rules.read_text().strip().split("\n")
    rules.write_text("\n".join(lines[:-1]))
    env = two_games / "red_env" / "env.py"
    imports = (
        "from cardtable.engine import dispatch\nfrom cardtable.engine.kernels import Kernels\nfrom red_env.rules import *\n"
    )
    env.write_text(f"{imports}\n{lines[-1]}\n")
    replace(two_games / "bots" / "__init__.py", "", "import red_env.env\n")
    before = play(two_games)[0]
    replace(env, '"is_over": is_over', '"is_over": another')
    after = play(two_games)[0]
    assert (before, after) == (["3 6", "5 10", "4"], ["1 2", "5 10", "4"])


def test_a_file_with_a_kernel_in_it_counts_whatever_it_is_called(two_games):
    """A game may be a single file."""
    (two_games / "red_env" / "env.py").write_text((two_games / "red_env" / "rules.py").read_text())
    (two_games / "red_env" / "rules.py").write_text("from red_env.env import RECORD\n")
    play(two_games)
    replace(two_games / "red_env" / "env.py", "+ POINTS[0]", "+ POINTS[1]")
    assert play(two_games)[0] == ["4 8", "5 10", "4"]


# ---- No kernel depends on a file that is not hashed

DECORATORS = {"kernel", "float_kernel", "helper", "float_helper", "wrapping_kernel", "overload", "intrinsic"}
COMPILER = "cardtable.engine.jit"
"""Decorates kernels, and keeps what is compiled: what it calls for that has no say in it."""

Name = tuple[str, str]
"""A module, and a name in it."""


def module_name(name: str) -> str:
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


PACKAGES = sorted(sources.declared_packages())
FILES = {module_name(name): (name, path) for package in PACKAGES for name, path in sources.source_files(package)}


@cache
def statements(module: str) -> list[ast.stmt]:
    """The statements of a module that are run when it is imported, one by one."""
    found, waiting = [], list(ast.parse(FILES[module][1].read_bytes()).body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If | ast.With | ast.Try):
            waiting += [each for each in ast.iter_child_nodes(node) if isinstance(each, ast.stmt)]
        else:
            found.append(node)
    return found


@cache
def bindings(module: str) -> dict[str, list[ast.stmt]]:
    """Name -> the statements of a module that make or change it."""
    found: dict[str, list[ast.stmt]] = {}
    for node in statements(module):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = {node.name}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = {(each.asname or each.name).partition(".")[0] for each in node.names}
        else:
            names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}  # called or assigned to: it may change
        for name in names:
            found.setdefault(name, []).append(node)
    return found


def without_annotations(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below one, but for annotations, which numba does not look at."""
    yield node
    for name, value in ast.iter_fields(node):
        if name not in ("annotation", "returns"):
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, ast.AST):
                    yield from without_annotations(each)


def depends_on(name: Name) -> set[Name]:
    """The names, of any module of ours, that the value of a name is directly made from."""
    module, found = name[0], set[Name]()
    for node in bindings(module).get(name[1], []):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {(node.module, each.name) for each in node.names if name[1] == (each.asname or each.name)}
        for each in without_annotations(node):
            if isinstance(each, ast.Name):
                found.add((module, each.id))
            elif isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name):
                found |= {(alias, each.attr) for alias in modules_called(module, each.value.id)}
            elif isinstance(each, ast.ImportFrom) and each.module and isinstance(node, ast.FunctionDef):
                found |= {(each.module, imported.name) for imported in each.names}
    return {each for each in found if each[0] in FILES}


def modules_called(module: str, name: str) -> set[str]:
    """The module of ours that a name stands for, if it does."""
    found = set()
    for node in bindings(module).get(name, []):
        if isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{each.name}" for each in node.names if (each.asname or each.name) == name}
    return found & set(FILES)


def kernels(module: str) -> set[Name]:
    """The functions of a module that are compiled, or that numba asks what to compile."""
    found = set()
    for node in statements(module):
        if isinstance(node, ast.FunctionDef):
            names = {each.id for decorator in node.decorator_list for each in ast.walk(decorator) if isinstance(each, ast.Name)}
            found |= {(module, node.name)} if names & DECORATORS else set()
    return found


@cache
def reached() -> dict[Name, Name | None]:
    """Every name that compiled code is made from -> one that is made from it."""
    found: dict[Name, Name | None] = {}
    waiting: list[tuple[Name, Name | None]] = [(name, None) for module in FILES for name in kernels(module)]
    while waiting:
        name, user = waiting.pop()
        if name not in found:
            found[name] = user
            if not (name[0] == COMPILER and name[1] in DECORATORS):
                waiting += [(each, name) for each in depends_on(name)]
    return found


def chain(name: Name) -> list[Name]:
    """A name, and what is made from it, up to a kernel."""
    user = reached()[name]
    return [name, *(chain(user) if user else [])]


def counts(module: str) -> bool:
    name, path = FILES[module]
    return sources.is_compiled(name, path.read_bytes())


def test_no_kernel_depends_on_a_file_that_is_not_hashed():
    assert len(reached()) > 1000
    assert {name[0]: chain(name) for name in reached() if not counts(name[0])} == {}


def test_the_search_for_what_kernels_depend_on_finds_it():
    """Constants of constants, tables made by functions, modules by their names."""
    assert {
        ("muster_env.constants", "STRENGTHS"),
        ("muster_env.components", "CARDS"),
        ("cardtable.game.actions", "ActionSpace"),
        ("cardtable.engine.rng", "stream"),
        ("murano_env.constants", "COPIES_OF_TRANSPARENT"),
    } <= set(reached())


def test_files_without_a_say_are_there_and_hold_no_kernel():
    names = {name for name, _ in FILES.values()}
    for pattern in sources.NOT_COMPILED:
        assert any(Path(name).match(pattern) for name in names), pattern
    uncounted = {name for module, (name, _) in FILES.items() if not counts(module)}
    assert {f"{game}/env.py" for game in GAMES} < uncounted
    assert {"cardtable/envs/aec.py", "cardtable/cli/main.py", "cardtable/players/roster.py"} < uncounted


def test_every_package_with_kernels_is_declared():
    assert {"cardtable", "cardtable_agents", *GAMES} <= sources.declared_packages()
