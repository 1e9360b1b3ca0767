"""Where compiled kernels are kept: nothing of others is touched, nothing of others is run, whatever is damaged is compiled."""

import contextlib
import os
import pickle
import re
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from cardtable.cli.main import main
from cardtable.engine import store as stores
from tools.attack import cache as attack
from tools.attack import toy
from tools.attack.toy import PLAY, PLAYED

pytestmark = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners here")
as_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be another user")

STRANGER = 54321
"""A user without a name."""


@pytest.fixture(scope="module")
def engine(tmp_path_factory):
    return toy.make_engine(tmp_path_factory.mktemp("engine"))


@pytest.fixture
def public():
    """A temporary folder that other users can look into, as they cannot into pytest's."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="module")
def compiled(engine, tmp_path_factory):
    """A cache in which the toy game is compiled: copy it."""
    folder = tmp_path_factory.mktemp("compiled")
    play(engine, CARDTABLE_CACHE=str(folder))
    return folder


@pytest.fixture
def copied(compiled, tmp_path):
    return shutil.copytree(compiled, tmp_path / "copied")


def play(path: Path, code: str = PLAY, **variables):
    """Run the toy game, which must work, whatever its cache is like; what it said on standard error."""
    done = toy.run(code, path, **variables)
    assert (done.returncode, done.stdout) == (0, PLAYED), done.stderr
    assert "Traceback" not in done.stderr
    return done.stderr


BECOME = """
import os, numba, toy_env.rules
numba.njit(lambda number: number + 1)(1)  # loads what might not be readable later
os.setgroups([]); os.setgid({user}); os.setuid({user})
"""


def play_as(user: int, path: Path, **variables):
    """The same as another user, who may not be able to read Python itself: so it is loaded first."""
    return play(path, BECOME.format(user=user) + PLAY, **variables)


def store_in(home: Path, packages: str = "toy_env") -> Path:
    """The one store in a home that holds kernels of these packages."""
    (store,) = home.glob(f"{packages}-*")
    return store


def kernels_in(home: Path) -> list[Path]:
    return sorted(store_in(home).glob(f"*{stores.KERNEL}"))


def snapshot(folder: Path) -> dict[str, bytes | str | None]:
    """Everything in a folder, links as links."""
    found: dict[str, bytes | str | None] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if path.is_symlink():
            found[name] = os.readlink(path)
        else:
            found[name] = path.read_bytes() if path.is_file() else None
    return found


# ---- Nothing of others is deleted


def make_store(folder: Path, age: int) -> Path:
    """A store of ours as an earlier version left it."""
    folder.mkdir(parents=True)
    for name in (stores.MARKER, f"points-1{stores.KERNEL}", f"toy{stores.READY}", f"toy{stores.LOCK}"):
        (folder / name).write_text("old")
    used = time.time() - age * 100 * stores.DAY
    os.utime(folder / stores.MARKER, (used, used))
    return folder


def test_a_home_folder_named_as_cache_loses_nothing(engine, tmp_path):
    home = tmp_path / "home"
    for name in ("Documents", "Photos", "thesis", "0123456789abcdef", "fedcba9876543210", *map(str, range(8))):
        (home / name).mkdir(parents=True)
        (home / name / "precious.txt").write_text(name)
        os.utime(home / name, (1, 1))
    make_store(home / "00000000000000aa", age=9)  # even our own, where we do not look for it
    before = snapshot(home)
    for bounds in ("0", "1"):
        play(engine, CARDTABLE_CACHE=str(home), NUMBA_BOUNDSCHECK=bounds)
    after = snapshot(home)
    assert {name: after.get(name) for name in before} == before
    assert {name.split("/")[0] for name in set(after) - set(before)} == {"cardtable"}


def test_of_our_stores_those_used_last_are_kept_and_nothing_else_is_touched(engine, tmp_path):
    home = tmp_path / "base" / "cardtable"
    ours = [make_store(home / f"toy_env-{number:016x}", age=number) for number in range(1, stores.KEPT_STORES + 4)]
    kept, old = ours[: stores.KEPT_STORES - 1], ours[stores.KEPT_STORES - 1 :]
    for packages in ("cardtable-", "muster_env-", "muster_env+toy_env-", ""):  # the last as earlier versions named them
        for number in range(1, stores.KEPT_STORES + 2):
            (old if number > stores.KEPT_STORES else kept).append(
                make_store(home / f"{packages}{number:016x}", age=number + 50)
            )
    elsewhere = make_store(tmp_path / "elsewhere", age=99)
    (home / ("toy_env-" + "a" * 16)).mkdir()
    (home / ("toy_env-" + "b" * 16)).symlink_to(elsewhere)
    shutil.copytree(elsewhere, home / "a name of the user")
    unmarked = make_store(home / ("toy_env-" + "c" * 16), age=99)
    (unmarked / stores.MARKER).unlink()
    shared = make_store(home / ("toy_env-" + "d" * 16), age=99)
    (shared / "notes.txt").write_text("of the user")
    linked = make_store(home / ("toy_env-" + "e" * 16), age=99)
    (linked / stores.MARKER).unlink()
    (linked / stores.MARKER).symlink_to(elsewhere / stores.MARKER)
    others = {path.name for path in home.iterdir()} - {path.name for path in (*kept, *old)}
    home.chmod(0o700)
    before = snapshot(tmp_path)
    play(engine, CARDTABLE_CACHE=str(home.parent))
    after = snapshot(tmp_path)
    assert not any(path.exists() for path in old)
    gone = {f"base/cardtable/{path.name}" for path in old}
    assert {name for name in set(before) - set(after) if name.rpartition("/")[0] not in gone} == gone
    assert others <= {path.name for path in home.iterdir()}
    assert all(path.exists() for path in kept)
    assert (elsewhere / stores.MARKER).exists()


def test_a_store_that_another_process_deletes_meanwhile_is_no_error(tmp_path, monkeypatch):
    home = tmp_path / "cardtable"
    for number in range(1, stores.KEPT_STORES + 4):
        make_store(home / f"{number:016x}", age=number)
    unlink = os.unlink

    def race(path):
        os.rename(Path(path).parent, tmp_path / f"gone {len(list(tmp_path.iterdir()))}")
        unlink(path)

    monkeypatch.setattr(stores.os, "unlink", race)
    stores.delete_old_stores(home, "f" * 16)
    assert len(list(home.iterdir())) == stores.KEPT_STORES


def test_importing_writes_and_deletes_nothing(engine, tmp_path):
    home = tmp_path / "cardtable"
    for number in range(1, 2 * stores.KEPT_STORES):
        make_store(home / f"{number:016x}", age=number)
    before = snapshot(tmp_path)
    done = toy.run("import toy_env.rules", engine, CARDTABLE_CACHE=str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert snapshot(tmp_path) == before


# ---- Nothing of others is run


class Malice:
    """A pickle that leaves a sign where it was loaded."""

    def __init__(self, sign: Path) -> None:
        self.sign = sign

    def __reduce__(self):
        return (Path.touch, (self.sign,))


def plant(home: Path, sign: Path) -> None:
    """Put malice with the right name and digest in the place of every kernel in a home."""
    for path in kernels_in(home):
        payload = pickle.dumps(Malice(sign))
        path.write_bytes(stores._head(path.name, payload) + payload)


def give(folder: Path, user: int) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, user)


@pytest.fixture
def temporary(public, compiled):
    """A temporary directory, as all users share it, with malice in the place of our fallback; and the sign of it."""
    temporary = public / "tmp"
    temporary.mkdir()
    temporary.chmod(0o1777)
    home = temporary / f"cardtable-{os.geteuid()}"
    shutil.copytree(compiled / "cardtable", home)
    sign = public / "sign"
    plant(home, sign)
    return home, sign, {"TMPDIR": str(temporary), "CARDTABLE_CACHE": None, "HOME": "/nowhere", "XDG_CACHE_HOME": None}


def test_what_is_planted_would_run_if_it_were_ours(engine, temporary):
    """The other tests of malice show something only because this holds."""
    _, sign, variables = temporary
    play(engine, **variables)
    assert sign.exists()


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_fallback_that_others_can_write_is_not_used(engine, temporary, mode):
    home, sign, variables = temporary
    home.chmod(mode)
    said = play(engine, **variables)
    assert not sign.exists()
    assert said.count("compiled kernels are kept in ") == 1
    assert f"{home} can be written by others" in said


@as_root
def test_a_fallback_of_another_user_is_not_used(engine, temporary):
    home, sign, variables = temporary
    give(home, STRANGER)
    said = play(engine, **variables)
    assert not sign.exists()
    assert f"{home} belongs to another user" in said


def test_a_link_in_place_of_the_fallback_is_not_followed(engine, temporary):
    home, sign, variables = temporary
    elsewhere = home.rename(home.parent / "elsewhere")
    home.symlink_to(elsewhere)
    said = play(engine, **variables)
    assert not sign.exists()
    assert f"{home} is not a folder" in said


@as_root
def test_a_kernel_that_another_user_wrote_is_not_loaded(engine, temporary):
    home, sign, variables = temporary
    for path in kernels_in(home):
        os.chown(path, STRANGER, STRANGER)
    said = play(engine, **variables)
    assert not sign.exists()
    assert said.count("is damaged") == 1


def test_a_kernel_that_others_can_write_is_not_loaded(engine, temporary):
    home, sign, variables = temporary
    for path in kernels_in(home):
        path.chmod(0o666)
    assert "is damaged (Others may have written it)" in play(engine, **variables)
    assert not sign.exists()


def test_a_named_folder_that_others_can_write_is_not_used(engine, copied, tmp_path):
    home, sign = copied / "cardtable", tmp_path / "sign"
    plant(home, sign)
    home.chmod(0o777)
    said = play(engine, CARDTABLE_CACHE=str(copied), TMPDIR=str(tmp_path))
    assert not sign.exists()
    assert f"{home} can be written by others" in said
    assert (tmp_path / f"cardtable-{os.geteuid()}").is_dir()


def test_a_named_folder_whose_parent_others_can_write_is_not_used(engine, copied, tmp_path):
    sign = tmp_path / "sign"
    plant(copied / "cardtable", sign)
    copied.chmod(0o777)
    assert f"{copied} can be written by others" in play(engine, CARDTABLE_CACHE=str(copied), TMPDIR=str(tmp_path))
    assert not sign.exists()


def test_nothing_is_made_in_a_folder_that_others_can_write(engine, tmp_path):
    named = tmp_path / "named"
    named.mkdir()
    named.chmod(0o777)
    assert f"{named} can be written by others" in play(engine, CARDTABLE_CACHE=str(named), TMPDIR=str(tmp_path))
    assert list(named.iterdir()) == []


@as_root
def test_a_named_folder_of_another_user_is_not_used(engine, public, compiled):
    named, sign = shutil.copytree(compiled, public / "named"), public / "sign"
    plant(named / "cardtable", sign)
    give(named / "cardtable", STRANGER)
    assert "belongs to another user" in play(engine, CARDTABLE_CACHE=str(named), TMPDIR=str(public))
    assert not sign.exists()


def test_folders_are_private_whatever_the_mask(engine, tmp_path):
    for mask in (0o000, 0o077):
        base = tmp_path / f"masked {mask}" / "deeper"
        play(engine, f"import os; os.umask({mask}); {PLAY}", CARDTABLE_CACHE=str(base))
        home = base / "cardtable"
        assert [stat.S_IMODE(path.stat().st_mode) for path in (home, store_in(home))] == [0o700, 0o700]
        assert not any(path.stat().st_mode & 0o022 for path in (base, base.parent, *store_in(home).iterdir()))
        assert play(engine, CARDTABLE_CACHE=str(base)) == ""


# ---- No home, no place, a private place


def test_without_a_home_kernels_go_to_a_folder_of_the_user(engine, tmp_path):
    variables = {"CARDTABLE_CACHE": None, "XDG_CACHE_HOME": None, "HOME": str(tmp_path / "none"), "TMPDIR": str(tmp_path)}
    said = play(engine, **variables)
    home = tmp_path / f"cardtable-{os.geteuid()}"
    assert f"compiled kernels are kept in {home}: there is no home folder" in said
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert play(engine, **variables) == ""  # and are found there
    assert not (tmp_path / "none").exists()


@as_root
def test_a_user_without_a_name_and_home_can_play(engine, public):
    shutil.copytree(engine, public / "engine").chmod(0o755)
    (public / "tmp").mkdir()
    (public / "tmp").chmod(0o1777)
    variables = {"CARDTABLE_CACHE": None, "XDG_CACHE_HOME": None, "HOME": None, "TMPDIR": str(public / "tmp")}
    assert "this user has no home folder" in play_as(STRANGER, public / "engine", **variables)
    assert (public / "tmp" / f"cardtable-{STRANGER}").stat().st_uid == STRANGER
    assert play_as(STRANGER, public / "engine", **variables) == ""


@as_root
def test_a_home_that_we_cannot_look_into_is_no_home(engine, public):
    shutil.copytree(engine, public / "engine").chmod(0o755)
    (public / "closed" / "home" / ".cache").mkdir(parents=True)
    (public / "closed").chmod(0o700)
    (public / "tmp").mkdir()
    (public / "tmp").chmod(0o1777)
    home = str(public / "closed" / "home")
    for variables in ({"HOME": home}, {"XDG_CACHE_HOME": home}, {"CARDTABLE_CACHE": home}):
        without = {"CARDTABLE_CACHE": None, "XDG_CACHE_HOME": None, "HOME": None, "TMPDIR": str(public / "tmp")}
        play_as(STRANGER, public / "engine", **without | variables)
    assert (public / "tmp" / f"cardtable-{STRANGER}").is_dir()


IN_A_CHILD = f"""
import subprocess, sys
{PLAY}
import os
assert len([name for name in os.listdir(os.environ["TMPDIR"]) if name.startswith("cardtable-")]) == 2
done = subprocess.run([sys.executable, "-c", {PLAY!r}], capture_output=True, text=True)
assert done.stderr == "", done.stderr
"""


def test_a_private_cache_serves_children_and_is_gone_at_the_end(engine, tmp_path):
    planted = tmp_path / f"cardtable-{os.geteuid()}"
    planted.mkdir()
    planted.chmod(0o777)
    said = play(engine, IN_A_CHILD, CARDTABLE_CACHE=None, XDG_CACHE_HOME=None, HOME="/nowhere", TMPDIR=str(tmp_path))
    assert "It is deleted when this process ends" in said
    assert [path.name for path in tmp_path.iterdir()] == [planted.name]


# ---- Read-only caches, full disks


def read_only(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)


@as_root
def test_a_complete_cache_that_root_made_serves_others_as_it_is(engine, public):
    shutil.copytree(engine, public / "engine").chmod(0o755)
    named = str(public / "named")
    code = f"{PLAY}; from cardtable.engine.store import share_home; share_home()"
    play(public / "engine", code, CARDTABLE_CACHE=named)
    before = snapshot(public)
    assert play_as(STRANGER, public / "engine", CARDTABLE_CACHE=named, TMPDIR=str(public), HOME=None) == ""
    assert snapshot(public) == before


@as_root
def test_a_folder_with_anything_else_in_it_is_not_opened_for_others(engine, tmp_path):
    home = tmp_path / "named" / "cardtable"
    home.mkdir(parents=True, mode=0o700)
    (home / "diary").mkdir()
    code = f"{PLAY}; from cardtable.engine.store import share_home; share_home()"
    play(engine, code, CARDTABLE_CACHE=str(tmp_path / "named"))
    assert home.stat().st_mode & 0o777 == 0o700


@as_root
def test_what_a_read_only_cache_lacks_goes_to_the_fallback(engine, public, compiled):
    shutil.copytree(engine, public / "engine").chmod(0o755)
    named = shutil.copytree(compiled, public / "named")
    named.chmod(0o755)
    lacking = next(path for path in kernels_in(named / "cardtable") if path.name.startswith("total"))
    lacking.unlink()
    read_only(named)
    (public / "tmp").mkdir()
    (public / "tmp").chmod(0o1777)
    before = snapshot(named)
    variables = {"CARDTABLE_CACHE": str(named), "TMPDIR": str(public / "tmp"), "HOME": None}
    said = play_as(STRANGER, public / "engine", **variables)
    assert f"{named}/cardtable cannot be written" in said
    assert snapshot(named) == before
    assert [path.name for path in kernels_in(public / "tmp" / f"cardtable-{STRANGER}")] == [lacking.name]
    assert play_as(STRANGER, public / "engine", **variables) == ""


FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size})); "


@pytest.mark.parametrize("size", [0, 1, 5000])
def test_on_a_full_disk_play_goes_on(engine, tmp_path, size):
    said = play(engine, FULL.format(size=size) + PLAY, CARDTABLE_CACHE=str(tmp_path))
    assert said.count("compiled kernels are not kept: ") == 1
    play(engine, CARDTABLE_CACHE=str(tmp_path))
    assert play(engine, CARDTABLE_CACHE=str(tmp_path)) == ""


def test_without_any_place_play_goes_on(engine, tmp_path):
    """Neither the folder that is named can be made, nor is there a temporary directory."""
    (tmp_path / "file").write_text("")
    code = f"import tempfile; tempfile._get_default_tempdir = lambda: (_ for _ in ()).throw(FileNotFoundError('none')); {PLAY}"
    said = play(engine, code, CARDTABLE_CACHE=str(tmp_path / "file" / "inside"))
    assert said.count("compiled kernels are not kept") == 1


# ---- Damage


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def swap(path: Path) -> None:
    other = next(each for each in path.parent.glob(f"*{stores.KERNEL}") if each != path)
    path.write_bytes(other.read_bytes())


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def make_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def make_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def empty(path: Path) -> None:
    path.write_bytes(b"")


def rot(path: Path) -> None:
    """A pickle of something else, with the right digest."""
    payload = pickle.dumps(["something else"])
    path.write_bytes(stores._head(path.name, payload) + payload)


@pytest.mark.parametrize("damage", [flip, swap, cut, empty, rot, make_folder, make_pipe, make_link])
def test_what_is_damaged_is_told_once_and_compiled_again(engine, copied, damage):
    for path in kernels_in(copied / "cardtable"):
        damage(path)
    said = play(engine, CARDTABLE_CACHE=str(copied))
    assert said.count("is damaged") == 1
    assert play(engine, CARDTABLE_CACHE=str(copied)) == ""


def test_what_is_missing_is_compiled_and_told(engine, copied):
    for path in kernels_in(copied / "cardtable"):
        path.unlink()
    assert "compiling kernels that are not in the cache yet" in play(engine, CARDTABLE_CACHE=str(copied))
    assert play(engine, CARDTABLE_CACHE=str(copied)) == ""


def test_a_link_in_place_of_a_kernel_is_replaced_and_what_it_leads_to_stays(engine, copied, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("of the user")
    for path in kernels_in(copied / "cardtable"):
        path.unlink()
        path.symlink_to(precious)
    play(engine, CARDTABLE_CACHE=str(copied))
    assert precious.read_text() == "of the user"
    assert not any(path.is_symlink() for path in kernels_in(copied / "cardtable"))


def test_the_attack_on_caches_gets_nowhere(tmp_path):
    tally = attack.attack_targets([attack.toy_target(tmp_path)], cases=len(attack.DAMAGES), seed=3)
    assert (tally.tried, tally.failures) == (len(attack.DAMAGES), [])
    assert tally.outcomes["refused and compiled again"] > 2


def weaken(module: Path, old: str, new: str) -> None:
    assert old in module.read_text()
    module.write_text(module.read_text().replace(old, new))


def test_the_attack_on_caches_would_notice(tmp_path):
    """Numba's own cache looks at no digest and catches no error."""
    target = attack.toy_target(tmp_path)
    weaken(target.path / "cardtable" / "engine" / "store.py", "if content[: len(MAGIC)", "if True or content[: len(MAGIC)")
    weaken(target.path / "cardtable" / "engine" / "cache.py", "except Exception as error", "except MemoryError as error")
    assert attack.attack_targets([target], cases=len(attack.DAMAGES), seed=3).failures


