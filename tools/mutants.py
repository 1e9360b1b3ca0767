"""How strong the tests are: small errors are put into the rules, one at a time, and a test has to fail.

    python -m tools.mutants --number 70 --game muster

Everything runs as plain Python, so that no mutant is compiled. First it is seen which lines of the rules each test runs;
then a mutant is shown to the tests that run its line, quick ones first, and if they pass, to the reference. A mutant that
runs into the time limit is killed too: it hangs.
"""

import argparse
import ast
import copy
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from coverage import Coverage

ROOT = Path(__file__).resolve().parent.parent
GAMES = ("artisans", "murano", "muster")
SLOWEST_TEST = 1
"""Seconds of work after which a test is given up when the tests are measured: mutants see it last."""
PATIENCE = 90
"""Seconds that the tests of one mutant may take."""
SLOW_PATIENCE = 600
"""Seconds that slow tests may take, where nothing else has found the mutant."""
DECISIONS = 500
"""Compared with the reference where the tests have passed."""


def chapters(game: str, tree: Path = ROOT) -> list[Path]:
    """The files that hold the rules of a game: a module for each chapter that is played, the end, what is hidden."""
    package = tree / f"{game}_env"
    played = [path for path in sorted((package / "rules").glob("*.py")) if path.name != "__init__.py"]
    return [*played, package / "scoring.py", package / "information.py"]


def name_of(path: Path) -> str:
    """A file by its place in the tree: `muster_env/rules/banners.py`."""
    parts = path.parts
    package = next(number for number, part in enumerate(parts) if part in {f"{game}_env" for game in GAMES})
    return "/".join(parts[package:])


# ---- Mutants

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
}
OPERATORS = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}


@dataclass(frozen=True)
class Mutant:
    """One small error: where it is, what it reads now, and the whole source with it."""

    file: str
    function: str
    line: int
    was: str
    reads: str
    source: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.function}: {self.was!r} -> {self.reads!r}"


def changed(node: ast.AST, enums: dict[str, list[str]]) -> Iterator[ast.AST]:
    """The node with one small error, in every way there is."""
    twin: Any = copy.deepcopy(node)
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in COMPARISONS:
            twin.ops = [COMPARISONS[type(operator)]()]
            yield twin
        case ast.BinOp(op=operator) | ast.AugAssign(op=operator) if type(operator) in OPERATORS:
            twin.op = OPERATORS[type(operator)]()
            yield twin
        case ast.BoolOp():
            twin.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield twin
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield operand
        case ast.Constant(value=bool(value)):
            yield ast.Constant(not value)
        case ast.Constant(value=int(value)):
            yield ast.Constant(value + 1)
            yield ast.Constant(value - 1)
        case ast.Name(id=name) if name.isupper() and name != "AT" and isinstance(node.ctx, ast.Load):
            yield ast.BinOp(ast.Name(name, ast.Load()), ast.Add(), ast.Constant(1))
        case ast.Attribute(value=ast.Name(id=enum), attr=member) if enum in enums:
            members = enums[enum]
            if len(members) > 1:
                twin.attr = members[(members.index(member) + 1) % len(members)]
                yield twin
    dropped = isinstance(node, ast.AugAssign | ast.Assign) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call))
    if dropped and not (isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)):
        yield ast.Pass()


def enums_in(tree: ast.Module) -> dict[str, list[str]]:
    """The members that a file mentions of every enum, such as `Phase.TURN`."""
    found: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr.isupper():
            members = found.setdefault(node.value.id, [])
            if node.attr not in members:
                members.append(node.attr)
    return found


