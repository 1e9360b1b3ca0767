"""Compilation: every source of a kernel counts, and numba sees the same game as plain Python."""

import contextlib
import functools
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import cardtable
from cardtable.engine import jit
from cardtable.game.registry import find
from tools.attack import toy

ROOT = Path(cardtable.__file__).resolve().parent.parent

STORE = """
from cardtable.engine.cache import store_of
from cardtable.engine.origins import origin_of_group
print(store_of(origin_of_group("toy_env.rules", None)).name)
"""
TOY = f"from toy_env.rules import points; print(points(2))\n{STORE}"


def run(code: str, path: Path, **variables: str) -> str:
    environment = {**os.environ, "PYTHONPATH": f"{path}{os.pathsep}{path / 'agents'}", **variables}
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def engine(tmp_path: Path) -> Path:
    return toy.make_engine(tmp_path)


def test_an_edit_of_a_card_table_in_another_file_is_noticed(engine, tmp_path):
    cache = {"CARDTABLE_CACHE": str(tmp_path / "cache")}
    first = run(TOY, engine, **cache)
    assert first == run(TOY, engine, **cache)
    table = engine / "toy_env" / "cards.py"
    stamp = table.stat()
    table.write_text(table.read_text().replace("30", "44"))
    os.utime(table, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    second = run(TOY, engine, **cache)
    assert (first.split()[0], second.split()[0]) == ("30", "44")
    assert first.split()[1] != second.split()[1]


def test_an_edit_of_a_package_that_nobody_declared_is_noticed_within_its_store(engine, tmp_path):
    cache = {"CARDTABLE_CACHE": str(tmp_path / "cache")}
    (engine / "toy_game-1.0.dist-info" / "entry_points.txt").write_text("")
    first = run(TOY, engine, **cache)
    table = engine / "toy_env" / "cards.py"
    table.write_text(table.read_text().replace("30", "44"))
    second = run(TOY, engine, **cache)
    assert (first.split()[0], second.split()[0]) == ("30", "44")
    assert first.split()[1] == second.split()[1]


def test_bounds_checks_have_a_cache_of_their_own(engine, tmp_path):
    cache = {"CARDTABLE_CACHE": str(tmp_path / "cache")}
    plain, checked = run(TOY, engine, **cache), run(TOY, engine, NUMBA_BOUNDSCHECK="1", **cache)
    assert plain.split()[1] != checked.split()[1]


COMPILE_SLOWLY = """
import time
from cardtable.engine.jit import compile_once
compile_once("toy", lambda: (print("compiling", flush=True), time.sleep(1)))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no locks on files here")
def test_of_processes_that_start_together_one_compiles(engine, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(engine), "CARDTABLE_CACHE": str(tmp_path / "cache")}
    environment.pop("NUMBA_DISABLE_JIT", None)
    command = [sys.executable, "-c", COMPILE_SLOWLY]
    started = [subprocess.Popen(command, env=environment, cwd=engine, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert "".join(process.communicate()[0] for process in started).split() == ["compiling"]
    assert [process.returncode for process in started] == [0, 0, 0]


def test_no_two_kernels_share_module_qualified_name_and_argument_types_and_none_is_made_from_every_game():
    """Numba's names of compiled functions are made of these: those of one name could be taken for each other."""
    lines = run((ROOT / "tests" / "kernel_names.py").read_text(), ROOT).splitlines()
    assert int(lines[0]) > 800
    assert lines[1:] == []


def test_importing_a_game_does_not_import_torch_or_compile():
    heavy = ("torch", "stable_baselines3", "tqdm")
    code = f"import sys, muster_env.muster_v0; print([name for name in {heavy} if name in sys.modules])"
    assert run(code, ROOT).strip() == "[]"


TOUCH_AND_WAIT = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"


def test_a_second_process_works_beside_this_one_and_ends_with_it(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "cores", lambda: 2)
    sign, begun = tmp_path / "sign", time.monotonic()
    with jit.second_process(TOUCH_AND_WAIT, str(sign)):
        while not sign.exists() and time.monotonic() - begun < 60:
            time.sleep(0.01)
    assert sign.exists()
    assert time.monotonic() - begun < 120


def test_a_second_process_imports_nothing_from_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(jit, "cores", lambda: 2)
    monkeypatch.chdir(tmp_path)
    foreign, sign = tmp_path / "foreign", tmp_path / "sign"
    for name in ("cardtable", "threading", "pathlib"):
        (tmp_path / f"{name}.py").write_text(f"open({str(foreign)!r}, 'w')")
    begun = time.monotonic()
    with jit.second_process("import cardtable; " + TOUCH_AND_WAIT, str(sign)):
        while not sign.exists() and time.monotonic() - begun < 60:
            time.sleep(0.01)
    assert sign.exists()
    assert not foreign.exists()


def test_there_is_no_second_process_without_a_core_for_it(monkeypatch):
    monkeypatch.setattr(jit, "cores", lambda: 1)
    monkeypatch.setattr(jit.subprocess, "Popen", lambda *args, **kwargs: pytest.fail("started one"))
    with jit.second_process("1 / 0"):
        pass


def test_all_loops_of_a_game_are_compiled_from_both_ends(monkeypatch):
    game = find("muster")
    compiled: list[list[str]] = []
    monkeypatch.setattr(
        "cardtable.game.game.compile_calls", lambda calls: compiled.append([call[0].__name__ for call in calls])
    )
    monkeypatch.setattr("cardtable.game.game.second_process", lambda *args: contextlib.nullcontext())
    game._compile()
    game.compile_backwards()
    assert compiled[0] == compiled[1][::-1]
    assert {"step_many", "step_one", "begin_many", "play_out_many", "first_fault"} < set(compiled[0])


SIGNATURE = "from cardtable.cli.main import main; main(['signature', *{arguments}])"
COMPILING_NO_MORE_THAN_NEEDED = "import cardtable.audit; cardtable.audit.prepare = lambda game: None; "


@functools.cache
def usual_signature(arguments: tuple[str, ...]) -> str:
    """What `cardtable signature` prints in a process of its own."""
    return run(SIGNATURE.format(arguments=arguments), ROOT)


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (("--games", "1"), {"PYTHONHASHSEED": "0"}),
        (("--games", "1"), {"PYTHONHASHSEED": "4242"}),
        (("--games", "1"), {"NUMBA_BOUNDSCHECK": "1"}),
        (("--games", "1"), {"NUMBA_DISABLE_JIT": "1"}),
    ],
    ids=str,
)
def test_the_signature_is_the_same_everywhere(arguments, variables):
    assert run(SIGNATURE.format(arguments=arguments), ROOT, **variables) == usual_signature(arguments)


def test_the_signature_is_the_same_on_a_processor_with_no_extras():
    """Compiled for this test alone, so of one game."""
    arguments, generic = ("muster", "--games", "2"), {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
    code = COMPILING_NO_MORE_THAN_NEEDED + SIGNATURE.format(arguments=arguments)
    assert run(code, ROOT, **generic) == usual_signature(arguments)