# ---- One kernel is never taken for another


def test_a_second_clone_uses_what_the_first_has_compiled(engine, copied, tmp_path):
    assert play(shutil.copytree(engine, tmp_path / "clone"), CARDTABLE_CACHE=str(copied)) == ""


@pytest.mark.parametrize("variable", ["NUMBA_CPU_NAME=generic", "NUMBA_OPT=1", "NUMBA_BOUNDSCHECK=1", "NUMBA_LOOP_VECTORIZE=0"])
def test_another_processor_or_setting_has_a_store_of_its_own(engine, copied, variable):
    name, _, value = variable.partition("=")
    assert "compiling" in play(engine, CARDTABLE_CACHE=str(copied), **{name: value})
    assert len(list((copied / "cardtable").iterdir())) == 2


@pytest.mark.parametrize("change", ["platform.python_version = lambda: '3.99.0'", "llvmlite.__version__ = '99'"])
def test_another_python_or_library_has_a_store_of_its_own(engine, copied, change):
    code = f"import platform, llvmlite; {change}; {PLAY}"
    assert "compiling" in play(engine, code, CARDTABLE_CACHE=str(copied))
    assert len(list((copied / "cardtable").iterdir())) == 2


EDIT_AND_PLAY = """
import pathlib
from toy_env.rules import points, total
table = pathlib.Path("toy_env/cards.py")
table.write_text(table.read_text().replace("30", "44"))
print(points(2), total(1, 2))
"""