def places(node: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    """Every place inside a function where a node stands: (parent, field, number in a list or None); no annotations."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "args", "keywords") and not isinstance(node, ast.Call):
            continue
        for number, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST):
                yield node, name, number
                yield from places(child)


def put(parent: ast.AST, name: str, number: int | None, child: ast.AST) -> ast.AST:
    """Put a node into its place; what was there."""
    value: Any = getattr(parent, name)
    if number is None:
        setattr(parent, name, child)
        return value
    value[number], before = child, value[number]
    return before


@cache
def mutants_of(path: Path) -> list[Mutant]:
    """Every mutant of the functions in a file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    enums, found = enums_in(tree), []
    for function in [node for node in tree.body if isinstance(node, ast.FunctionDef)]:
        line = function.lineno
        for parent, name, number in list(places(function)):
            node: Any = getattr(parent, name) if number is None else getattr(parent, name)[number]
            line = node.lineno if isinstance(node, ast.stmt) else line
            for error in changed(node, enums):
                put(parent, name, number, error)
                ast.fix_missing_locations(tree)
                source = ast.unparse(tree)
                put(parent, name, number, node)
                found.append(Mutant(name_of(path), function.name, line, ast.unparse(node), ast.unparse(error), source))
    return found


def sample(game: str, number: int, seed: int) -> list[Mutant]:
    """Some mutants of a game, spread over all of its rules."""
    mutants = [mutant for path in chapters(game) for mutant in mutants_of(path)]
    return Random(f"{game} {seed}").sample(mutants, min(number, len(mutants)))


# ---- In a process of its own


def apart(work: Callable[[], int], seconds: float, log: Path) -> int:
    """What `work` returns in a fork of this process, its output in a file; -1 if it takes too long."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            with log.open("w") as out, redirect_stdout(out), redirect_stderr(out):
                code = work()
        except BaseException:
            log.write_text(traceback.format_exc())
        finally:
            os._exit(code)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -1


class Gauge:
    """A pytest plugin that notes how long each test takes and which lines of the rules it runs."""

    def __init__(self, game: str) -> None:
        self.seconds: dict[str, float] = {}
        self.coverage = Coverage(data_file=None, include=[f"*/{game}_env/*.py"], config_file=False)
        self.coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        """Run a test under the eyes of the tracer, until the alarm."""
        self.coverage.switch_context(item.nodeid)
        signal.signal(signal.SIGPROF, self._give_up)
        signal.setitimer(signal.ITIMER_PROF, SLOWEST_TEST)
        start = time.process_time()
        try:
            result = yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        self.seconds[item.nodeid] = time.process_time() - start
        return result

    def _give_up(self, *_: Any) -> None:
        pytest.skip("too slow for mutants")

    def lines(self) -> dict[str, list[str]]:
        """The tests that run each line, by `muster_env/rules/swaps.py:20`; slow ones only as far as they were seen."""
        self.coverage.stop()
        data = self.coverage.get_data()
        return {
            f"{name_of(Path(file))}:{line}": [test for test in tests if test]
            for file in data.measured_files()
            for line, tests in data.contexts_by_lineno(file).items()
        }


class Chosen:
    """A pytest plugin that runs the tests chosen, in their order, and no others."""

    def __init__(self, tests: list[str]) -> None:
        self.order = {test: place for place, test in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep and sort."""
        items[:] = sorted((item for item in items if item.nodeid in self.order), key=lambda item: self.order[item.nodeid])


def run_tests(paths: list[str], plugin: Any) -> int:
    """Run tests here and now, up to the first failure."""
    quiet = ["-q", "--tb=line", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
    return int(pytest.main(["-n", "0", "-x", "-m", "rules", *quiet, *paths], [plugin]))


def gauge(game: str, file: Path) -> int:
    """Measure the tests of a game; all of them pass."""
    plugin = Gauge(game)
    code = run_tests([f"tests/{game}"], plugin)
    file.write_text(json.dumps({"seconds": plugin.seconds, "lines": plugin.lines()}), encoding="utf-8")
    return code


def compare(game: str) -> int:
    """Compare with the reference, variants in any order; 1 if they differ."""
    from cardtable.engine import loops
    from cardtable.game.registry import find
    from tools.reference.differ import Shard

    vars(loops)["observe"] = lambda *_: None  # the reference knows no observations, and in plain Python they take longest
    found = find(game)
    variants = Random(game).sample(found.variants, len(found.variants))
    for number in range(2):  # the second shard holds games that start near rare events
        Shard(found.id, variants, 1, 4 * number, DECISIONS).check()
    return 0


# ---- The hunt


@dataclass
class Hunt:
    """The tests of a game, ready to be shown mutants, in a copy of the tree."""

    game: str
    tree: Path
    seconds: dict[str, float]
    lines: dict[str, list[str]]

    @classmethod
    def prepare(cls, game: str, tree: Path, keep: Path) -> "Hunt":
        """Measure the tests on rules without an error, if that was not done before."""
        seen = keep / f"{game}.json"
        if not seen.is_file() and apart(lambda: gauge(game, seen), 3600, tree / f"{game}.log") != 0:
            raise SystemExit(f"the tests of {game} fail without a mutant:\n{(tree / f'{game}.log').read_text()[-2000:]}")
        return cls(game, tree, **json.loads(seen.read_text(encoding="utf-8")))

    def tests_of(self, mutant: Mutant) -> tuple[list[str], list[str]]:
        """The tests that run the line, quick ones first, and the slow ones; all that are quick if it runs on import."""
        running = self.lines.get(f"{mutant.file}:{mutant.line}") or list(self.seconds)
        quick = sorted((test for test in running if test in self.seconds), key=lambda test: self.seconds[test])
        return quick, [test for test in running if test not in self.seconds]

    def show(self, tests: list[str], patience: float) -> int:
        """Run tests on what lies in the tree now; 0 if they pass."""
        files = sorted({test.partition("::")[0] for test in tests})
        return apart(lambda: run_tests(files, Chosen(tests)), patience, self.tree / "tests.log") if tests else 0

    def kills(self, mutant: Mutant) -> str:
        """What finds the mutant: `tests`, `reference`, `hangs`; `nothing` if it survives."""
        path = self.tree / mutant.file
        before = path.read_text(encoding="utf-8")
        path.write_text(mutant.source, encoding="utf-8")
        try:
            quick, slow = self.tests_of(mutant)
            code = self.show(quick, PATIENCE)
            if code == 0:
                code = 2 * apart(lambda: compare(self.game), PATIENCE, self.tree / "reference.log")
            if code == 0:
                code = self.show(slow, SLOW_PATIENCE)
            return {0: "nothing", 2: "reference", -1: "hangs", -2: "hangs"}.get(code, "tests")
        finally:
            path.write_text(before, encoding="utf-8")


def copy_of_tree(folder: Path) -> Path:
    """A copy of packages and tests, compiled to bytecode but for what will be changed; it is imported from now on."""
    import compileall

    tree = folder / "tree"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".*", "__pycache__", "runs", "*.zip", "*.json.gz"))
    compileall.compile_dir(tree, quiet=2)
    for game in GAMES:
        for path in chapters(game, tree):
            for stale in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
                stale.unlink()
    os.chdir(tree)
    sys.path[:] = [
        str(tree),
        str(tree / "tests"),
        *(path for path in sys.path if Path(path).resolve() not in (ROOT, ROOT / "tests")),
    ]
    return tree


def warm_up() -> None:
    """Import what every mutant needs and none changes, once for all."""
    import hypothesis  # noqa: F401
    import pettingzoo.test  # noqa: F401

    import tools.reference.differ  # noqa: F401

    assert not [name for name in sys.modules if name.partition(".")[0] in {f"{game}_env" for game in GAMES}]


def hunt(games: list[str], number: int, seed: int, only: str, keep: Path | None) -> Counter[str]:
    """Show mutants to the tests and print what became of each."""
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        mutants = {game: [each for each in sample(game, number, seed) if only in str(each)] for game in games}
        tree = copy_of_tree(Path(folder))
        warm_up()
        for game in games:
            prepared = Hunt.prepare(game, tree, keep or tree)
            for mutant in mutants[game]:
                start = time.monotonic()
                fate = prepared.kills(mutant)
                total[fate] += 1
                print(f"{fate:<9} {time.monotonic() - start:5.1f} s  {mutant}", flush=True)
    return total


def main() -> int:
    """Run from the command line; 1 if fewer mutants are killed than wanted."""
    parser = argparse.ArgumentParser(
        "python -m tools.mutants", description="Put small errors into the rules and see whether the tests find them."
    )
    parser.add_argument("--game", choices=GAMES, action="append", help="may be repeated (default: all)")
    parser.add_argument("--number", type=int, default=70, help="mutants of each game (default 70)")
    parser.add_argument("--seed", type=int, default=1, help="seed of the sample (default 1)")
    parser.add_argument("--only", default="", metavar="TEXT", help="of the sample, the mutants whose line has this text")
    parser.add_argument(
        "--keep", type=Path, metavar="FOLDER", help="where it is kept which lines a test runs, for the next time"
    )
    parser.add_argument("--least", type=float, default=0.95, help="share that has to be killed (default 0.95)")
    args = parser.parse_args()
    os.environ["NUMBA_DISABLE_JIT"] = "1"
    sys.dont_write_bytecode = True
    os.nice(10)
    total = hunt(args.game or list(GAMES), args.number, args.seed, args.only, args.keep)
    killed = 1 - total["nothing"] / max(1, total.total())
    print(f"{total.total()} mutants, {killed:.1%} killed: {dict(total)}")
    return int(killed < args.least)


if __name__ == "__main__":
    raise SystemExit(main())