def test_what_is_compiled_after_an_edit_is_not_taken_for_the_edited(engine, tmp_path):
    clone = shutil.copytree(engine, tmp_path / "clone")
    assert "were edited" in play(clone, EDIT_AND_PLAY, CARDTABLE_CACHE=str(tmp_path / "cache"))
    done = toy.run(PLAY, clone, CARDTABLE_CACHE=str(tmp_path / "cache"))
    assert done.stdout == "44 46\n", done.stderr


SCRIPT = """
from cardtable.engine.jit import kernel

@kernel
def seven():
    return 7

print(seven())
"""


def test_a_kernel_in_a_script_is_cached_by_the_script_and_one_in_a_prompt_is_not(engine, tmp_path):
    home = tmp_path / "cache" / "cardtable"
    variables = {"CARDTABLE_CACHE": str(home.parent)}
    script = tmp_path / "script.py"

    def run_script(text: str) -> tuple[str, str]:
        script.write_text(text)
        done = subprocess.run(
            [sys.executable, script], env=toy.environment(engine, **variables), capture_output=True, text=True, check=True
        )
        return done.stdout, done.stderr

    assert run_script(SCRIPT)[0] == "7\n"
    assert run_script(SCRIPT) == ("7\n", "")
    assert run_script(SCRIPT.replace("7", "8"))[0] == "8\n"
    assert len(list(home.glob(f"cardtable-*/*{stores.KERNEL}"))) == 2
    for number in ("7", "8"):
        assert toy.run(SCRIPT.replace("7", number), engine, **variables).stdout == f"{number}\n"
    assert len(list(home.glob(f"cardtable-*/*{stores.KERNEL}"))) == 2


TWO_GAMES = """
from types import SimpleNamespace

import numpy as np
from cardtable.engine.dispatch import by_record_type
from cardtable.engine.jit import kernel

KERNELS = {}
FIRST, SECOND = np.dtype([("a", np.int64)]), np.dtype([("b", np.int64)])
scores, returns = by_record_type("scores", KERNELS), by_record_type("returns", KERNELS)

@kernel
def scores_of_first(game, out):
    for place in range(out.shape[0]):
        out[place] = np.sin(out[place]) + game.a

@kernel
def returns_of_first(game, out):
    for place in range(out.shape[0]):
        out[place] = np.cos(out[place]) - game.a

@kernel
def scores_of_second(game, out):
    for place in range(out.shape[0]):
        out[place] = np.tan(out[place]) * game.b

KERNELS[FIRST.names] = SimpleNamespace(scores=scores_of_first, returns=returns_of_first)
KERNELS[SECOND.names] = SimpleNamespace(scores=scores_of_second)

@kernel
def score(games, out):
    for lane in range(games.shape[0]):
        scores(games[lane], out)

@kernel
def reward(games, out):
    for lane in range(games.shape[0]):
        returns(games[lane], out)

@kernel
def everything(first, second, out):
    score(first, out)
    reward(first, out)
    score(second, out)

first, second, out = np.full(2, 3, FIRST), np.full(2, 5, SECOND), np.arange(3.0)
"""


def test_kernels_that_two_processes_compiled_are_told_apart(engine, tmp_path):
    """Numba counts functions and types of records from 1 in every process, and makes names of both."""
    clone = shutil.copytree(engine, tmp_path / "clone")
    (clone / "toy_env" / "two.py").write_text(TWO_GAMES)
    load = "from toy_env.two import *; "
    variables = {"CARDTABLE_CACHE": str(tmp_path / "cache")}
    for call in ("score(first, out)", "reward(first, out)", "score(second, out)"):
        assert toy.run(load + call, clone, **variables).returncode == 0
    done = toy.run(load + "everything(first, second, out); print(out.tolist())", clone, **variables)
    plain = load + "everything(first.view(np.recarray), second.view(np.recarray), out); print(out.tolist())"
    expected = toy.run(plain, clone, **variables, NUMBA_DISABLE_JIT="1")
    assert expected.returncode == 0, expected.stderr
    assert done.stdout == expected.stdout, done.stderr


# ---- Several processes


WAIT_AND_COMPILE = """
import pathlib, sys, time
from cardtable.engine.jit import compile_once
def compile_all():
    pathlib.Path(sys.argv[1]).touch()
    while not pathlib.Path(sys.argv[2]).exists():
        time.sleep(0.01)
compile_once("toy", compile_all)
"""


def wait_for(condition, seconds: float = 120) -> None:
    """Wait until something holds; how long it takes does not matter."""
    stop = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < stop, "it never came true"
        time.sleep(0.01)


def test_who_waits_for_the_compilation_of_another_process_is_told(engine, tmp_path):
    begun, go = tmp_path / "begun", tmp_path / "go"
    command = [sys.executable, "-c", WAIT_AND_COMPILE, str(begun), str(go)]
    environment = toy.environment(engine, CARDTABLE_CACHE=str(tmp_path / "cache"))
    said = [tmp_path / "said by the first", tmp_path / "said by the second"]
    with said[0].open("w") as one, said[1].open("w") as other:
        first = subprocess.Popen(command, env=environment, stderr=one)
        try:
            wait_for(begun.exists)
            second = subprocess.Popen(command, env=environment, stderr=other)
            wait_for(lambda: said[1].read_text() == "cardtable: waiting for another process that is compiling toy ...\n")
        finally:
            go.touch()
        assert [first.wait(), second.wait()] == [0, 0]
    assert "compiling toy for this machine" in said[0].read_text()
    assert said[1].read_text().count("\n") == 1


BESIDE_ME = """
import os, sys, time
from cardtable.engine import jit
jit.cores = lambda: 2
code = "import os, pathlib, sys, time; pathlib.Path(sys.argv[1]).write_text(str(os.getpid()) + '.'); time.sleep(600)"
with jit.second_process(code, sys.argv[1]):
    time.sleep(600)
"""


def alive(process: int) -> bool:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="asks the system which processes there are")
def test_a_second_process_ends_when_the_first_is_killed(engine, tmp_path):
    sign = tmp_path / "sign"
    first = subprocess.Popen([sys.executable, "-c", BESIDE_ME, str(sign)], env=toy.environment(engine))
    wait_for(lambda: sign.exists() and sign.read_text().endswith("."))
    second = int(sign.read_text()[:-1])
    assert alive(second)
    first.send_signal(signal.SIGKILL)
    first.wait()
    wait_for(lambda: not alive(second))


def test_processes_that_write_at_once_lose_nothing(engine, tmp_path):
    """Each compiles other argument types of one kernel: numba's own index keeps those of the last one."""
    types = ("1", "1.0", "True", "np.int8(1)")
    code = "import numpy as np; from cardtable.engine.jit import kernel; from toy_env.one import same; same({})"
    clone = shutil.copytree(engine, tmp_path / "clone")
    (clone / "toy_env" / "one.py").write_text(
        "from cardtable.engine.jit import kernel\n\n@kernel\ndef same(number):\n    return number\n"
    )
    environment = toy.environment(clone, CARDTABLE_CACHE=str(tmp_path / "cache"))
    started = [subprocess.Popen([sys.executable, "-c", code.format(each)], env=environment) for each in types]
    assert [process.wait() for process in started] == [0] * len(types)
    assert len(kernels_in(tmp_path / "cache" / "cardtable")) == len(types)


# ---- The command


def test_compile_says_what_was_compiled_and_where_it_is(capsys):
    assert main(["compile", "muster"]) == 0
    capsys.readouterr()
    assert main(["compile", "muster"]) == 0
    out = capsys.readouterr().out
    for group in ("muster_v0", "muster_v0-audits", "muster_v0-views", "muster_v0-heuristic", "muster_v0-search"):
        assert f"\n{group} " in f"\n{out}"
    assert "cache: " in out
    assert main(["compile", "chess"]) == 2
    assert "no game is called 'chess'" in capsys.readouterr().err


COMPILE_TOY = """
import cardtable.audit, cardtable.cli.main, cardtable.engine.jit, cardtable.players.roster, sys
def prepare(game):
    from toy_env.rules import total
    cardtable.engine.jit.compile_once("toy", lambda: total(1, 2))
cardtable.audit.prepare, cardtable.players.roster.prepare_agents = prepare, lambda game: None
sys.exit(cardtable.cli.main.main(["compile", "muster"]))
"""


def compile_toy(engine: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    """`cardtable compile`, where all that is compiled is the toy game."""
    return toy.run(f"import sys; sys.path.insert(2, {str(toy.ROOT)!r}){COMPILE_TOY}", engine, **variables)


def test_compile_lets_others_read_a_named_cache(engine, tmp_path):
    done = compile_toy(engine, CARDTABLE_CACHE=str(tmp_path / "named"))
    assert done.returncode == 0, done.stderr
    assert re.search(r"^toy +compiled$", done.stdout, re.MULTILINE)
    home = tmp_path / "named" / "cardtable"
    assert f"cache: {home}\n" in done.stdout
    folders = (home.parent, home, store_in(home), store_in(home, "cardtable"))
    assert [stat.S_IMODE(path.stat().st_mode) for path in folders] == [0o755] * 4
    assert {stat.S_IMODE(path.stat().st_mode) for path in home.glob("*/*")} == {0o644}
    done = compile_toy(engine, CARDTABLE_CACHE=str(tmp_path / "named"))
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"^toy +already compiled$", done.stdout, re.MULTILINE)


def test_compile_fails_if_nothing_is_kept_where_it_should_be(engine, tmp_path):
    (tmp_path / "file").write_text("")
    named = tmp_path / "file" / "inside"
    done = compile_toy(engine, CARDTABLE_CACHE=str(named), TMPDIR=str(tmp_path))
    assert done.returncode == 2
    assert f"could not be saved where it belongs: {named}/cardtable cannot be written" in done.stderr
